# SPDX-License-Identifier: GPL-3.0-or-later
"""A few small scenes that together use most of the solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from blender_xpbd.scene.body import Attachment, Body, Pins, Tetrahedralization
from blender_xpbd.scene.body_contact import BodyContact
from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange, SolverSettings

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

FRAMES = FrameRange(1, 9, 1, 1 / 24)
CUBE = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
CUBE_QUADS = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]], np.int32)
CUBE_TRIANGLES = np.concatenate([CUBE_QUADS[:, [0, 1, 2]], CUBE_QUADS[:, [0, 2, 3]]])


def hanging_cloth() -> Scene:
    """Cloth of springs with coarse levels, pinned at an edge that turns, over a sphere."""
    body = _sheet("b0", 14, 1.0, 0.0, stretch_stiffness=1e5, damping_time=1e-3)
    edge = np.arange(14, dtype=np.int32)
    weights = np.where(edge % 5 == 2, 0.5, 1.0).astype(np.float32)
    pinned = replace(body, pins=Pins.following(edge, weights, _turn(0.2)))
    ball = Collider("c0", "Ball", "SPHERE", _turn(0.0), radius=0.3, friction=0.3)
    return Scene((pinned,), (ball,), FRAMES, SolverSettings(substeps=10))


def dropped_jelly() -> Scene:
    """Soft neo-Hookean jelly that is thrown onto a tilted plane."""
    body = _box("b0", 0.3, 0.05, youngs_modulus=3e4, restitution=0.3)
    thrown = replace(body, velocity=np.array([0.5, 0.1, -1.5]))
    plane = _turn(0.0)[:1]
    plane[0, :3, :3] = [[0.96, 0.0, 0.28], [0.0, 1.0, 0.0], [-0.28, 0.0, 0.96]]
    return Scene((thrown,), (Collider("c0", "Slope", "PLANE", plane),), FRAMES, SolverSettings(substeps=8))


def stiff_jelly() -> Scene:
    """Jelly so stiff that it starts warm, and co-rotated jelly attached to it, both by BDF2."""
    stiff = _box("b0", 0.3, 0.2, youngs_modulus=3e6)
    held = Attachment("b0", np.arange(4, dtype=np.int32), np.array([1.0, 0.5, 0.5, 1.0], np.float32))
    other = _box("b1", 0.2, 0.55, solid_model="COROTATED")
    attached = replace(other, attachment=held)
    floor = Collider("c0", "Floor", "PLANE", np.eye(4)[None])
    settings = SolverSettings(substeps=6, time_integration="BDF2")
    return Scene((stiff, attached), (floor,), FRAMES, settings)


def cloth_on_mesh() -> Scene:
    """A membrane with isometric bending, strain limits and shape matching on a mesh that turns; iterated."""
    sheet = _sheet(
        "b0",
        9,
        0.8,
        0.25,
        membrane_model="ISOTROPIC",
        bending_model="ISOMETRIC",
        greatest_stretch=2.0,
        shape_matching="WHOLE",
    )
    box = (CUBE - [0.5, 0.5, 0.5]) * 0.4
    collider = Collider("c0", "Box", "MESH", _turn(0.3), box[None], CUBE_TRIANGLES, friction=0.6)
    return Scene((sheet,), (collider,), FRAMES, SolverSettings(substeps=5, iterations=2))


def balloon_and_springs() -> Scene:
    """A gas in cloth that gives way when pushed, and jelly of springs beside it."""
    material = Material.from_values({"pressure_model": "GAS", "compression_share": 0.2})
    sizes = np.full(len(CUBE_QUADS), 4, np.int32)
    balloon = Body("b0", "Balloon", "CLOTH", CUBE * 0.3 + [0.0, 0.0, 0.1], sizes, CUBE_QUADS.ravel(), material)
    springs = _box("b1", 0.2, 0.1, solid_model="SPRINGS")
    moved = replace(springs, positions=springs.positions + np.array([1.0, 0.0, 0.0]))
    floor = Collider("c0", "Floor", "PLANE", np.eye(4)[None])
    return Scene((balloon, moved), (floor,), FRAMES, SolverSettings(substeps=8))


def sheet_on_jelly() -> Scene:
    """A sheet that meets itself falls on jelly on a box, whose edges both meet."""
    sheet = replace(_sheet("b0", 11, 0.8, 0.52), contact=BodyContact(self_collision=True))
    jelly = _box("b1", 0.3, 0.21)
    box = (CUBE - [0.5, 0.5, 0.0]) * 0.2
    collider = Collider("c0", "Box", "MESH", _turn(0.0)[:1], box[None], CUBE_TRIANGLES, friction=0.6)
    return Scene((sheet, jelly), (collider,), FRAMES, SolverSettings(substeps=6))


SCENES: dict[str, Callable[[], Scene]] = {
    make.__name__: make
    for make in (hanging_cloth, dropped_jelly, stiff_jelly, cloth_on_mesh, balloon_and_springs, sheet_on_jelly)
}


def _sheet(identifier: str, count: int, size: float, height: float, **values: str | float) -> Body:
    line = np.linspace(-size / 2, size / 2, count)
    x, y = np.meshgrid(line, line, indexing="ij")
    positions = np.stack([x.ravel(), y.ravel(), np.full(x.size, height)], axis=1)
    index = np.arange(count * count).reshape(count, count)
    quads = np.stack([index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]], axis=-1).reshape(-1, 4)
    material = Material.from_values(values)
    sizes = np.full(len(quads), 4, np.int32)
    return Body(identifier, "Cloth", "CLOTH", positions, sizes, quads.ravel().astype(np.int32), material)


def _box(identifier: str, size: float, height: float, **values: str | float) -> Body:
    positions = (CUBE - [0.5, 0.5, 0.0]) * size + [0.0, 0.0, height]
    material = Material.from_values(values)
    sizes = np.full(len(CUBE_QUADS), 4, np.int32)
    return Body(
        identifier,
        "Jelly",
        "JELLY",
        positions,
        sizes,
        CUBE_QUADS.ravel(),
        material,
        tetrahedralization=Tetrahedralization("CAGE", 4),
    )


def _turn(angle: float) -> Floats:
    """A turn about X over the frames, from none to an angle."""
    matrices = np.tile(np.eye(4), (FRAMES.count, 1, 1))
    for number, turned in enumerate(np.linspace(0.0, angle, FRAMES.count)):
        cosine, sine = np.cos(turned), np.sin(turned)
        matrices[number, 1:3, 1:3] = [[cosine, -sine], [sine, cosine]]
    return matrices
