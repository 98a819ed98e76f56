# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that fly: how drag slows their fall, and how long they spin."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from contact_cases import shapes

from blender_xpbd.scene.body import Body, Tetrahedralization
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.presets import preset_values
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange, SolverSettings
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import build_system

from ..case import Case, Curve, Plot, Result, Row, relative
from .meshes import ball, centres, cube, sheet, values
from .probe import Measure, Probe, product_case
from .shot import FRAMES_PER_SECOND, Baked, Floats, Shot, Thing

KINDS = ("sheet", "ball", "cube")
FALL_DRAG, STRONG_DRAG = 2.0, 12.0
GRAVITY = 9.81
SPIN, SECONDS = 12.5, 4


def dropped(kind: str, drag: float) -> Shot:
    """A sheet, a ball or a cube that falls for a second."""
    meshes = {
        "sheet": sheet("quads", 1.0, 1.0, 10, 10),
        "ball": ball("coarse", 0.5, 0.0),
        "cube": cube("quads", 1.0, 0.0),
    }
    settings = values("CLOTH" if kind == "sheet" else "JELLY", "COTTON" if kind == "sheet" else "", damping=drag)
    return Shot((Thing("Body", *meshes[kind], settings),), FRAMES_PER_SECOND)


def fallen(baked: Baked) -> float:
    """How far the body has fallen [m]."""
    heights = centres(baked.motion)[:, 2]
    return float(heights[0] - heights[-1])


def last_speed(baked: Baked) -> float:
    """Speed of the last frame [m/s]."""
    heights = centres(baked.motion)[:, 2]
    return float(heights[-2] - heights[-1]) * FRAMES_PER_SECOND


FALL = GRAVITY / FALL_DRAG * (1.0 - (1.0 - np.exp(-FALL_DRAG)) / FALL_DRAG)
FALLEN = Measure("fall in 1 s with a drag of 2/s [m]", fallen, float(FALL), 0.005)
SPEED = Measure("speed after 1 s with a drag of 12/s [m/s]", last_speed, GRAVITY / STRONG_DRAG, 0.005)


def spinning() -> Result:
    """Nothing takes angular momentum in vacuum."""
    rows: list[Row] = []
    curves = []
    bodies: dict[str, Callable[[], shapes.Mesh]] = {
        "bar": lambda: shapes.box((1.0, 0.2, 0.2), (16, 4, 4)),
        "cross": lambda: shapes.joined(shapes.box((1.0, 0.2, 0.2), (8, 2, 2)), shapes.box((0.2, 1.0, 0.2), (2, 8, 2))),
        "ball": lambda: shapes.sphere(0.5, 6),
    }
    for name, make in bodies.items():
        kept = _spin(make())
        rows.append(relative(f"{name}: angular momentum kept after {SECONDS} s", 1.0, float(kept[-1]), 0.01))
        curves.append(Curve(name, np.arange(len(kept)) / FRAMES_PER_SECOND, kept))
    return Result(tuple(rows), Plot("time [s]", "angular momentum kept", tuple(curves)))


def _spin(mesh: shapes.Mesh) -> Floats:
    """Share of the angular momentum about Z that a firm jelly keeps, at each frame."""
    faces = mesh[1]
    body = Body(
        "body",
        "Body",
        "JELLY",
        mesh[0],
        np.full(len(faces), faces.shape[1], np.int32),
        faces.ravel(),
        Material.from_values(preset_values("JELLY_FIRM", "JELLY")),
        tetrahedralization=Tetrahedralization(),
    )
    frames = FrameRange(1, 2, 1, 1.0 / FRAMES_PER_SECOND)
    solver = Solver(build_system(Scene((body,), (), frames, SolverSettings(device="CPU"), np.zeros(3))))
    state = solver.checkpoint()
    masses = 1.0 / solver.system.inverse_masses
    count = len(masses)
    places = state["positions"][:count, :3].astype(np.float64)
    arms = places - masses @ places / masses.sum()
    state["velocities"][:count, :3] = np.cross([0.0, 0.0, SPIN], arms)
    solver.restore(0, state)
    found = [_momentum(solver, masses)]
    for _ in range(SECONDS * FRAMES_PER_SECOND):
        solver.advance()
        found.append(_momentum(solver, masses))
    return np.array(found) / found[0]


def _momentum(solver: Solver, masses: Floats) -> float:
    """Angular momentum about Z and the centre of mass [kg m²/s]."""
    state = solver.checkpoint()
    places, speeds = (state[name][: len(masses), :3].astype(np.float64) for name in ("positions", "velocities"))
    arms, relative_speeds = (values - masses @ values / masses.sum() for values in (places, speeds))
    return float(masses @ np.cross(arms, relative_speeds)[:, 2])


CASES = (
    product_case(
        "product_drag",
        "fall with drag",
        "Bodies fall with a drag of k = 2/s by g/k (t − (1 − e^(−kt))/k) in a second, and with 12/s at g/k.",
        [
            *(Probe(kind, dropped(kind, FALL_DRAG), (FALLEN,)) for kind in KINDS),
            *(Probe(f"{kind}, strong drag", dropped(kind, STRONG_DRAG), (SPEED,)) for kind in KINDS),
        ],
    ),
    Case(
        "product_spin",
        "Default settings: spin in vacuum",
        "Bodies of the preset Jelly, Firm, spin by 12.5 rad/s without gravity, at 20 substeps of one iteration and "
        "resolution 16. The add-on has no initial spin, so these are run without it.",
        spinning,
    ),
)
