# SPDX-License-Identifier: GPL-3.0-or-later
"""Strips of cloth and boxes of tetrahedra."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from blender_xpbd.bodies.body_model import BodyModel
from blender_xpbd.bodies.kinds import build_body
from blender_xpbd.geometry.solid.tetrahedra import surface_triangles
from blender_xpbd.scene.body import Body, Pins, Tetrahedralization
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.parameter import Value
from blender_xpbd.scene.settings import SolverSettings

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


def grid(length: float, width: float, along: int, across: int, pattern: str) -> tuple[Floats, Ints, Ints]:
    """A strip along X in the XY plane.

    Args:
        length: along X [m].
        width: along Y [m].
        along: number of cells along X.
        across: number of cells along Y.
        pattern: "quads"; "triangles" all cut the same way; "crossed", cut alternately; or "equilateral", which is so
            inside where a cell is √3/2 times as long as wide.

    Returns:
        positions, face sizes and corners; vertices run across first.
    """
    x, y = np.meshgrid(np.linspace(0, length, along + 1), np.linspace(0, width, across + 1), indexing="ij")
    if pattern == "equilateral":
        # every other column is moved by half a cell; the ends of the columns stay on the strip's edges
        shift = np.where(np.arange(along + 1) % 2 == 1, 0.5 * width / across, 0.0)[:, None]
        inner = (np.arange(across + 1) > 0) & (np.arange(across + 1) < across)
        y = y + np.where(inner[None, :], shift - 0.25 * width / across, 0.0)
    positions = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)
    index = np.arange(x.size, dtype=np.int32).reshape(along + 1, across + 1)
    a, b, c, d = index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]
    if pattern == "quads":
        faces = np.stack([a, b, c, d], axis=-1).reshape(-1, 4)
    else:
        one = np.stack([np.stack([a, b, c], -1), np.stack([a, c, d], -1)], axis=2)
        other = np.stack([np.stack([a, b, d], -1), np.stack([b, c, d], -1)], axis=2)
        columns, rows = np.indices(a.shape)
        odd = {"triangles": 0 * rows, "crossed": (columns + rows) % 2, "equilateral": (columns + 1) % 2}[pattern]
        faces = np.where(odd[..., None, None] == 1, other, one).reshape(-1, 3)
    return positions, np.full(len(faces), faces.shape[1], np.int32), faces.ravel().astype(np.int32)


def disc(radius: float, rings: int) -> tuple[Floats, Ints, Ints]:
    """A disc of near-equilateral triangles in the XY plane: 6·i vertices on ring i."""
    points, starts = [np.zeros((1, 3))], [0, 1]
    for ring in range(1, rings + 1):
        angle = 2.0 * np.pi * np.arange(6 * ring) / (6 * ring)
        size = radius * ring / rings
        points.append(np.stack([size * np.cos(angle), size * np.sin(angle), 0.0 * angle], axis=1))
        starts.append(starts[-1] + 6 * ring)
    triangles = []
    for ring in range(1, rings + 1):
        for sector in range(6):
            for k in range(ring):
                outer = starts[ring] + (sector * ring + k) % (6 * ring)
                after = starts[ring] + (sector * ring + k + 1) % (6 * ring)
                inner = starts[ring - 1] + (sector * (ring - 1) + k) % max(6 * (ring - 1), 1)
                triangles.append((inner, outer, after))
                if k < ring - 1:
                    beside = starts[ring - 1] + (sector * (ring - 1) + k + 1) % (6 * (ring - 1))
                    triangles.append((inner, after, beside))
    corners = np.array(triangles, np.int32)
    return np.concatenate(points), np.full(len(corners), 3, np.int32), corners.ravel()


def cloth(mesh: tuple[Floats, Ints, Ints], fixed: npt.NDArray[np.bool_] | None = None, /, **values: Value) -> BodyModel:
    """A cloth of a mesh, without wobble damping unless it is asked for; ``fixed``: which vertices are pinned."""
    material = Material.from_values({"internal_damping": 0.0, **values})
    vertices = np.zeros(0, np.int32) if fixed is None else np.flatnonzero(fixed).astype(np.int32)
    pins = Pins.following(vertices, np.ones(len(vertices), np.float32), np.eye(4)[None])
    return build_body(Body("b0", "Cloth", "CLOTH", *mesh, material, pins=pins), SolverSettings())


def lattice_box(size: tuple[float, float, float], cells: tuple[int, int, int]) -> tuple[Floats, Ints]:
    """A box of body-centred cubic tetrahedra, as the cage has them: vertices, shape (n, 3), and tetrahedra.

    Between the centres of two neighbouring cells stand four tetrahedra, one on each edge of the face between them;
    a face of the box is cut into two triangles, each with the cell's centre.
    """
    spacing = np.array(size) / cells
    corner_shape = np.array(cells) + 1
    corners = np.stack(np.meshgrid(*(np.arange(n) for n in corner_shape), indexing="ij"), -1).reshape(-1, 3) * spacing
    centres = (np.stack(np.meshgrid(*(np.arange(n) for n in cells), indexing="ij"), -1).reshape(-1, 3) + 0.5) * spacing
    corner = np.arange(len(corners)).reshape(tuple(corner_shape))
    centre = np.arange(len(centres)).reshape(cells) + len(corners)
    tetrahedra: list[tuple[int, ...]] = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for place in np.ndindex(*(n + (i == axis) for i, n in enumerate(cells))):
            face = []
            for du, dv in ((0, 0), (1, 0), (1, 1), (0, 1)):
                at = list(place)
                at[u] += du
                at[v] += dv
                face.append(int(corner[tuple(at)]))
            below = list(place)
            below[axis] -= 1
            has_below, has_above = place[axis] > 0, place[axis] < cells[axis]
            if has_below and has_above:
                low, high = int(centre[tuple(below)]), int(centre[place])
                tetrahedra += [(face[k], face[(k + 1) % 4], low, high) for k in range(4)]
            else:
                apex = int(centre[tuple(below)] if has_below else centre[place])
                turn = sum(place) % 2
                f = face[turn:] + face[:turn]
                tetrahedra += [(f[0], f[1], f[2], apex), (f[0], f[2], f[3], apex)]
    return np.concatenate([corners, centres]), np.array(tetrahedra, np.int32)


def jelly(vertices: Floats, tetrahedra: Ints, **values: Value) -> BodyModel:
    """A jelly of given tetrahedra; particles are its vertices, in their order."""
    material = Material.from_values({"internal_damping": 0.0, **values})
    inside = Tetrahedralization("FILE", vertices=vertices, tetrahedra=tetrahedra)
    surface = surface_triangles(tetrahedra)
    used, corners = np.unique(surface, return_inverse=True)
    sizes = np.full(len(surface), 3, np.int32)
    body = Body(
        "b0",
        "Jelly",
        "JELLY",
        vertices[used],
        sizes,
        corners.ravel().astype(np.int32),
        material,
        tetrahedralization=inside,
    )
    return build_body(body, SolverSettings())
