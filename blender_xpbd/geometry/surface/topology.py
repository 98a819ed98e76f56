# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges, diagonals, hinges and bending pairs of a polygon mesh.

A mesh comes as ``face_sizes`` (corners of each face, shape (faces,)) and ``corners`` (vertex index of each corner,
face after face, shape (sum of face_sizes,)), as Blender stores it. Results are int32.
"""

from __future__ import annotations

import numpy as np

from ..ragged import ramp


def triangulate(face_sizes: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Cut every face into a fan of triangles around its first corner.

    Faces with fewer than three corners give none.

    Args:
        face_sizes: corners per face, shape (faces,).
        corners: vertex of each corner, shape (corners,).

    Returns:
        Triangles, shape (triangles, 3), int32, in the order and the orientation of the faces.
    """
    sizes = np.asarray(face_sizes, dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    fans = np.maximum(sizes - 2, 0)
    origin = np.repeat(starts, fans)
    step = ramp(fans) + 1
    corners = np.asarray(corners)
    return np.stack([corners[origin], corners[origin + step], corners[origin + step + 1]], axis=1).astype(np.int32)


def unique_edges(face_sizes: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """The edges of the faces, each once.

    Args:
        face_sizes: corners per face, shape (faces,).
        corners: vertex of each corner, shape (corners,).

    Returns:
        Edges, shape (edges, 2), int32, lower vertex first, sorted.
    """
    corners = np.asarray(corners)
    return pairs_of_keys(np.unique(pair_keys(corners, corners[_next_corner(face_sizes)])))


def face_diagonals(face_sizes: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Pairs of vertices two corners apart in a face: both diagonals of a quad, a ring of braces in an n-gon.

    Args:
        face_sizes: corners per face, shape (faces,).
        corners: vertex of each corner, shape (corners,).

    Returns:
        Pairs that are no edges, shape (pairs, 2), int32, lower vertex first, sorted.
    """
    following = _next_corner(face_sizes)
    corners = np.asarray(corners)
    keys = pair_keys(corners, corners[following[following]])
    keys = np.unique(keys[np.repeat(np.asarray(face_sizes) > 3, face_sizes)])
    return pairs_of_keys(_without(keys, face_sizes, corners))


def hinges(triangles: np.ndarray) -> np.ndarray:
    """Edges that exactly two triangles share, with the vertices opposite.

    Args:
        triangles: shape (triangles, 3).

    Returns:
        Rows (a, b, c, d), shape (hinges, 4), int32: the edge a–b, c opposite it in a triangle that runs a → b, and d
        opposite it in the other triangle. Edges of one or of more than two triangles give none.
    """
    triangles = np.asarray(triangles, dtype=np.int64)
    start = triangles.reshape(-1)
    end = np.roll(triangles, -1, axis=1).reshape(-1)
    opposite = np.roll(triangles, -2, axis=1).reshape(-1)
    first, second = _paired_corners(start, end)
    return np.stack([start[first], end[first], opposite[first], opposite[second]], axis=1).astype(np.int32)


def bending_pairs(face_sizes: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Pairs of vertices across an edge that two faces share.

    For an edge a–b: the neighbour of a (not b) in the one face and the neighbour of a (not b) in the other, and
    likewise for b. On a grid of quads these are the pairs two edges apart in a row.

    Args:
        face_sizes: corners per face, shape (faces,).
        corners: vertex of each corner, shape (corners,).

    Returns:
        Pairs that are no edges, shape (pairs, 2), int32, lower vertex first, sorted.
    """
    corners = np.asarray(corners)
    following = _next_corner(face_sizes)
    previous = np.empty_like(following)
    previous[following] = np.arange(len(following))
    start, end = corners, corners[following]
    beside_start, beside_end = corners[previous], corners[following[following]]
    first, second = _paired_corners(start, end)
    same_way = start[first] == start[second]
    across_start = np.where(same_way, beside_start[second], beside_end[second])
    across_end = np.where(same_way, beside_end[second], beside_start[second])
    keys = [pair_keys(beside_start[first], across_start), pair_keys(beside_end[first], across_end)]
    return pairs_of_keys(_without(np.unique(np.concatenate(keys)), face_sizes, corners))


def boundary_edges(triangles: np.ndarray) -> np.ndarray:
    """Edges of exactly one triangle.

    Args:
        triangles: shape (triangles, 3).

    Returns:
        Edges, shape (edges, 2), int32, in the direction in which their triangle runs.
    """
    triangles = np.asarray(triangles, dtype=np.int64)
    start, end = triangles.reshape(-1), np.roll(triangles, -1, axis=1).reshape(-1)
    _, first, count = np.unique(pair_keys(start, end), return_index=True, return_counts=True)
    alone = np.sort(first[count == 1])
    return np.stack([start[alone], end[alone]], axis=1).astype(np.int32)


def unique_pairs(pairs: np.ndarray) -> np.ndarray:
    """Unordered pairs, each once, lower index first, sorted, without pairs of one vertex with itself.

    Args:
        pairs: vertex pairs, shape (pairs, 2).

    Returns:
        Shape (unique pairs, 2), int32.
    """
    pairs = np.asarray(pairs).reshape(-1, 2)
    return pairs_of_keys(np.unique(pair_keys(pairs[:, 0], pairs[:, 1])))


def pairs_of_keys(keys: np.ndarray) -> np.ndarray:
    """The pairs that have some keys, without pairs of one vertex with itself.

    Args:
        keys: as ``pair_keys`` gives them, shape (keys,).

    Returns:
        Shape (pairs, 2), int32.
    """
    pairs = np.empty((len(keys), 2), np.int32)
    pairs[:, 0], pairs[:, 1] = keys >> 32, keys & 0xFFFFFFFF
    proper = pairs[:, 0] != pairs[:, 1]
    return pairs if proper.all() else pairs[proper]


def pair_keys(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """One number for each unordered pair of vertices; the numbers sort as the pairs, lower vertex first, do.

    Args:
        first: vertices below 2³¹, of any shape.
        second: others, of the same shape.

    Returns:
        int64, of that shape.
    """
    keys = np.minimum(first, second).astype(np.int64)
    keys <<= 32
    keys |= np.maximum(first, second)
    return keys


def _without(keys: np.ndarray, face_sizes: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """The keys of pairs that are no edges of the faces."""
    edges = np.unique(pair_keys(corners, corners[_next_corner(face_sizes)]))
    place = np.minimum(np.searchsorted(edges, keys), max(len(edges) - 1, 0))
    return keys[edges[place] != keys] if len(edges) else keys


def _next_corner(face_sizes: np.ndarray) -> np.ndarray:
    """Index of the corner that follows each corner in its face."""
    sizes = np.asarray(face_sizes)
    sizes = sizes[sizes > 0]
    ends = np.cumsum(sizes, dtype=np.int32)
    following = np.arange(1, int(sizes.sum()) + 1, dtype=np.int32)
    following[ends - 1] = ends - sizes
    return following


def _paired_corners(start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corner numbers of the two sides of every edge that exactly two sides share, in order of the first side."""
    keys = pair_keys(start, end)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    begins = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(ordered) else np.zeros(0, dtype=np.int64)
    counts = np.diff(np.r_[begins, len(ordered)])
    begins = begins[counts == 2]
    first, second = order[begins], order[begins + 1]
    proper = start[first] != end[first]
    first, second = first[proper], second[proper]
    rank = np.argsort(first)
    return first[rank], second[rank]
