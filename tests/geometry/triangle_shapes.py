# SPDX-License-Identifier: GPL-3.0-or-later
"""Triangle meshes for tests, and slow sure answers about them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mesh = tuple[Floats, Ints]


def grid_mesh(columns: int, rows: int, wrap_columns: bool = False, wrap_rows: bool = False) -> tuple[Floats, Ints]:
    """Parameters (u, v) in 0..1 and triangles of a grid of quads; where it wraps, the last line is the first."""
    u_count, v_count = columns + (not wrap_columns), rows + (not wrap_rows)
    u, v = np.meshgrid(np.arange(u_count) / columns, np.arange(v_count) / rows, indexing="ij")
    i, j = (index.ravel() for index in np.meshgrid(np.arange(columns), np.arange(rows), indexing="ij"))
    i_next, j_next = (i + 1) % u_count, (j + 1) % v_count
    a, b, c, d = i * v_count + j, i_next * v_count + j, i_next * v_count + j_next, i * v_count + j_next
    return np.stack([u.ravel(), v.ravel()], axis=1), np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def plane(cells: int = 4, size: float = 2.0) -> Mesh:
    parameters, triangles = grid_mesh(cells, cells)
    return np.column_stack([(parameters - 0.5) * size, np.zeros(len(parameters))]), triangles


def bowl(rings: int = 8, segments: int = 16) -> Mesh:
    """The lower half of the unit sphere, open at the top; the pole's triangles degenerate."""
    parameters, triangles = grid_mesh(segments, rings, wrap_columns=True)
    around, down = 2.0 * np.pi * parameters[:, 0], 0.5 * np.pi * (1.0 + parameters[:, 1])
    positions = np.stack([np.sin(down) * np.cos(around), np.sin(down) * np.sin(around), np.cos(down)], axis=1)
    positions[np.abs(down - np.pi) < 1e-9] = (0.0, 0.0, -1.0)
    return positions, triangles


def torus(segments: int = 16, sides: int = 8) -> Mesh:
    parameters, triangles = grid_mesh(segments, sides, wrap_columns=True, wrap_rows=True)
    u, v = 2.0 * np.pi * parameters.T
    ring = 1.0 + 0.4 * np.cos(v)
    return np.stack([ring * np.cos(u), ring * np.sin(u), 0.4 * np.sin(v)], axis=1), triangles


def prism(outline: list[tuple[float, float]], caps: list[tuple[int, int, int]], height: float) -> Mesh:
    """An outline, counter-clockwise, made a solid from z = 0 to ``height``."""
    count = len(outline)
    flat = np.array(outline, float)
    positions = np.concatenate([np.column_stack([flat, np.full(count, z)]) for z in (0.0, height)])
    sides = [
        [(i, (i + 1) % count, count + (i + 1) % count), (i, count + (i + 1) % count, count + i)] for i in range(count)
    ]
    walls = [triangle for pair in sides for triangle in pair]
    bottom = [(c, b, a) for a, b, c in caps]
    top = [(a + count, b + count, c + count) for a, b, c in caps]
    return positions, np.array(walls + bottom + top)


def cube() -> Mesh:
    positions, triangles = prism([(-1, -1), (1, -1), (1, 1), (-1, 1)], [(0, 1, 2), (0, 2, 3)], 2.0)
    return positions - (0.0, 0.0, 1.0), triangles


def plate(thickness: float = 1e-3) -> Mesh:
    positions, triangles = cube()
    return positions * (1.0, 1.0, 0.5 * thickness), triangles


def l_shape() -> Mesh:
    outline = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)]
    return prism(outline, [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)], 1.0)


