# SPDX-License-Identifier: GPL-3.0-or-later
"""Jelly of the presets on the add-on's floor: whether it lies still, how it bounces and keeps its volume."""

from __future__ import annotations

import numpy as np

from blender_xpbd.scene.presets import preset_values

from .meshes import BALLS, CUBES, ball, box_collider, centres, cube, tilt, values, volumes
from .probe import AMOUNT, AT_MOST, Measure, Probe, product_case
from .shot import FRAMES_PER_SECOND, Baked, Shot, Thing, floor

PRESETS = {"soft": "JELLY_SOFT", "medium": "JELLY_MEDIUM", "firm": "JELLY_FIRM", "rubber": "RUBBER"}
# of the converged runs
MANY = 320


def resting(kind: str, preset: str) -> Shot:
    """A ball of 1 m that lies on the floor."""
    thing = Thing("Ball", *ball(kind, 0.5, 0.0), values("JELLY", PRESETS[preset]))
    return Shot((thing,), 10 * FRAMES_PER_SECOND, floor())


def drift(baked: Baked) -> float:
    """How far the ball is from where it lay [mm]."""
    places = centres(baked.motion)
    return float(1e3 * np.linalg.norm((places[-1] - places[0])[:2]))


def falling_cube(kind: str, preset: str) -> Shot:
    """A cube of 2 m whose lower face is 1 m above the floor."""
    return Shot((Thing("Cube", *cube(kind, 2.0, 1.0), values("JELLY", PRESETS[preset])),), 72, floor())


def falling_ball(preset: str, diameter: float, frames: int, kind: str = "quads") -> Shot:
    """A ball that falls by 1 m."""
    thing = Thing("Ball", *ball(kind, 0.5 * diameter, 1.0), values("JELLY", PRESETS[preset]))
    return Shot((thing,), frames, floor())


def rebound(baked: Baked) -> float:
    """How far the ball's centre rises from its lowest place to its highest after it [m]."""
    heights = centres(baked.motion)[:, 2]
    lowest = int(np.argmin(heights[:18]))
    return float(heights[lowest:].max() - heights[lowest])


def least_volume(baked: Baked) -> float:
    """Least volume of all frames, per that at rest."""
    found = volumes(baked.motion, baked.faces)
    return float(found.min() / found[0])


def pressed(kind: str, preset: str) -> Shot:
    """A cube of 50 cm on the floor that a plate presses to half its height within a second; nothing rubs."""
    places = np.zeros((37, 3))
    # 1 cm higher than half: the gaps that are kept to the floor and to the plate
    places[:, 2] = 0.51 - 0.25 * np.minimum(np.arange(37) / 24, 1.0)
    plate = Thing("Plate", *box_collider((2.0, 2.0, 0.2), 0.2), values("COLLIDER"), places=places)
    body = Thing("Cube", *cube(kind, 0.5, 0.0), values("JELLY", PRESETS[preset], friction=0.0))
    return Shot((body, plate), 36, floor())


def volume_at_half(preset: str) -> float:
    """J of the stable neo-Hookean material at half its height, free sideways: 1 − μ/(λ + μ) = 2ν."""
    return 2.0 * float(preset_values(PRESETS[preset], "JELLY")["poissons_ratio"])


def last_volume(baked: Baked) -> float:
    """Volume at the end, per that at rest: J."""
    found = volumes(baked.motion, baked.faces)
    return float(found[-1] / found[0])


def _flat(baked: Baked) -> float:
    return tilt(baked.motion[0], baked.motion[-1])


REST = Measure("way after 10 s [mm]", drift, 1.0, kind=AT_MOST)
TILT = Measure("tilt after 3 s [°]", _flat, 1.0, kind=AT_MOST)
REBOUND = Measure("rise after the impact [m]", rebound, None)
SQUEEZED = Measure("least volume per that at rest", least_volume, None, 0.03, AMOUNT)

CASES = (
    product_case(
        "product_rest",
        "a ball at rest",
        "A ball of 1 m lies on the level floor. It has no reason to roll.",
        [
            *(Probe(f"{name}, quads", resting("quads", name), (REST,)) for name in PRESETS),
            *(Probe(f"medium, {kind}", resting(kind, "medium"), (REST,)) for kind in BALLS[1:]),
        ],
    ),
    product_case(
        "product_flat",
        "a cube that falls flat",
        "A cube of 2 m falls by 1 m onto the level floor. It has no reason to tilt.",
        [Probe(f"{name}, {kind}", falling_cube(kind, name), (TILT,)) for name in ("soft", "firm") for kind in CUBES],
    ),
    product_case(
        "product_rebound",
        "rebound of a ball",
        "A ball of 1 m falls by 1 m. Without restitution it rebounds by its elasticity alone.",
        [Probe(name, falling_ball(name, 1.0, 36), (REBOUND,), MANY) for name in PRESETS],
    ),
    product_case(
        "product_squeezed",
        "volume of a ball that lands",
        "A ball of 20 cm falls by 1 m. The tolerance is three points.",
        [Probe(name, falling_ball(name, 0.2, 18), (SQUEEZED,), MANY) for name in PRESETS],
    ),
    product_case(
        "product_pressed",
        "a cube pressed to half",
        "A plate without friction presses a cube of 50 cm to half its height within a second, and its volume is "
        "measured half a second later: J = 1 − μ/(λ + μ) = 2ν. The tolerance is three points.",
        [
            Probe(
                f"{name}, {kind}",
                pressed(kind, name),
                (Measure("volume per that at rest, J", last_volume, volume_at_half(name), 0.03, AMOUNT),),
            )
            for name, kind in (("medium", "quads"), ("medium", "triangles"), ("rubber", "quads"))
        ],
    ),
)
