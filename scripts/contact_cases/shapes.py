# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes by formula: sheets, boxes, tubes, spheres, ribbons along a curve. Each is (positions, faces of one size)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Mesh = tuple[Floats, Ints]


def sheet(along: int, across: int, length: float = 1.0, width: float = 1.0) -> Mesh:
    """A flat sheet of quads about the origin, ``along`` × ``across`` vertices, along X and Y."""
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, along) * length, np.linspace(-0.5, 0.5, across) * width, indexing="ij")
    return np.stack([x.ravel(), y.ravel(), 0.0 * x.ravel()], axis=1), _quads(along, across, is_closed=False)


def tube(curve: Floats, radii: Floats, around: int, has_caps: bool = True) -> Mesh:
    """A tube of triangles about a curve, shape (points, 3), with a radius at each point."""
    first, second = _frames(curve)
    angle = 2.0 * np.pi * np.arange(around) / around
    ring = np.cos(angle)[:, None, None] * first + np.sin(angle)[:, None, None] * second
    positions = (curve + radii[:, None] * ring).transpose(1, 0, 2).reshape(-1, 3)
    quads = _quads(len(curve), around, is_closed=True)
    # rows follow the curve and columns go round it, so that these face outwards
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])[:, ::-1]
    if has_caps:
        last = len(curve) - 1
        positions = np.concatenate([positions, curve[:1], curve[-1:]])
        k = np.arange(around, dtype=np.int32)
        following = (k + 1) % around
        low = np.stack([following, k, np.full_like(k, len(positions) - 2)], axis=1)
        high = np.stack([last * around + k, last * around + following, np.full_like(k, len(positions) - 1)], axis=1)
        triangles = np.concatenate([triangles, low, high])
    return positions, _outwards(positions, triangles.astype(np.int32)) if has_caps else triangles.astype(np.int32)


def box(size: tuple[float, float, float], cells: tuple[int, int, int] = (1, 1, 1)) -> Mesh:
    """A box of quads about the origin, its sides divided."""
    shape = np.array(cells) + 1
    index = -np.ones(tuple(shape), np.int32)
    places = np.stack(np.meshgrid(*(np.arange(n) for n in shape), indexing="ij"), -1).reshape(-1, 3)
    outside = ((places == 0) | (places == cells)).any(axis=1)
    index[tuple(places[outside].T)] = np.arange(outside.sum())
    positions = (places[outside] / cells - 0.5) * size
    quads = []
    for axis in range(3):
        for end in (0, -1):
            side = np.take(index, end, axis=axis)
            face = np.stack([side[:-1, :-1], side[1:, :-1], side[1:, 1:], side[:-1, 1:]], -1).reshape(-1, 4)
            quads.append(face if (end == -1) ^ (axis == 1) else face[:, ::-1])
    return positions, np.concatenate(quads).astype(np.int32)


def sphere(radius: float, cells: int) -> Mesh:
    """A box of quads blown up to a sphere."""
    positions, quads = box((2.0, 2.0, 2.0), (cells, cells, cells))
    positions = np.tan(positions * np.pi / 4.0)
    return radius * positions / np.linalg.norm(positions, axis=1)[:, None], quads


def capsule(start: Floats, end: Floats, radius: float, along: int = 8, around: int = 12) -> Mesh:
    """A tube with round ends."""
    axis = (end - start) / np.linalg.norm(end - start)
    angle = np.linspace(0.1, np.pi / 2.0, 4)
    low = np.stack([-radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    high = np.stack([radius * np.cos(angle[::-1]), radius * np.sin(angle[::-1])], axis=1)
    body = start + np.linspace(0.0, 1.0, along)[:, None] * (end - start)
    curve = np.concatenate([start + low[:-1, :1] * axis, body, end + high[1:, :1] * axis])
    radii = np.concatenate([low[:-1, 1], np.full(along, radius), high[1:, 1]])
    return tube(curve, radii, around)


def ribbon(curve: Floats, width: float, across: int, side: Floats) -> Mesh:
    """A sheet along a curve; its width lies as near to the direction ``side`` as it can."""
    tangent = _tangents(curve)
    lateral = side - (tangent @ side)[:, None] * tangent
    lateral /= np.linalg.norm(lateral, axis=1)[:, None]
    offsets = np.linspace(-0.5, 0.5, across) * width
    positions = (curve[:, None] + offsets[None, :, None] * lateral[:, None]).reshape(-1, 3)
    return positions, _quads(len(curve), across, is_closed=False)


def turned(mesh: Mesh, axis: int, angle: float) -> Mesh:
    """The mesh turned about X, Y or Z [rad]."""
    return mesh[0] @ rotation(axis, angle).T, mesh[1]


def moved(mesh: Mesh, *offset: float) -> Mesh:
    """The mesh moved."""
    return mesh[0] + np.array(offset), mesh[1]


def rotation(axis: int, angle: float) -> Floats:
    """Rotation matrix about X, Y or Z [rad]."""
    u, v = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.eye(3)
    matrix[u, u] = matrix[v, v] = np.cos(angle)
    matrix[v, u] = np.sin(angle)
    matrix[u, v] = -matrix[v, u]
    return matrix


def triangles_of(mesh: Mesh) -> Ints:
    """The faces as triangles."""
    faces = mesh[1]
    if faces.shape[1] == 3:
        return faces
    return np.concatenate([faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]])


def joined(*meshes: Mesh) -> Mesh:
    """Several meshes as triangles of one."""
    starts = np.cumsum([0, *(len(mesh[0]) for mesh in meshes)])
    faces = [triangles_of(mesh) + start for mesh, start in zip(meshes, starts, strict=False)]
    return np.concatenate([mesh[0] for mesh in meshes]), np.concatenate(faces).astype(np.int32)


def _quads(rows: int, columns: int, *, is_closed: bool) -> Ints:
    index = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    following = np.roll(index, -1, axis=1) if is_closed else index[:, 1:]
    here = index if is_closed else index[:, :-1]
    return np.stack([here[:-1], here[1:], following[1:], following[:-1]], -1).reshape(-1, 4).astype(np.int32)


def _tangents(curve: Floats) -> Floats:
    tangent = np.gradient(curve, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1)[:, None]
    return tangent


def _frames(curve: Floats) -> tuple[Floats, Floats]:
    """Two normals at each point of a curve that turn as little as possible along it."""
    tangent = _tangents(curve)
    start = np.eye(3)[np.abs(tangent[0]).argmin()]
    first = np.empty_like(curve)
    before = start
    for k, direction in enumerate(tangent):
        before = before - before.dot(direction) * direction
        before /= np.linalg.norm(before)
        first[k] = before
    return first, np.cross(tangent, first)


def _outwards(positions: Floats, triangles: Ints) -> Ints:
    a, b, c = (positions[triangles[:, k]] for k in range(3))
    return triangles if np.einsum("ij,ij->", a, np.cross(b, c)) > 0.0 else triangles[:, ::-1]
