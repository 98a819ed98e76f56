# SPDX-License-Identifier: GPL-3.0-or-later
"""Solid bodies that slide and bounce: friction whatever the iterations, restitution of whole bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from blender_xpbd.bodies.body_model import BodyModel
from blender_xpbd.bodies.kinds import build_body
from blender_xpbd.scene.body import Body, Tetrahedralization
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.presets import preset_values
from blender_xpbd.scene.settings import SolverSettings
from blender_xpbd.solver.solver import Solver

from .case import Case, Curve, Plot, Result, Row, absolute, at_most, relative
from .contact import plane, tilt
from .meshes import jelly, lattice_box
from .simulation import GRAVITY, positions_of, run, start

Floats = npt.NDArray[np.float64]

SLOPE = np.radians(30.0)
FRICTION = 0.25
HEIGHT = 0.5
RUBBER = {**preset_values("RUBBER", "JELLY"), "contact_offset": 0.0}
# hard: it rebounds by its restitution alone
HARD = {**RUBBER, "youngs_modulus": 1e9}


def block(**values: float) -> BodyModel:
    """A cube of 0.2 m of 135 tetrahedra on the XY plane."""
    vertices, tetrahedra = lattice_box((0.2, 0.2, 0.2), (3, 3, 3))
    return jelly(vertices, tetrahedra, **{**RUBBER, **values})


def single(**values: float) -> BodyModel:
    """A regular tetrahedron that stands on a face, of one cell."""
    vertices = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) * 0.07
    axis = np.array([[1, 1, -2], [-1, 1, 0], [1, 1, 1]]) / np.sqrt([[6], [2], [3]])
    vertices = vertices @ axis.T
    return jelly(vertices - [0.0, 0.0, vertices[:, 2].min()], np.array([[0, 2, 1, 3]]), **{**HARD, **values})


def ball(**values: float) -> BodyModel:
    """A ball of 0.2 m in a cage."""
    around, down = np.arange(20) * np.pi / 10, np.arange(1, 10) * np.pi / 10
    belt = np.stack(
        [
            np.outer(np.cos(around), np.sin(down)),
            np.outer(np.sin(around), np.sin(down)),
            np.outer(np.ones(20), np.cos(down)),
        ],
        axis=-1,
    )
    points = np.concatenate([belt.reshape(-1, 3), [[0, 0, 1], [0, 0, -1]]]) * 0.1 + [0.0, 0.0, 0.1]
    first = np.arange(180).reshape(20, 9)
    after = np.roll(first, -1, axis=0)
    quads = [first[:, :-1], first[:, 1:], after[:, 1:], after[:, :-1]]
    sides = np.stack(quads, axis=-1).reshape(-1, 4)[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
    north = np.stack([np.full(20, 180), first[:, 0], after[:, 0]], axis=1)
    south = np.stack([np.full(20, 181), after[:, -1], first[:, -1]], axis=1)
    triangles = np.concatenate([sides, north, south]).astype(np.int32)
    material = Material.from_values({**HARD, **values})
    sizes = np.full(len(triangles), 3, np.int32)
    cage = Tetrahedralization("CAGE", 6)
    body = Body("b0", "Ball", "JELLY", points, sizes, triangles.ravel(), material, tetrahedralization=cage)
    return build_body(body, SolverSettings())


def centre_of(solver: Solver) -> Floats:
    """Centre of mass [m]."""
    masses = 1.0 / solver.system.inverse_masses
    centre: Floats = masses @ positions_of(solver) / masses.sum()
    return centre


def friction() -> Result:
    """½ g (sin θ − μ cos θ) (1 s² − ¼ s²), whatever the iterations."""
    expected = 0.5 * GRAVITY * (np.sin(SLOPE) - FRICTION * np.cos(SLOPE)) * 0.75
    rows: list[Row] = []
    curves = []
    for iterations in (1, 2, 4):
        model = block(friction=FRICTION)
        model = replace(model, positions=model.positions @ tilt(SLOPE).T)
        solver = start(model, 20, iterations, colliders=[plane(SLOPE, FRICTION)])
        origin, path = centre_of(solver), [0.0]
        for _ in range(24):
            run(solver, 1)
            path.append(float(np.linalg.norm(centre_of(solver) - origin)))
        label = "1 iteration" if iterations == 1 else f"{iterations} iterations"
        rows.append(relative(f"path from ½ to 1 s, {label} [m]", expected, path[24] - path[12], 0.03))
        curves.append(Curve(label, np.arange(25) / 24, path))
    return Result(tuple(rows), Plot("time [s]", "path [m]", tuple(curves)))


def rebound_of(model: BodyModel, restitution: float) -> list[float]:
    """Heights of the centre of mass above where it is when the body stands [m], frame by frame."""
    body = replace(model.body, material=replace(model.body.material, restitution=restitution))
    lifted = replace(model, body=body, positions=model.positions + np.array([0.0, 0.0, HEIGHT]))
    solver = start(lifted, 20, colliders=[plane()])
    rest = centre_of(solver)[2] - HEIGHT
    heights = [HEIGHT]
    for _ in range(26):
        run(solver, 1)
        heights.append(float(centre_of(solver)[2] - rest))
    return heights


def bounce() -> Result:
    """e² h for hard bodies; for soft ones never lower than with a smaller e."""
    rows: list[Row] = []
    curves = []
    for name, model in (("tetrahedron", single()), ("cube", block(youngs_modulus=1e9)), ("ball", ball())):
        for restitution in (0.0, 0.5, 0.8, 1.0):
            heights = rebound_of(model, restitution)
            highest = max(heights[9:]) if restitution else max(heights[12:])
            label = f"hard {name}, e = {restitution}: rebound from {HEIGHT} m [m]"
            expected = restitution**2 * HEIGHT
            within = relative(label, expected, highest, 0.05) if restitution else absolute(label, 0.0, highest, 0.01)
            rows.append(within)
            if restitution == 0.8:
                curves.append(Curve(f"hard {name}, e = 0.8", np.arange(27) / 24, heights))
    before = 0.0
    for restitution in (0.0, 0.5, 0.8, 1.0):
        heights = rebound_of(block(), restitution)
        highest = max(heights[10:])
        rows.append(at_most(f"rubber cube, e = {restitution}: lower than with less [m]", 0.002, before - highest))
        before = highest
        curves.append(Curve(f"rubber cube, e = {restitution}", np.arange(27) / 24, heights, "--"))
    return Result(tuple(rows), Plot("time [s]", "height [m]", tuple(curves)), "Rubber rebounds by itself as well.")


CASES = (
    Case(
        "friction",
        "Friction and iterations",
        "A rubber cube on a slope of 30° with μ = 0.25 slides with g (sin θ − μ cos θ), whatever the iterations.",
        friction,
        quick=True,
    ),
    Case(
        "bounce",
        "Rebound of whole bodies",
        "A hard body dropped from 0.5 m rises to e² h; rubber never rises lower for a greater e.",
        bounce,
        quick=True,
    ),
)
