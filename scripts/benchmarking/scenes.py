# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes that several cases share; all of them without Blender."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from blender_xpbd.geometry.solid.tetrahedra import surface_triangles
from blender_xpbd.scene.body import Body, Pins, Tetrahedralization
from blender_xpbd.scene.body_contact import BodyContact
from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange, SolverSettings

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

FRAMES = 250
CLOTH_SIDE = 100
SECONDS_PER_FRAME = 1 / 24
# frames after the start at which the strain of a cloth is told
LOOKED_AT = (24, 60)


def square(side: int, height: float = 0.0) -> tuple[Floats, Ints]:
    """Vertices of a square of 1 m, row by row, and the corners of its quads, shape (quads, 4)."""
    line = np.linspace(-0.5, 0.5, side)
    positions = np.stack([np.tile(line, side), np.repeat(line, side), np.full(side**2, height)], axis=1)
    index = np.arange(side**2, dtype=np.int32).reshape(side, side)
    return positions, np.stack([index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]], axis=-1).reshape(-1, 4)


def cloth_body(side: int, bending_model: str = "DISTANCE", identifier: str = "b0", height: float = 0.0) -> Body:
    """A rigid cloth of 1 m, pinned at two corners, released flat."""
    positions, quads = square(side, height)
    material = Material(
        stiffness_input="COMPLIANCE",
        stretch_compliance=1e-8,
        bending_compliance=1e-8 if bending_model == "DISTANCE" else 1e3,
        bending_model=bending_model,
        area_density=1e4,
        internal_damping=0.0,
    )
    pinned = np.array([0, side - 1], np.int32)
    pins = Pins(pinned, np.ones(2, np.float32), positions[None, pinned])
    sizes = np.full(len(quads), 4, np.int32)
    return Body(identifier, identifier, "CLOTH", positions, sizes, quads.ravel(), material, pins)


def strain_columns(positions: npt.NDArray[Any], side: int, frame: int) -> dict[str, float]:
    """Mean and 99th percentile [%] over the rows and columns of a square of 1 m, as the peers are measured."""
    grid = positions.reshape(side, side, 3)
    lengths = [np.linalg.norm(np.diff(grid, axis=axis), axis=2).ravel() for axis in range(2)]
    strain = np.concatenate(lengths) * (side - 1) - 1.0
    return {
        f"mean % f{frame}": 100.0 * float(np.abs(strain).mean()),
        f"p99 % f{frame}": 100.0 * float(np.percentile(strain, 99)),
    }


def scene_of(bodies: tuple[Body, ...], colliders: tuple[Collider, ...] = (), **settings: Any) -> Scene:
    """A scene of the benchmark's length."""
    return Scene(bodies, colliders, FrameRange(1, FRAMES, 1, SECONDS_PER_FRAME), SolverSettings(**settings))


def cloth_scene(bending_model: str, substeps: int, device: str, side: int = CLOTH_SIDE, **settings: Any) -> Scene:
    """The rigid cloth."""
    return scene_of((cloth_body(side, bending_model),), substeps=substeps, device=device, **settings)


def many_cloths(count: int, side: int, substeps: int, device: str) -> Scene:
    """Cloths one above the other, which do not meet: they would hang in each other, ten deep."""
    bodies = [cloth_body(side, identifier=f"b{number}", height=0.1 * number) for number in range(count)]
    alone = BodyContact(body_collision=False)
    bodies = [replace(body, name=body.identifier, contact=alone) for body in bodies]
    return scene_of(tuple(bodies), substeps=substeps, device=device)


def floor() -> Collider:
    """A plane at height 0."""
    return Collider("c0", "Floor", "PLANE", np.eye(4)[None])


def cube_tetrahedra(cells: int) -> tuple[Floats, Ints]:
    """A cube of 1 m that stands on height 0: vertices, and six tetrahedra around a diagonal of every cell (Kuhn)."""
    line = np.linspace(0.0, 1.0, cells + 1)
    vertices = np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1).reshape(-1, 3)
    index = np.arange(len(vertices), dtype=np.int32).reshape((cells + 1,) * 3)
    corner = {
        (i, j, k): index[i : i + cells, j : j + cells, k : k + cells].ravel()
        for i in range(2)
        for j in range(2)
        for k in range(2)
    }
    tetrahedra = []
    for axes in itertools.permutations(range(3)):
        walk = [(0, 0, 0)]
        for axis in axes:
            step = list(walk[-1])
            step[axis] = 1
            walk.append((step[0], step[1], step[2]))
        # odd permutations walk the other way round
        is_odd = np.linalg.det(np.eye(3)[list(axes)]) < 0.0
        ends = [walk[k] for k in ((0, 2, 1, 3) if is_odd else (0, 1, 2, 3))]
        tetrahedra.append(np.stack([corner[end] for end in ends], axis=1))
    return vertices, np.concatenate(tetrahedra)


def jelly_scene(cells: int, youngs_modulus: float, device: str, **settings: Any) -> Scene:
    """A cube of jelly, 1000 kg/m³, Poisson's ratio 0.3, dropped from 0.5 m onto a floor."""
    vertices, tetrahedra = cube_tetrahedra(cells)
    vertices += np.array([0.0, 0.0, 0.5])
    surface = surface_triangles(tetrahedra)
    used, corners = np.unique(surface, return_inverse=True)
    material = Material(
        youngs_modulus=youngs_modulus, poissons_ratio=0.3, density=1000.0, internal_damping=0.0, friction=0.0
    )
    body = Body(
        "b0",
        "Cube",
        "JELLY",
        vertices[used],
        np.full(len(surface), 3, np.int32),
        corners.ravel().astype(np.int32),
        material,
        tetrahedralization=Tetrahedralization("FILE", vertices=vertices, tetrahedra=tetrahedra),
    )
    return scene_of((body,), (floor(),), device=device, **settings)
