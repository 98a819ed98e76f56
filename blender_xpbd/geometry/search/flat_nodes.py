# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes of a tree that cannot meet themselves as long as the normals of their triangles stay in a cone.

Normals in a cone alone do not tell that (Volino & Magnenat-Thalmann 1994): a spiral staircase, the fringe of a scarf or
two sheets of one mesh meet themselves with equal normals. The outline must be simple when seen along the cone. That is
not tested for each pose; it follows where the node is, at rest, a piece of one sheet that is flat enough to be laid
into a plane, hangs together, has no part of the mesh's border within its convex hull, and is not long and narrow.
Then only a stretch of half its width or more could bring its border over itself.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..components import connected_components
from ..surface.topology import pair_keys
from .primitives import CORNERS, TRIANGLE

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

# of normals with the axis of their cone; half the opening is 45°, so that what a window of substeps may turn them on
# still ends below 90°
CONE_COSINE = 0.7071
# directions in the plane in which outlines are measured; a circle lies within 0.25 % of its width of their hull
DIRECTIONS = 32
# how far from the hull a border may lie, as a share of the greatest width and of the mean edge: less than one row of
# triangles, so that the strip between a slit and the hull is seen up to 150 rows
HULL_TOLERANCE = 0.005
EDGE_TOLERANCE = 0.25
LONGEST_ASPECT = 4.0


def flat_nodes(rest: Floats, primitives: Ints, depth: int) -> Ints:
    """Tell for each node whether a cone of its normals is enough, shape (nodes,), int32, 1 or 0.

    Args:
        rest: points at rest [m], shape (points, 3).
        primitives: in the order of the leaves, columns as in ``primitives``.
        depth: of the tree.
    """
    count = len(primitives)
    flat = np.zeros((2 << depth) - 1, np.int32)
    is_triangle = primitives[:, TRIANGLE] >= 0
    if count == 0 or not is_triangle.any():
        return flat
    corners = rest[primitives[:, CORNERS:TRIANGLE]]
    normals = _unit_normals(corners)
    links, edges = _neighbours(primitives, is_triangle)
    outline = np.repeat(is_triangle[:, None], 3, axis=1)
    border = outline.copy()
    border.reshape(-1)[edges.ravel()] = False
    components = np.arange(count, dtype=np.int32)
    edge = float(np.sqrt(((corners[is_triangle] - np.roll(corners[is_triangle], 1, axis=1)) ** 2).sum(axis=2)).mean())
    for level in reversed(range(depth + 1)):
        starts = (count * np.arange((1 << level) + 1, dtype=np.int64)) >> level
        node = np.repeat(np.arange(1 << level), np.diff(starts))
        is_within = node[links[:, 0]] == node[links[:, 1]]
        components = connected_components(count, links[is_within], components)
        links = links[~is_within]
        is_within = node[edges[:, 0] // 3] == node[edges[:, 1] // 3]
        outline.reshape(-1)[edges[is_within].ravel()] = False
        edges = edges[~is_within]
        is_kept = np.add.reduceat((components == np.arange(count)).astype(np.int64), starts[:-1]) == 1
        is_kept &= np.logical_and.reduceat(is_triangle, starts[:-1])
        is_in_cone, axes = _cones(normals, node, starts[:-1])
        is_kept &= is_in_cone
        if is_kept.any():
            triangle, side = np.nonzero(outline & is_kept[node][:, None])
            ends = np.stack([corners[triangle, side], corners[triangle, (side + 1) % 3]], axis=1)
            is_kept[is_kept] = _are_convex(ends, border[triangle, side], node[triangle], axes[is_kept], edge)
        flat[(1 << level) - 1 : (2 << level) - 1] = is_kept
    return flat


def _neighbours(primitives: Ints, is_triangle: Bools) -> tuple[Ints, Longs]:
    """Pairs of triangles that hang together, and pairs of sides that are an edge of just two triangles.

    Sides that run the same way along an edge are none: their triangles disagree which side is outside.
    Triangles hang together around a point, unless the mesh hangs together at that point only.

    Returns:
        primitives, shape (pairs, 2); sides, three to a primitive, shape (edges, 2).
    """
    triangles = np.flatnonzero(is_triangle)
    corners = primitives[triangles, CORNERS:TRIANGLE]
    keys = pair_keys(corners, np.roll(corners, -1, axis=1)).ravel()
    order = np.argsort(keys, kind="stable")
    begins = np.flatnonzero(np.r_[True, np.diff(keys[order]) != 0])
    twice = begins[np.diff(np.r_[begins, len(keys)]) == 2]
    sides = np.stack([order[twice], order[twice + 1]], axis=1)
    begin = corners.ravel()[sides]
    sides = sides[begin[:, 0] != begin[:, 1]]
    links = triangles[_around_points(corners, sides[:, 0], sides[:, 1])]
    return links.astype(np.int32), 3 * triangles[sides // 3] + sides % 3


def _around_points(corners: Ints, first: Longs, second: Longs) -> Longs:
    """Pairs of triangles around points at which all triangles hang together by edges.

    Args:
        corners: points of the triangles, shape (triangles, 3).
        first: corner at which one side of an edge begins, three to a triangle, shape (edges,).
        second: likewise of the other side, which runs the other way.
    """
    flat = corners.ravel()
    next_first, next_second = (side // 3 * 3 + (side + 1) % 3 for side in (first, second))
    fans = connected_components(
        len(flat), np.concatenate([np.stack([first, next_second], axis=1), np.stack([next_first, second], axis=1)])
    )
    order = np.argsort(flat, kind="stable")
    follows = np.flatnonzero(flat[order[1:]] == flat[order[:-1]])
    before, behind = order[follows], order[follows + 1]
    is_apart = fans[before] != fans[behind]
    is_torn = np.zeros(int(flat.max(initial=0)) + 1, np.bool_)
    is_torn[flat[before[is_apart]]] = True
    kept = ~is_torn[flat[before]]
    around = np.stack([before[kept] // 3, behind[kept] // 3], axis=1)
    return np.concatenate([np.stack([first // 3, second // 3], axis=1), around])


def _unit_normals(corners: Floats) -> Floats:
    """Normals of triangles, 0 where one has none; corners of shape (triangles, 3, 3)."""
    crosses = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return crosses / np.maximum(np.sqrt(np.einsum("ti,ti->t", crosses, crosses)), 1e-300)[:, None]


def _cones(normals: Floats, node: Longs, starts: Longs) -> tuple[Bools, Floats]:
    """Which nodes of a level have all their normals in a cone, and the axes of the cones, shape (nodes, 3)."""
    axes = np.add.reduceat(normals, starts)
    axes /= np.maximum(np.sqrt(np.einsum("ni,ni->n", axes, axes)), 1e-300)[:, None]
    return np.minimum.reduceat(np.einsum("ti,ti->t", normals, axes[node]), starts) >= CONE_COSINE, axes


def _are_convex(ends: Floats, is_border: Bools, node: Longs, axes: Floats, edge: float) -> Bools:
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
