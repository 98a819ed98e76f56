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
from .flat_pairs import CONE_COSINE, Level, area_moments, level_pairs, no_pairs, shared_points
from .headers import level_starts
from .outlines import are_convex
from .primitives import CORNERS, TRIANGLE

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def flat_nodes(rest: Floats, primitives: Ints, depth: int) -> tuple[Ints, Ints]:
    """Tell for each node whether a cone of its normals is enough, and which two together need no more than one.

    Args:
        rest: points at rest [m], shape (points, 3).
        primitives: in the order of the leaves, columns as in ``primitives``.
        depth: of the tree.

    Returns:
        1 or 0 for each node, shape (nodes,), int32; and pairs of nodes, as ``flat_pairs.level_pairs`` says, sorted.
    """
    count = len(primitives)
    flat = np.zeros((2 << depth) - 1, np.int32)
    is_triangle = primitives[:, TRIANGLE] >= 0
    if count == 0 or not is_triangle.any():
        return flat, no_pairs()
    corners = rest[primitives[:, CORNERS:TRIANGLE]]
    normals = _unit_normals(corners)
    links, edges, is_torn = _neighbours(primitives, is_triangle)
    pairs = [no_pairs()]
    outline = np.repeat(is_triangle[:, None], 3, axis=1)
    border = outline.copy()
    border.reshape(-1)[edges.ravel()] = False
    components = np.arange(count, dtype=np.int32)
    edge = float(np.sqrt(((corners[is_triangle] - np.roll(corners[is_triangle], 1, axis=1)) ** 2).sum(axis=2)).mean())
    moments = area_moments(corners)
    leaf = np.repeat(np.arange(1 << depth), np.diff(level_starts(count, depth)))
    shared = (primitives[:, CORNERS:TRIANGLE].astype(np.int64) << 32 | 2 * leaf[:, None]).ravel()
    for level in reversed(range(depth + 1)):
        starts = level_starts(count, level)
        node = np.repeat(np.arange(1 << level), np.diff(starts))
        # two nodes of a level are one of the next
        shared = shared_points(shared >> 32 << 32 | (shared & 0xFFFFFFFF) >> 1)
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
            is_kept[is_kept] = are_convex(ends, border[triangle, side], node[triangle], axes[is_kept], edge)
            whole = Level(shared, moments, corners, normals, node, is_kept, edges, is_torn)
            found = level_pairs(whole, outline, border, edge)
            pairs.append(np.where(found >= 0, found + (1 << level) - 1, -1).astype(np.int32))
        flat[(1 << level) - 1 : (2 << level) - 1] = is_kept
    return flat, np.concatenate(pairs[::-1])


def _neighbours(primitives: Ints, is_triangle: Bools) -> tuple[Ints, Longs, Bools]:
    """Pairs of triangles that hang together, and pairs of sides that are an edge of just two triangles.

    Sides that run the same way along an edge are none: their triangles disagree which side is outside.
    Triangles hang together around a point, unless the mesh hangs together at that point only.

    Returns:
        primitives, shape (pairs, 2); sides, three to a primitive, shape (edges, 2); and at which points the mesh hangs
        together at that point only, shape (points,).
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
    # threads may have points that are on no triangle
    point_count = int(primitives[:, CORNERS:TRIANGLE].max()) + 1
    links, is_torn = _around_points(corners, sides[:, 0], sides[:, 1], point_count)
    return triangles[links].astype(np.int32), 3 * triangles[sides // 3] + sides % 3, is_torn


def _around_points(corners: Ints, first: Longs, second: Longs, point_count: int) -> tuple[Longs, Bools]:
    """Pairs of triangles around points at which all triangles hang together by edges, and which points are others.

    Args:
        corners: points of the triangles, shape (triangles, 3).
        first: corner at which one side of an edge begins, three to a triangle, shape (edges,).
        second: likewise of the other side, which runs the other way.
        point_count: of the whole surface.
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
    is_torn = np.zeros(point_count, np.bool_)
    is_torn[flat[before[is_apart]]] = True
    kept = ~is_torn[flat[before]]
    around = np.stack([before[kept] // 3, behind[kept] // 3], axis=1)
    return np.concatenate([np.stack([first // 3, second // 3], axis=1), around]), is_torn


def _unit_normals(corners: Floats) -> Floats:
    """Normals of triangles, 0 where one has none; corners of shape (triangles, 3, 3)."""
    crosses = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return crosses / np.maximum(np.sqrt(np.einsum("ti,ti->t", crosses, crosses)), 1e-300)[:, None]


def _cones(normals: Floats, node: Longs, starts: Longs) -> tuple[Bools, Floats]:
    """Which nodes of a level have all their normals in a cone, and the axes of the cones, shape (nodes, 3)."""
    axes = np.add.reduceat(normals, starts)
    axes /= np.maximum(np.sqrt(np.einsum("ni,ni->n", axes, axes)), 1e-300)[:, None]
    return np.minimum.reduceat(np.einsum("ti,ti->t", normals, axes[node]), starts) >= CONE_COSINE, axes
