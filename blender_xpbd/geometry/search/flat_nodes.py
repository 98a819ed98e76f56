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
    links, border = _neighbours(primitives, is_triangle)
    components = np.arange(count, dtype=np.int32)
    edge = float(np.sqrt(((corners[is_triangle] - np.roll(corners[is_triangle], 1, axis=1)) ** 2).sum(axis=2)).mean())
    for level in reversed(range(depth + 1)):
        starts = (count * np.arange((1 << level) + 1, dtype=np.int64)) >> level
        node = np.repeat(np.arange(1 << level), np.diff(starts))
        is_within = node[links[:, 0]] == node[links[:, 1]]
        components = connected_components(count, links[is_within], components)
        links = links[~is_within]
        is_whole = np.add.reduceat((components == np.arange(count)).astype(np.int64), starts[:-1]) == 1
        is_whole &= np.logical_and.reduceat(is_triangle, starts[:-1])
        first = (1 << level) - 1
        flat[first : first + (1 << level)] = is_whole & _are_convex(corners, border, node, starts[:-1], edge)
    return flat


def _neighbours(primitives: Ints, is_triangle: Bools) -> tuple[Ints, Bools]:
    """Pairs of triangles that hang together, and which sides of triangles are no edge of just two.

    Triangles hang together around a point, unless the mesh hangs together at that point only.
    """
    triangles = np.flatnonzero(is_triangle)
    corners = primitives[triangles, CORNERS:TRIANGLE]
    keys = pair_keys(corners, np.roll(corners, -1, axis=1)).ravel()
    order = np.argsort(keys, kind="stable")
    begins = np.flatnonzero(np.r_[True, np.diff(keys[order]) != 0])
    twice = begins[np.diff(np.r_[begins, len(keys)]) == 2]
    first, second = order[twice], order[twice + 1]
    border = np.ones(len(keys), np.bool_)
    border[first] = border[second] = False
    sides = np.zeros((len(primitives), 3), np.bool_)
    sides[triangles] = border.reshape(-1, 3)
    return triangles[_around_points(corners, first, second)].astype(np.int32), sides


def _around_points(corners: Ints, first: Longs, second: Longs) -> Longs:
    """Pairs of triangles around points at which all triangles hang together by edges.

    Args:
        corners: points of the triangles, shape (triangles, 3).
        first: corner at which one side of an edge begins, three to a triangle, shape (edges,).
        second: likewise of the other side.
    """
    flat = corners.ravel()
    next_first, next_second = (side // 3 * 3 + (side + 1) % 3 for side in (first, second))
    is_same = flat[first] == flat[second]
    links = [np.stack([first, np.where(is_same, second, next_second)], axis=1)]
    links.append(np.stack([next_first, np.where(is_same, next_second, second)], axis=1))
    fans = connected_components(len(flat), np.concatenate(links))
    order = np.argsort(flat, kind="stable")
    follows = np.flatnonzero(flat[order[1:]] == flat[order[:-1]])
    before, behind = order[follows], order[follows + 1]
    is_apart = fans[before] != fans[behind]
    is_torn = np.zeros(int(flat.max(initial=0)) + 1, np.bool_)
    is_torn[flat[before[is_apart]]] = True
    kept = ~is_torn[flat[before]]
    around = np.stack([before[kept] // 3, behind[kept] // 3], axis=1)
    return np.concatenate([np.stack([first // 3, second // 3], axis=1), around])


def _are_convex(corners: Floats, border: Bools, node: Longs, starts: Longs, edge: float) -> Bools:
    """Which nodes of a level are flat, convex but for a quarter of an edge's length, and not long and narrow."""
    crosses = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.sqrt(np.einsum("ti,ti->t", crosses, crosses))
    normals = crosses / np.maximum(sizes, 1e-300)[:, None]
    axes = np.add.reduceat(normals, starts)
    axes /= np.maximum(np.sqrt(np.einsum("ni,ni->n", axes, axes)), 1e-300)[:, None]
    is_flat: Bools = np.minimum.reduceat(np.einsum("ti,ti->t", normals, axes[node]), starts) >= CONE_COSINE
    u, v = _plane(axes)
    offsets = corners - corners[starts[node], 0][:, None]
    x, y = (np.einsum("tki,ti->tk", offsets, way[node]) for way in (u, v))
    mid_x, mid_y = 0.5 * (x + np.roll(x, -1, axis=1)), 0.5 * (y + np.roll(y, -1, axis=1))
    supports = np.empty((len(starts), DIRECTIONS))
    inner = np.full(x.shape, -np.inf)
    for k, angle in enumerate(2.0 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS):
        cosine, sine = np.cos(angle), np.sin(angle)
        supports[:, k] = np.maximum.reduceat((cosine * x + sine * y).max(axis=1), starts)
        inner = np.maximum(inner, cosine * mid_x + sine * mid_y - supports[node, k][:, None])
    widths = supports + np.roll(supports, DIRECTIONS // 2, axis=1)
    tolerance = HULL_TOLERANCE * widths.max(axis=1) + EDGE_TOLERANCE * edge
    is_notched = np.logical_or.reduceat((border & (inner < -tolerance[node][:, None])).any(axis=1), starts)
    return is_flat & ~is_notched & (widths.max(axis=1) <= LONGEST_ASPECT * widths.min(axis=1))


def _plane(axes: Floats) -> tuple[Floats, Floats]:
    """Two unit vectors at right angles to each axis and to each other."""
    least = np.eye(3)[np.abs(axes).argmin(axis=1)]
    u = np.cross(axes, least)
    u /= np.maximum(np.sqrt(np.einsum("ni,ni->n", u, u)), 1e-300)[:, None]
    return u, np.cross(axes, u)
