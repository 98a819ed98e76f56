# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets and blocks of unlike meshes that meet, and a solver of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from contact_cases import objects, shapes

from blender_xpbd.scene.body import Body, Pins
from blender_xpbd.scene.body_contact import BodyContact
from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.scene import Scene, validate
from blender_xpbd.scene.settings import FrameRange, SolverSettings
from blender_xpbd.scene.track import SCENE_TARGET, Track
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import build_system

from ..meshes import Floats, grid
from ..simulation import GRAVITY, positions_of

FRAME = 1.0 / 24.0
SHEETS = ("quads", "triangles", "irregular")
BLOCKS = ("cube", "puck", "hexagon")
# width of a block [m]
SIZE = 0.2
# how thick all surfaces are, so that a body may start at the very gap that is kept [m]
THICKNESS = 0.004
# no drag and no calming: what is left is contact and elasticity
BARE = {"damping": 0.0, "internal_damping": 0.0}


def sheet(name: str, pattern: str, size: float, cells: int, height: float = 0.0, **values: float) -> Body:
    """A level sheet of cotton about the Z axis.

    Args:
        name: of the body.
        pattern: of ``SHEETS``; irregular ones have vertices moved by a fifth of a cell within the plane.
        size: of its sides [m].
        cells: a side.
        height: above the XY plane [m].
        values: of the material.
    """
    positions, sizes, corners = grid(size, size, cells, cells, "crossed" if pattern == "irregular" else pattern)
    positions = positions - [0.5 * size, 0.5 * size, 0.0]
    if pattern == "irregular":
        inner = np.abs(positions[:, :2]).max(axis=1) < 0.5 * size - 1e-9
        shift = np.random.default_rng(0).uniform(-0.2, 0.2, (len(positions), 2)) * size / cells
        positions[inner, :2] += shift[inner]
    mesh = positions + np.array([0.0, 0.0, height]), corners.reshape(len(sizes), -1)
    return _apart_from_itself(objects.cloth(name, mesh, "COTTON", None, **{**BARE, **values}))


def block(
    name: str, shape: str, height: float = 0.0, preset: str = "RUBBER", size: float = SIZE, **values: float
) -> Body:
    """A body in a cage of four cells that stands on a height [m]: flat above and below, of one of ``BLOCKS``."""
    mesh = block_mesh(shape, size)
    mesh = shapes.moved(mesh, 0.0, 0.0, height - float(mesh[0][:, 2].min()))
    return _apart_from_itself(objects.jelly(name, mesh, preset, 4, **{**BARE, **values}))


def block_mesh(shape: str, size: float = SIZE) -> shapes.Mesh:
    """A cube of quads, or half as high a round puck of triangles or a prism of six sides of few and long ones."""
    if shape == "cube":
        return shapes.box((size, size, size), (4, 4, 4))
    around, rows = (16, 5) if shape == "puck" else (6, 2)
    curve = np.linspace([0.0, 0.0, 0.0], [0.0, 0.0, 0.5 * size], rows)
    return shapes.tube(curve, np.full(rows, 0.5 * size), around)


def slab(size: float = 0.6, **values: float) -> Body:
    """A square sheet of rubber of 3 cm, all of whose vertices are pinned; its upper side lies in the XY plane."""
    mesh = shapes.moved(shapes.box((size, size, 0.03), (6, 6, 1)), 0.0, 0.0, -0.015)
    body = objects.jelly("slab", mesh, "RUBBER", 12, **{**BARE, **values})
    return replace(_apart_from_itself(body), pins=pinned(mesh[0]))


def pinned(positions: Floats) -> Pins:
    """All vertices, held where they are."""
    return objects.held(np.arange(len(positions)), positions[None])


def _apart_from_itself(body: Body) -> Body:
    return replace(body, contact=BodyContact(thickness=THICKNESS))


def tilting(angles: Floats) -> tuple[Track, ...]:
    """Gravity in the frame of a slope that falls towards +X, by its angle at each frame [rad], shape (frames,)."""
    return (
        Track(SCENE_TARGET, "gravity_x", GRAVITY * np.sin(angles)),
        Track(SCENE_TARGET, "gravity_z", -GRAVITY * np.cos(angles)),
    )


def meeting(
    bodies: Sequence[Body],
    colliders: Sequence[Collider] = (),
    frame: float = FRAME,
    tracks: tuple[Track, ...] = (),
    gravity: float = GRAVITY,
    **settings: int,
) -> Solver:
    """A solver of bodies that meet, at 20 substeps of one iteration unless the settings say otherwise.

    Args:
        bodies: that meet.
        colliders: that they meet too.
        frame: duration of a frame [s].
        tracks: of one length.
        gravity: downwards, where no track says otherwise [m/s²].
        settings: substeps, iterations.
    """
    frames = FrameRange(1, max([2, *(len(track.values) for track in tracks)]), 1, frame)
    down = np.array([0.0, 0.0, -gravity])
    chosen = SolverSettings.from_values({"device": "CPU", **settings})
    scene = Scene(tuple(bodies), tuple(colliders), frames, chosen, down, tracks=tracks)
    validate(scene)
    return Solver(build_system(scene))


def centre_of(solver: Solver, body: int) -> Floats:
    """Centre of mass of what is free of one body [m]."""
    first, last = solver.system.starts[body : body + 2]
    weights = masses_of(solver)[first:last]
    centre: Floats = weights @ positions_of(solver)[first:last] / weights.sum()
    return centre


def masses_of(solver: Solver) -> Floats:
    """Of all particles, 0 where they are fixed [kg]."""
    inverse = solver.system.inverse_masses
    masses: Floats = np.divide(1.0, inverse, out=np.zeros(len(inverse)), where=inverse > 0.0)
    return masses


def vertices_of(solver: Solver, body: int) -> Floats:
    """World positions of a body's mesh [m]."""
    counts = [model.body.vertex_count for model in solver.system.models]
    first = sum(counts[:body])
    surface: Floats = solver.surface(solver.positions()).astype(np.float64) + solver.system.origin
    return surface[first : first + counts[body]]


def set_velocities(solver: Solver, velocities: Floats) -> None:
    """Start all particles with velocities of their own [m/s], shape (particles, 3)."""
    state = solver.checkpoint()
    # that of what rests at first is not 0 in gravity: it is the mean over the first substep
    state["velocities"][: len(velocities), :3] = state["velocities"][: len(velocities), :3].astype(float) + velocities
    solver.restore(0, state)
