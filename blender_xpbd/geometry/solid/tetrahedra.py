# SPDX-License-Identifier: GPL-3.0-or-later
"""Volumes, edges, surface and quality of tetrahedra."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..chunks import chunks, coordinates
from ..surface.topology import pair_keys, pairs_of_keys

# The three vertices of each face, outward for a positive tetrahedron; row i is opposite vertex i.
TETRAHEDRON_FACES = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])
# Faces that are compared with each other at once, and the largest key of one.
FACES_AT_ONCE = 200_000
LARGEST_KEY = 2**62
TETRAHEDRON_EDGES = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])


def signed_volumes(vertices: np.ndarray, tetrahedra: np.ndarray) -> np.ndarray:
    """Volumes [m³], shape (tetrahedra,), float64: (b−a)·((c−a)×(d−a)) / 6 for vertices (a, b, c, d).

    Args:
        vertices: positions [m], shape (vertices, 3).
        tetrahedra: shape (tetrahedra, 4).
    """
    axes = np.ascontiguousarray(np.asarray(vertices, dtype=np.float64).T)
    volumes = np.empty(len(tetrahedra))
    for part in chunks(len(tetrahedra)):
        corners = coordinates(axes, tetrahedra[part])
        for axis in corners:
            axis[1:] -= axis[0]
        (_, bx, cx, dx), (_, by, cy, dy), (_, bz, cz, dz) = corners
        volumes[part] = bx * (cy * dz - cz * dy) + bz * (cx * dy - cy * dx) + by * (cz * dx - cx * dz)
    volumes /= 6.0
    return volumes


def orient_positive(vertices: np.ndarray, tetrahedra: np.ndarray) -> np.ndarray:
    """The tetrahedra with the last two vertices of every negative one exchanged.

    Args:
        vertices: positions [m], shape (vertices, 3).
        tetrahedra: shape (tetrahedra, 4).

    Returns:
        Tetrahedra, shape (tetrahedra, 4), int32, none of negative volume; those given, where none was negative.
    """
    negative = signed_volumes(vertices, tetrahedra) < 0.0
    if not negative.any():
        return np.asarray(tetrahedra, dtype=np.int32)
    oriented = np.array(tetrahedra, dtype=np.int32)
    oriented[negative] = oriented[negative][:, [0, 1, 3, 2]]
    return oriented


def tetrahedron_edges(tetrahedra: np.ndarray) -> np.ndarray:
    """The edges of the tetrahedra, each once: shape (edges, 2), int32, lower vertex first, sorted.

    Args:
        tetrahedra: shape (tetrahedra, 4).
    """
    tetrahedra = np.asarray(tetrahedra)
    keys = np.zeros(0, np.int64)
    for first, second in TETRAHEDRON_EDGES:
        own = np.unique(pair_keys(tetrahedra[:, first], tetrahedra[:, second]))
        keys = _merged(keys, own)
    return pairs_of_keys(keys)


def surface_triangles(tetrahedra: np.ndarray) -> np.ndarray:
    """Faces of exactly one tetrahedron: shape (triangles, 3), int32, outward where the tetrahedra are positive.

    Args:
        tetrahedra: shape (tetrahedra, 4).
    """
    tetrahedra = np.asarray(tetrahedra, dtype=np.int32)
    alone = [np.zeros(0, np.int64)]
    for numbers, is_last in faces_in_place(tetrahedra):
        is_first = np.concatenate([[True], is_last[:-1]])[: len(is_last)]
        alone.append(numbers[is_first & is_last])
    faces = np.sort(np.concatenate(alone))
    return tetrahedra[faces[:, None] // 4, TETRAHEDRON_FACES[faces % 4]]


def faces_in_place(tetrahedra: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """All faces, a part of them at a time, those with the same vertices one after the other.

    Args:
        tetrahedra: shape (tetrahedra, 4).

    Yields:
        4 · tetrahedron + face, int64, and whether the next one has other vertices, each of shape (faces,).
    """
    # faces with the same vertices have the same lowest one, so those of a range of lowest ones are looked at together
    count = int(tetrahedra.max(initial=0)) + 1
    step = max(min(LARGEST_KEY // count**2, count * FACES_AT_ONCE // (4 * len(tetrahedra) + 1)), 1)
    for lowest in range(0, count, step):
        numbers, keys = _faces_from(tetrahedra, lowest, lowest + step, count)
        order = np.argsort(keys)
        keys = keys[order]
        is_last = np.ones(len(keys), dtype=bool)
        is_last[:-1] = keys[1:] != keys[:-1]
        yield numbers[order], is_last


def _merged(keys: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Two sorted lists as one, each key once."""
    merged = np.concatenate([keys, others])
    # a stable sort finds the two runs and merges them
    merged.sort(kind="stable")
    return merged[np.concatenate([[True], merged[1:] != merged[:-1]])[: len(merged)]]


def _faces_from(tetrahedra: np.ndarray, first: int, last: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Faces whose lowest vertex is in a range: 4 · tetrahedron + face, and a key of the vertices of each.

    Args:
        tetrahedra: shape (tetrahedra, 4).
        first: of the range.
        last: the vertex after it.
        count: of all vertices.
    """
    numbers, keys = [], []
    for face, corners in enumerate(TETRAHEDRON_FACES):
        a, b, c = (tetrahedra[:, corner] for corner in corners)
        low = np.minimum(np.minimum(a, b), c)
        chosen = np.flatnonzero((low >= first) & (low < last))
        three = np.sort(tetrahedra[chosen[:, None], corners], axis=1).astype(np.int64)
        numbers.append(4 * chosen + face)
        keys.append(((three[:, 0] - first) * count + three[:, 1]) * count + three[:, 2])
    return np.concatenate(numbers), np.concatenate(keys)
