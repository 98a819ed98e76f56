# SPDX-License-Identifier: GPL-3.0-or-later
"""Which edges pass through triangles. Arrays alone.

As a bake tells it (``contacts/search/intersection.py``), which Blender cannot ask: a volume that may be a rounding
error counts as 0. An edge that ends in the plane of a triangle touches it. Where an edge meets the border of a
triangle, each side of it has one fixed side for ties, so that of two triangles with that side just one is passed.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .solid_measures import edge_numbers, triangle_edges

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

# of the terms of a volume, what rounding may come to
VOLUME_ERROR = 7.7715611723761027e-16
# of a triangle, the corners of each edge
_EDGES = np.array([[0, 1], [1, 2], [2, 0]])


def passing(first: Floats, second: Floats, corners: Ints, others: Ints) -> Mask:
    """Which edges of triangles pass through others.

    Args:
        first: corners of the triangles, of whose edges it asks, shape (pairs, 3, 3) [m]; of an edge alone its ends, one
            of them twice.
        second: of the others, likewise; through an edge alone nothing passes.
        corners: numbers of those of ``first``, shape (pairs, 3): these decide ties.
        others: likewise, of ``second``.

    Returns:
        shape (pairs, 3).
    """
    a, b, c = np.moveaxis(second, 1, 0)
    heights, errors = _volumes(b - a, c - a, first - a[:, None])
    sides = (heights > errors).astype(np.int8) - (heights < -errors)
    passes: Mask = sides[:, _EDGES[:, 0]] * sides[:, _EDGES[:, 1]] < 0
    rows, edges = np.nonzero(passes)
    # from the lower end, whichever triangle has the edge
    is_up = corners[rows, _EDGES[edges, 0]] < corners[rows, _EDGES[edges, 1]]
    lower, upper = np.where(is_up, *_EDGES[edges].T), np.where(is_up, *_EDGES[edges, ::-1].T)
    start = first[rows, lower]
    seen = second[rows] - start[:, None]
    # on which side of each side of the triangle the line goes by
    turns, errors = _volumes(seen, np.roll(seen, -1, axis=1), (first[rows, upper] - start)[:, None, None])
    turns, errors = turns[..., 0], errors[..., 0]
    of_ties = np.where(others[rows] < np.roll(others[rows], -1, axis=1), -1.0, 1.0)
    goes_by = np.where(np.abs(turns) > errors, turns, of_ties) > 0.0
    passes[rows, edges] = (goes_by == goes_by[:, :1]).all(axis=1)
    return passes


def passed(passes: Mask, corners: Ints, others: Ints) -> Ints:
    """The edges that pass, each triangle that they pass through counted once, whatever triangles have the edge.

    Args:
        passes: of ``passing``, shape (pairs, 3).
        corners: numbers of the triangles that have the edges, shape (pairs, 3).
        others: of the other ones, likewise.

    Returns:
        the ends of an edge, the lower first, and the corners of a triangle, shape (n, 5).
    """
    rows, edges = np.nonzero(passes)
    ends = np.sort(np.stack([corners[rows, _EDGES[edges, k]] for k in range(2)], axis=1), axis=1)
    return np.unique(np.column_stack([ends, others[rows]]), axis=0)


def of_strangers(corners: Ints, others: Ints) -> Mask:
    """Which edges of triangles have no end in common with others, shape (pairs, 3); arguments as of ``passed``."""
    shared = (corners[:, :, None] == others[:, None, :]).any(axis=2)
    return ~(shared[:, _EDGES[:, 0]] | shared[:, _EDGES[:, 1]])


def turn_at(points: Floats, triangles: Ints, ends: Ints) -> float:
    """tan(θ/2) of the greatest angle by which a surface turns at some of its edges; infinite at a border.

    Args:
        points: shape (vertices, 3).
        triangles: shape (triangles, 3).
        ends: of the edges, shape (edges, 2); at least one.
    """
    numbers = edge_numbers(triangle_edges(triangles))
    places = np.flatnonzero(np.isin(numbers, edge_numbers(ends)))
    places = places[np.argsort(numbers[places], kind="stable")]
    _, firsts, counts = np.unique(numbers[places], return_index=True, return_counts=True)
    if (counts != 2).any():
        return float("inf")
    a, b, c = np.moveaxis(points[triangles[places // 3]], 1, 0)
    normals = np.cross(b - a, c - a)
    one, other = normals[firsts], normals[firsts + 1]
    size = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    sine = np.linalg.norm(np.cross(one, other), axis=1)
    return float((sine / np.maximum(size + np.einsum("ij,ij->i", one, other), 1e-300)).max())


def _volumes(a: Floats, b: Floats, c: Floats) -> tuple[Floats, Floats]:
    """(a × b) · c for each of some c, and how far off it may be by rounding.

    Args:
        a: shape (..., 3).
        b: likewise.
        c: shape (..., n, 3).

    Returns:
        shape (..., n) each.
    """
    ahead, behind = [1, 2, 0], [2, 0, 1]
    one, two = a[..., ahead] * b[..., behind], a[..., behind] * b[..., ahead]
    across, sizes = one - two, np.abs(one) + np.abs(two)
    return (c * across[..., None, :]).sum(axis=-1), VOLUME_ERROR * (np.abs(c) * sizes[..., None, :]).sum(axis=-1)