def icosphere(subdivisions: int = 2) -> Mesh:
    t = 0.5 * (1.0 + 5.0**0.5)
    rectangle = np.array([(-1, t, 0), (1, t, 0), (-1, -t, 0), (1, -t, 0)], float)
    positions = np.concatenate([np.roll(rectangle, k, axis=1) for k in range(3)])
    distances = np.linalg.norm(positions[:, None] - positions, axis=2)
    near = np.abs(distances - 2.0) < 1e-9
    triples = [
        (a, b, c) for a in range(12) for b in range(a) for c in range(b) if near[a, b] and near[b, c] and near[a, c]
    ]
    triangles = np.array(triples)
    corners = positions[triangles]
    inward = np.einsum("ti,ti->t", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) < 0.0
    triangles[inward] = triangles[inward][:, ::-1]
    for _ in range(subdivisions):
        edges = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        unique, inverse = np.unique(edges, axis=0, return_inverse=True)
        ab, bc, ca = (len(positions) + inverse.reshape(-1, 3)).T
        a, b, c = triangles.T
        positions = np.concatenate([positions, positions[unique].mean(axis=1)])
        parts = [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        triangles = np.concatenate([np.stack(part, axis=1) for part in parts])
        positions /= np.linalg.norm(positions, axis=1)[:, None]
    return positions / np.linalg.norm(positions, axis=1)[:, None], triangles


CLOSED: dict[str, Callable[[], Mesh]] = {
    "cube": cube,
    "icosphere": icosphere,
    "torus": torus,
    "l_shape": l_shape,
    "plate": plate,
}
SHAPES: dict[str, Callable[[], Mesh]] = CLOSED | {"plane": plane, "bowl": bowl}


def distances_to_triangles(points: Floats, corners: Floats) -> Floats:
    """Every point to every triangle [m], shape (points, triangles)."""
    a, b, c = (corners[None, :, k] for k in range(3))
    p = points[:, None]
    squares = []
    for start, end in ((a, b), (b, c), (c, a)):
        way = end - start
        part = np.clip(((p - start) * way).sum(-1) / (way * way).sum(-1), 0.0, 1.0)
        squares.append(((p - start - part[..., None] * way) ** 2).sum(-1))
    normal = np.cross(b - a, c - a)
    height = ((p - a) * normal).sum(-1) / np.sqrt((normal**2).sum(-1))
    within = np.ones(height.shape, bool)
    for start, end in ((a, b), (b, c), (c, a)):
        within &= (np.cross(normal, end - start) * (p - start)).sum(-1) >= 0.0
    return np.where(within, np.abs(height), np.sqrt(np.min(squares, axis=0)))


def winding_numbers(points: Floats, corners: Floats) -> Floats:
    """1 inside, 0 outside, by solid angles (Van Oosterom & Strackee 1983); shape (points,)."""
    a, b, c = (corners[None, :, k] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(side, axis=-1) for side in (a, b, c))
    top = (a * np.cross(b, c)).sum(-1)
    bottom = la * lb * lc + (a * b).sum(-1) * lc + (b * c).sum(-1) * la + (c * a).sum(-1) * lb
    return np.asarray(np.arctan2(top, bottom).sum(axis=1) / (2.0 * np.pi))


def signed_distances(points: Floats, corners: Floats) -> Floats:
    distances = distances_to_triangles(points, corners).min(axis=1)
    return np.where(winding_numbers(points, corners) > 0.5, -distances, distances)


def crossings(
    starts: Floats, ends: Floats, corners: Floats, slack: float = 0.0
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Where segments cross triangles.

    Args:
        slack: how far outside a triangle (relative areas) still counts; negative: how far inside is asked for.

    Returns:
        part of the way, and whether it crosses; shape (segments, triangles).
    """
    a, b, c = (corners[None, :, k] for k in range(3))
    normal = np.cross(b - a, c - a)
    before = ((starts[:, None] - a) * normal).sum(-1)
    after = ((ends[:, None] - a) * normal).sum(-1)
    apart = before * after < 0.0
    part = before / np.where(apart, before - after, 1.0)
    at = starts[:, None] + part[..., None] * (ends - starts)[:, None]
    area = (normal**2).sum(-1)
    for start, end in ((a, b), (b, c), (c, a)):
        apart &= (np.cross(end - start, at - start) * normal).sum(-1) >= -slack * area
    return part, apart
