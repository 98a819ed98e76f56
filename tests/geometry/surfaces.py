# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces for the tests: arrays of vertices and triangles."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from blender_xpbd.geometry.solid.tetrahedra import TETRAHEDRON_EDGES, TETRAHEDRON_FACES


def cube() -> tuple[np.ndarray, np.ndarray]:
    """A cube of side 2 around the origin, 8 vertices."""
    vertices = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    return vertices, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def sphere(segments: int = 24, rings: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """A UV sphere of radius 1."""
    around = np.arange(segments) * 2 * np.pi / segments
    down = np.arange(1, rings) * np.pi / rings
    belt = np.stack(
        [
            np.cos(around)[:, None] * np.sin(down),
            np.sin(around)[:, None] * np.sin(down),
            np.ones(segments)[:, None] * -np.cos(down),
        ],
        axis=-1,
    ).reshape(-1, 3)
    faces = _quads(segments, rings - 1, wrap_second=False)
    i = np.arange(segments)
    j = (i + 1) % segments
    south, north, last = len(belt), len(belt) + 1, rings - 2
    width = rings - 1
    caps = [
        np.stack([np.full(segments, south), j * width, i * width], axis=1),
        np.stack([np.full(segments, north), i * width + last, j * width + last], axis=1),
    ]
    return np.concatenate([belt, [[0, 0, -1], [0, 0, 1]]]), np.concatenate([faces, *caps])


def cone(segments: int = 32) -> tuple[np.ndarray, np.ndarray]:
    """A cone of radius 1 and height 2, its tip on the z axis."""
    around = np.arange(segments) * 2 * np.pi / segments
    rim = np.stack([np.cos(around), np.sin(around), np.full(segments, -1.0)], axis=1)
    i = np.arange(segments)
    sides = np.stack([i, (i + 1) % segments, np.full(segments, segments)], axis=1)
    base = np.stack([np.zeros(segments - 2, dtype=int), i[2:], i[1:-1]], axis=1)
    return np.concatenate([rim, [[0, 0, 1]]]), np.concatenate([sides, base])


def torus(
    segments: int = 32, rings: int = 12, radius: float = 1.0, thickness: float = 0.25
) -> tuple[np.ndarray, np.ndarray]:
    """A torus around the z axis."""
    around = np.arange(segments)[:, None] * 2 * np.pi / segments
    across = np.arange(rings)[None] * 2 * np.pi / rings
    reach = radius + thickness * np.cos(across)
    height = thickness * np.sin(across) * np.ones_like(around)
    vertices = np.stack([np.cos(around) * reach, np.sin(around) * reach, height], axis=-1).reshape(-1, 3)
    return vertices, _quads(segments, rings, wrap_second=True)


def prism(outline: list[tuple[float, float]], caps: list[tuple[int, int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """An outline in x and y (counter-clockwise), with the triangles that fill it, from z = 0 to z = 1."""
    count = len(outline)
    flat = np.array(outline, dtype=float)
    vertices = np.concatenate([np.c_[flat, np.zeros(count)], np.c_[flat, np.ones(count)]])
    faces = [(a, c, b) for a, b, c in caps] + [(a + count, b + count, c + count) for a, b, c in caps]
    for i in range(count):
        j = (i + 1) % count
        faces += [(i, j, j + count), (i, j + count, i + count)]
    return vertices, np.array(faces)


def two_fingers(gap: float) -> tuple[np.ndarray, np.ndarray]:
    """Two fingers of width 1 and length 3 on one base of height 1, with a gap between them."""
    outline = [(0, 0), (2 + gap, 0), (2 + gap, 4), (1 + gap, 4), (1 + gap, 1), (1, 1), (1, 4), (0, 4)]
    return prism(outline, [(0, 1, 4), (0, 4, 5), (1, 2, 3), (1, 3, 4), (0, 5, 6), (0, 6, 7)])


def join(*surfaces: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Several surfaces as one mesh."""
    offsets = np.cumsum([0] + [len(vertices) for vertices, _ in surfaces])
    vertices = np.concatenate([vertices for vertices, _ in surfaces])
    return vertices, np.concatenate([faces + offset for (_, faces), offset in zip(surfaces, offsets, strict=False)])


def enclosed_volume(vertices: np.ndarray, triangles: np.ndarray) -> float:
    """Volume of a closed surface by the divergence theorem."""
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def read_obj(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a Wavefront file that holds triangles only."""
    vertices, faces = [], []
    for line in path.read_text().splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(word) for word in words[1:4]])
        elif words[:1] == ["f"]:
            faces.append([int(word.split("/")[0]) - 1 for word in words[1:]])
    return np.array(vertices), np.array(faces)


def grid_of_quads(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """face_sizes and corners of a grid with so many vertices along its sides."""
    lower = np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)[None]
    corners = np.stack([lower, lower + 1, lower + columns + 1, lower + columns], axis=-1).reshape(-1)
    return np.full((rows - 1) * (columns - 1), 4), corners


def _quads(first: int, second: int, wrap_second: bool) -> np.ndarray:
    """Triangles over a grid of vertices that closes on itself along the first direction."""
    i = np.arange(first)[:, None]
    j = np.arange(second if wrap_second else second - 1)[None]
    right, up = (i + 1) % first, (j + 1) % second
    quads = np.stack([i * second + j, right * second + j, right * second + up, i * second + up], axis=-1).reshape(-1, 4)
    return np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def interpolate(weights: np.ndarray, elements: np.ndarray, tetrahedra: np.ndarray, vertices: np.ndarray) -> np.ndarray:
    """Positions of bound points [m], shape (points, 3).

    Args:
        weights: shape (points, 4).
        elements: tetrahedron of each point, shape (points,).
        tetrahedra: shape (tetrahedra, 4).
        vertices: positions [m] now, shape (vertices, 3).
    """
    corners = np.asarray(vertices, dtype=np.float64)[np.asarray(tetrahedra)[elements]]
    return np.einsum("pc,pcx->px", weights, corners)


def minimum_dihedral_angles(vertices: np.ndarray, tetrahedra: np.ndarray) -> np.ndarray:
    """The smallest angle [rad] between two faces of each tetrahedron, shape (tetrahedra,), float64.

    Zero for a tetrahedron with a face without area.

    Args:
        vertices: positions [m], shape (vertices, 3).
        tetrahedra: shape (tetrahedra, 4).
    """
    points = np.asarray(vertices, dtype=np.float64)[tetrahedra]
    corners = points[:, TETRAHEDRON_FACES]
    normals = np.cross(corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0])
    lengths = np.linalg.norm(normals, axis=2)
    flat = (lengths == 0.0).any(axis=1)
    normals /= np.where(lengths > 0.0, lengths, 1.0)[:, :, None]
    first, second = TETRAHEDRON_EDGES.T
    cosines = -np.einsum("tij,tij->ti", normals[:, first], normals[:, second])
    angles = np.arccos(np.clip(cosines, -1.0, 1.0)).min(axis=1)
    return np.where(flat, 0.0, angles)


def centre_of_mass(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Of the solid in a closed surface, by the divergence theorem, shape (3,)."""
    middle = vertices.mean(axis=0)
    a, b, c = (vertices[triangles[:, i]] - middle for i in range(3))
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c))
    return middle + volumes @ (a + b + c) / (4.0 * volumes.sum())


def rotation_of_seed(seed: int) -> np.ndarray:
    """Some rotation, shape (3, 3)."""
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    return turn * np.sign(np.linalg.det(turn))
