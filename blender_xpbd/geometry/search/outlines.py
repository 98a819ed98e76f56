# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether pieces of a surface that are all but flat have a simple outline: convex where they end, and not narrow."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

# directions in the plane in which outlines are measured; a circle lies within 0.25 % of its width of their hull
DIRECTIONS = 32
# how far from the hull a border may lie, as a share of the greatest width and of the mean edge: less than one row of
# triangles, so that the strip between a slit and the hull is seen up to 150 rows
HULL_TOLERANCE = 0.005
EDGE_TOLERANCE = 0.25
LONGEST_ASPECT = 4.0


def are_convex(ends: Floats, is_border: Bools, node: Longs, axes: Floats, edge: float) -> Bools:
    """Which flat nodes are convex but for a quarter of an edge's length, and not long and narrow.

    Seen along the axis of its cone no triangle of a node is turned over, so that what reaches farthest lies in the
    outline.

    Args:
        ends: of the sides in the outlines of the nodes [m], node by node, shape (sides, 2, 3).
        is_border: which sides are border of the mesh, shape (sides,).
        node: of each side, ascending, shape (sides,).
        axes: of the cones of these nodes, shape (nodes, 3).
        edge: mean length of the edges [m].
    """
    begins = np.r_[True, node[1:] != node[:-1]]
    starts, number = np.flatnonzero(begins), np.cumsum(begins) - 1
    ways = np.stack(_plane(axes), axis=2)
    first = np.einsum("ni,nij->jn", ends[:, 0] - ends[starts, 0][number], ways[number])
    middle = first[:, is_border]
    middle = middle + 0.5 * np.einsum("ni,nij->jn", (ends[:, 1] - ends[:, 0])[is_border], ways[number[is_border]])
    supports = np.empty((DIRECTIONS, len(starts)))
    angles = 2.0 * np.pi * np.arange(DIRECTIONS // 2) / DIRECTIONS
    for k, (cosine, sine) in enumerate(zip(np.cos(angles), np.sin(angles), strict=True)):
        along = cosine * first[0] + sine * first[1]
        supports[k] = np.maximum.reduceat(along, starts)
        supports[k + DIRECTIONS // 2] = -np.minimum.reduceat(along, starts)
    of_border = number[is_border]
    inner = np.full(len(of_border), -np.inf)
    for k in range(DIRECTIONS):
        angle = 2.0 * np.pi * k / DIRECTIONS
        inner = np.maximum(inner, np.cos(angle) * middle[0] + np.sin(angle) * middle[1] - supports[k, of_border])
    widths = supports + np.roll(supports, DIRECTIONS // 2, axis=0)
    widest = widths.max(axis=0)
    is_notched = np.zeros(len(starts), np.bool_)
    is_notched[of_border[inner < -(HULL_TOLERANCE * widest + EDGE_TOLERANCE * edge)[of_border]]] = True
    return ~is_notched & (widest <= LONGEST_ASPECT * widths.min(axis=0))


def _plane(axes: Floats) -> tuple[Floats, Floats]:
    """Two unit vectors at right angles to each axis and to each other."""
    least = np.eye(3)[np.abs(axes).argmin(axis=1)]
    u = np.cross(axes, least)
    u /= np.maximum(np.sqrt(np.einsum("ni,ni->n", u, u)), 1e-300)[:, None]
    return u, np.cross(axes, u)
