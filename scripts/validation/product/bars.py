# SPDX-License-Identifier: GPL-3.0-or-later
"""How stiff the cage is: bars that hang from one end under a little weight."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from contact_cases import shapes

from blender_xpbd.scene.presets import preset_values

from .meshes import values
from .probe import Measure, Probe, product_case
from .shot import Baked, Shot, Thing

LENGTH, WIDTH = 1.0, 0.2
# weak, so that the bar bends by a thirtieth of its length [m/s²]; drag lets it come to rest [1/s]
GRAVITY, DRAG, FRAMES = 0.05, 3.0, 144
# sag of a clamped bar per theory by its thickness: the held end cannot contract, which matters at ν = 0.45. By finite
# elements of 27 nodes, 40 × 6 × 6 of them (docs/experiments.md, Stiffness of a cage)
CLAMPED = {0.2: 0.957, 0.05: 0.948, 0.025: 0.94}
MEDIUM = preset_values("JELLY_MEDIUM", "JELLY")
POISSON, DENSITY = float(MEDIUM["poissons_ratio"]), float(MEDIUM["density"])


def modulus(thickness: float) -> float:
    """Young's modulus with which bars of all thicknesses bend alike; the preset's where as thick as wide [Pa]."""
    return float(MEDIUM["youngs_modulus"]) * (WIDTH / thickness) ** 2


def bar(thickness: float = WIDTH, roll: float = 0.0, yaw: float = 0.0, resolution: int = 16) -> Shot:
    """A bar of jelly along X that is held at one end, turned about its axis and then about Z [degrees]."""
    mesh = shapes.box((LENGTH, WIDTH, thickness), (20, 4, 4))
    held = np.flatnonzero(mesh[0][:, 0] < -0.5 * LENGTH + 1e-9).astype(np.int32)
    mesh = shapes.turned(shapes.turned(mesh, 0, np.radians(roll)), 2, np.radians(yaw))
    settings = dict(values("JELLY", damping=DRAG))
    if resolution != 16:
        settings["cage_resolution"] = resolution
    if thickness != WIDTH:
        settings["youngs_modulus"] = modulus(thickness)
    return Shot((Thing("Bar", *mesh, settings, pinned=held),), FRAMES, gravity=GRAVITY)


def sag_per_theory(thickness: float) -> Callable[[Baked], float]:
    """How far the tip has sunk per w L⁴/(8EI) + w L²/(2κGA), less what a clamp takes."""
    young, shape = modulus(thickness), 10.0 * (1.0 + POISSON) / (12.0 + 11.0 * POISSON)
    bending = 12.0 * DENSITY * GRAVITY * LENGTH**4 / (8.0 * young * thickness**2)
    shear = DENSITY * GRAVITY * LENGTH**2 * (1.0 + POISSON) / (shape * young)

    def measure(baked: Baked) -> float:
        (thing,) = baked.shot.things
        from_end = np.linalg.norm(thing.positions - thing.positions[thing.pinned].mean(axis=0), axis=1)
        tip = np.argsort(from_end)[-9:]
        return float(
            (baked.motion[0, tip, 2] - baked.motion[-1, tip, 2]).mean() / (CLAMPED[thickness] * (bending + shear))
        )

    return measure


def _probe(name: str, tolerance: float, shot: Shot, thickness: float = WIDTH) -> Probe:
    measure = Measure("sag of the tip per theory", sag_per_theory(thickness), 1.0, tolerance)
    return Probe(name, shot, (measure,), 160)


CASES = (
    product_case(
        "product_bars",
        "bars that hang from one end",
        "Bars of 1 m by 20 cm, held at one end, bend under their weight: w L⁴/(8EI) + w L²/(2κGA), less the 4 to 6 % "
        "that finite elements have less, because the held end cannot contract. At resolution 16 a cell is 62 mm, so a "
        "bar of 20 cm is 3.2 cells thick.",
        [
            _probe("20 cm thick, along an axis", 0.05, bar()),
            _probe("20 cm thick, rolled by 45°", 0.05, bar(roll=45.0)),
            _probe("20 cm thick, turned by 30°", 0.05, bar(yaw=30.0)),
            _probe("20 cm thick, resolution 8", 0.1, bar(resolution=8)),
            _probe("5 cm thick", 0.05, bar(0.05), 0.05),
            _probe("2.5 cm thick", 0.05, bar(0.025), 0.025),
        ],
        "A bar of 5 cm is 0.8 cells thick, one of 2.5 cm 0.4 cells; they are so much stiffer that they bend alike.",
    ),
)
