# SPDX-License-Identifier: GPL-3.0-or-later
"""The vertices by which a rounded surface holds flat pieces that are larger than its own triangles.

No edge of a fine round mesh turns far, so none is sharp. But a flat piece of length L that rests on both ends dips by
κ L²/8 below a surface of curvature κ: a coarse cloth would show a ball, or let it through.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..ragged import sums_by_label
from ..surface.topology import unique_edges

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

# cells across the length at which curvature is looked at: two chosen vertices of neighbouring cells are nearer
_CELLS = 4.0
# halvings of the cells; the last ones are 2⁻²⁰ of the surface
_LEVELS = 20


def holding_vertices(points: Floats, triangles: Ints, *, length: float, least_dip: float) -> Mask:
    """Vertices that have to be kept from flat pieces so that these dip below the surface by less than asked for.

    The surface is looked at in cells. Where a flat piece as long as ``_CELLS`` of them would dip too far, the vertex of
    each cell that sticks out most is chosen, and the cells are halved.

    Args:
        points: shape (vertices, 3) [m].
        triangles: of a closed surface, outward, shape (triangles, 3).
        length: of the longest edge that is to be held [m].
        least_dip: how far it may dip [m], above 0.

    Returns:
        shape (vertices,).
    """
    chosen = np.zeros(len(points), np.bool_)
    low = points.min(axis=0)
    length = min(length, float(np.ptp(points, axis=0).max()))
    # of the roundest surface that a length can lie on, κ = 2/L
    if length / 4.0 <= least_dip:
        return chosen
    normals = _vertex_normals(points, triangles)
    edges = unique_edges(np.full(len(triangles), 3, np.int32), triangles.ravel())
    active = np.ones(len(points), np.bool_)
    for _ in range(_LEVELS):
        size = length / _CELLS
        clusters = _clusters(points[active] - low, normals[active], size)
        curvatures, heights = _curvatures(points, normals, edges, active, clusters, size)
        dips = np.minimum(curvatures, 2.0 / length) * length**2 / 8.0 > least_dip
        candidates = np.flatnonzero(active)[dips[clusters]]
        if len(candidates) == 0:
            break
        mine = clusters[dips[clusters]]
        order = np.lexsort([candidates, -heights[dips[clusters]], mine])
        firsts = np.unique(mine[order], return_index=True)[1]
        chosen[candidates[order[firsts]]] = True
        active[:] = False
        active[candidates] = True
        length /= 2.0
        if len(firsts) == len(candidates):
            break
    return chosen


def _vertex_normals(points: Floats, triangles: Ints) -> Floats:
    """Sums of the normals of a vertex's triangles, as long as twice the area [m²], shape (vertices, 3)."""
    corners = points[triangles]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return sums_by_label(triangles.ravel(), np.repeat(areas, 3, axis=0), len(points))


def _clusters(points: Floats, normals: Floats, size: float) -> Longs:
    """Number of the cell of each point; the two sides of a thin part are in cells of their own, shape (points,)."""
    axes = np.abs(normals).argmax(axis=1)
    sides = 2 * axes + (normals[np.arange(len(axes)), axes] > 0.0)
    cells = np.floor(points / size).astype(np.int64)
    counts = cells.max(axis=0) + 1
    keys = ((cells[:, 0] * counts[1] + cells[:, 1]) * counts[2] + cells[:, 2]) * 6 + sides
    return np.unique(keys, return_inverse=True)[1].astype(np.int64)


def _curvatures(
    points: Floats, normals: Floats, edges: Ints, active: Mask, clusters: Longs, size: float
) -> tuple[Floats, Floats]:
    """How far the surface turns from each cluster to its neighbours [1/m], and how far each point sticks out [m].

    Returns:
        the greatest of a cluster, 0 where it is hollow or flat, shape (clusters,); shape (active points,).
    """
    count = int(clusters.max()) + 1
    numbers = np.full(len(points), -1, np.int64)
    numbers[active] = clusters
    sizes = np.bincount(clusters, minlength=count)[:, None]
    centres = sums_by_label(clusters, points[active], count) / sizes
    sums = sums_by_label(clusters, normals[active], count)
    directions = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-300)
    heights = np.einsum("ij,ij->i", points[active] - centres[clusters], directions[clusters])
    a, b = numbers[edges].T
    between = (a != b) & (a >= 0) & (b >= 0)
    a, b = a[between], b[between]
    ways = centres[b] - centres[a]
    lengths = np.linalg.norm(ways, axis=1)
    turns = np.einsum("ij,ij->i", directions[b] - directions[a], ways)
    # cells that the surface hardly enters have centres too near for their normals
    values = turns / np.maximum(lengths * np.maximum(lengths, size / 2.0), 1e-300)
    curvatures = np.zeros(count)
    np.maximum.at(curvatures, a, values)
    np.maximum.at(curvatures, b, values)
    return curvatures, heights
