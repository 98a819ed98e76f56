# SPDX-License-Identifier: GPL-3.0-or-later
"""The edges of a surface that stick out so far that points held above its faces do not keep others off them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..surface.topology import hinges, pair_keys, unique_edges

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


def sharp_edges(shapes: Sequence[Floats], triangles: Ints, *, is_closed: bool, least_tangent: float) -> Ints:
    """Edges at which a surface turns away by more than an angle, in any of its shapes.

    An edge of length L between two points that both keep a gap from the faces dips L/2 tan(θ/2) below it over an edge
    of the surface that turns by θ. Where that is a small part of the gap, the points alone hold it.

    Args:
        shapes: places of the vertices at some moments [m], each of shape (vertices, 3).
        triangles: shape (triangles, 3), outward where closed.
        is_closed: whether they bound a solid, whose hollow edges nothing outside can reach before the faces.
        least_tangent: tan(θ/2) from which on an edge counts; those of one triangle, or of more than two, always do.

    Returns:
        pairs of vertices, lower first, sorted, shape (edges, 2).
    """
    edges = unique_edges(np.full(len(triangles), 3, np.int32), triangles.ravel())
    between = hinges(triangles)
    is_sharp = np.zeros(len(between), np.bool_)
    for shape in shapes:
        is_sharp |= _half_tangents(shape, between, is_closed=is_closed) > least_tangent
    blunt = pair_keys(between[~is_sharp, 0], between[~is_sharp, 1])
    chosen: Ints = edges[~np.isin(pair_keys(edges[:, 0], edges[:, 1]), blunt)]
    return chosen


def _half_tangents(points: Floats, between: Ints, *, is_closed: bool) -> Floats:
    """tan(θ/2) of the angle by which the surface turns at each hinge; 0 for hollow ones of a closed surface."""
    a, b, c, d = (points[between[:, k]] for k in range(4))
    first, second = np.cross(b - a, c - a), np.cross(d - a, b - a)
    size = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    cosine = np.einsum("ij,ij->i", first, second)
    # tan(θ/2) = sin θ / (1 + cos θ); a triangle without area turns as far as can be
    sine = np.linalg.norm(np.cross(first, second), axis=1)
    tangents = np.where(size > 0.0, sine / np.maximum(size + cosine, 1e-300), np.inf)
    if is_closed:
        tangents[np.einsum("ij,ij->i", first, d - a) > 0.0] = 0.0
    return tangents
