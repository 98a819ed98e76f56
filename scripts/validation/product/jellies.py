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


def pressed(kind: str, preset: str, share: float = 0.5) -> Shot:
    """A cube of 50 cm on the floor that a plate presses to a share of its height within a second; nothing rubs."""
    places = np.zeros((37, 3))
    # 1 cm higher than that: the gaps that are kept to the floor and to the plate
    places[:, 2] = 0.51 - 0.5 * (1.0 - share) * np.minimum(np.arange(37) / 24, 1.0)
    plate = Thing("Plate", *box_collider((2.0, 2.0, 0.2), 0.2), values("COLLIDER"), places=places)
    body = Thing("Cube", *cube(kind, 0.5, 0.0), values("JELLY", PRESETS[preset], friction=0.0))
    return Shot((body, plate), 36, floor())


def pressed_volume(preset: str, share: float = 0.5) -> float:
    """J of the stable neo-Hookean material at a share s of its height, free sideways: 1 − (1 − 2ν) (1/s − 1)."""
    return 1.0 - (1.0 - 2.0 * float(preset_values(PRESETS[preset], "JELLY")["poissons_ratio"])) * (1.0 / share - 1.0)


def last_volume(baked: Baked) -> float:
    """Volume at the end, per that at rest: J."""
    found = volumes(baked.motion, baked.faces)
    return float(found[-1] / found[0])


def _flat(baked: Baked) -> float:
    return tilt(baked.motion[0], baked.motion[-1])


def _pressed_probe(preset: str, kind: str, share: float) -> Probe:
    expected = pressed_volume(preset, share)
    measure = Measure("volume per that at rest, J", last_volume, expected, 0.03, AMOUNT)
    name = f"{preset}, {kind}" if share == 0.5 else f"{preset}, {kind}, to {share:g}"
    return Probe(name, pressed(kind, preset, share), (measure,))


REST = Measure("way after 10 s [mm]", drift, 1.0, kind=AT_MOST)
TILT = Measure("tilt after 3 s [°]", _flat, 1.0, kind=AT_MOST)
REBOUND = Measure("rise after the impact [m]", rebound, None)
SQUEEZED = Measure("least volume per that at rest", least_volume, None, 0.03, AMOUNT)

# pressed to this share, an even cube is stable: docs/experiments.md, Crushed jelly
STABLE = 0.65
PRESSED = (("medium", "quads"), ("medium", "triangles"), ("rubber", "quads"))

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
        "A plate without friction presses a cube of 50 cm to half or 0.65 of its height within a second, and its "
        "volume is measured half a second later: J = 1 − (1 − 2ν) (1/s − 1) at the share s, which is 2ν at half. The "
        "tolerance is three points.",
        [_pressed_probe(name, kind, share) for share in (0.5, STABLE) for name, kind in PRESSED],
        "Below a share of about 0.57 a cube is not stable in its even state: by finite elements two of its modes then "
        "have a negative stiffness. *Medium* reaches J = 0.88 at half, then skews and rolls onto an edge.",
    ),
)
