# SPDX-License-Identifier: GPL-3.0-or-later
"""Bind points to the nearest points of a triangle mesh."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .nearest_triangles import closest_points

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# points × triangles held at once
PAIRS_AT_ONCE = 1_000_000


def bind_to_triangles(points: Floats, positions: Floats, triangles: Ints) -> tuple[Ints, Floats]:
    """The nearest point of a surface to each point.

    Args:
        points: [m], shape (points, 3).
        positions: of the vertices [m], shape (vertices, 3).
        triangles: of positive area, at least one, shape (triangles, 3).

    Returns:
        The triangle of each, shape (points,), int32, and the barycentric coordinates of the nearest point in it, at
        least 0, rows of sum 1, shape (points, 3).
    """
    corners = np.asarray(positions, np.float64)[triangles]
    nearest = np.zeros(len(points), np.int32)
    weights = np.zeros((len(points), 3))
    rows = max(1, PAIRS_AT_ONCE // len(triangles))
    for first in range(0, len(points), rows):
        part = slice(first, first + rows)
        nearest[part], weights[part] = _bind_part(points[part], corners)
    return nearest, weights


def _bind_part(points: Floats, corners: Floats) -> tuple[Ints, Floats]:
    centres = corners.mean(axis=1)
    radii = np.linalg.norm(corners - centres[:, None], axis=2).max(axis=1)
    distances = np.linalg.norm(points[:, None] - centres, axis=2)
    # no triangle is nearer than its centre less its radius; the nearest centre is a point of the surface
    reach = distances.min(axis=1, keepdims=True)
    point, triangle = np.nonzero(distances - radii <= reach * (1.0 + 1e-9))
    closest: Floats = closest_points(points[point], corners[triangle])
    squared = ((closest - points[point]) ** 2).sum(axis=1)
    # the nearest of each point comes first, of equal ones the triangle of the lowest index
    order = np.lexsort((triangle, squared, point))
    chosen = order[np.flatnonzero(np.diff(point[order], prepend=-1))]
    return triangle[chosen].astype(np.int32), _barycentric(closest[chosen], corners[triangle[chosen]])


def _barycentric(points: Floats, corners: Floats) -> Floats:
    """Coordinates of points in the planes of triangles, by areas; rounding below 0 is cut off."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    ways = corners - points[:, None]
    areas = np.stack([np.cross(ways[:, (j + 1) % 3], ways[:, (j + 2) % 3]) for j in range(3)], axis=1)
    weights = np.maximum(np.einsum("pji,pi->pj", areas, normals), 0.0)
    shares: Floats = weights / weights.sum(axis=1, keepdims=True)
    return shares
