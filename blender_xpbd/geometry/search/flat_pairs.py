# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of nodes side by side that cannot meet each other as long as the normals of both stay in one cone.

What ``flat_nodes`` says of a node holds of two that are joined along an edge, too: together they are one flat piece.
Two that share points only could be turned onto each other by what lies between them around these points. So the normals
of that must be in the cone as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..surface.topology import pair_keys
from .outlines import LONGEST_ASPECT, are_convex

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

# of normals with the axis of their cone; half the opening is 45°, so that what a window of substeps may turn them on
# still ends below 90°
CONE_COSINE = 0.7071
# nodes that may lie between two that share a point
MOST_BETWEEN = 2
# columns of a pair: the lower node, the higher one, and what lies between them or −1
FLAT_PAIR_WIDTH = 2 + MOST_BETWEEN


@dataclass(frozen=True)
class Level:
    """The nodes of a level of a tree, numbered from 0.

    Attributes:
        shared: points and nodes as one number, point · 2³² + node, of all points of several nodes; ascending.
        moments: as ``area_moments`` has them, shape (primitives, 13).
        corners: places at rest [m], shape (primitives, 3, 3).
        normals: 0 where there is none, shape (primitives, 3).
        node: of each primitive, ascending, shape (primitives,).
        is_flat: as in ``flat_nodes``, shape (nodes,).
        edges: pairs of sides, three to a primitive, of two nodes; shape (edges, 2).
        is_torn: points at which alone the mesh hangs together, shape (points,).
    """

    shared: Longs
    moments: Floats
    corners: Floats
    normals: Floats
    node: Longs
    is_flat: Bools
    edges: Longs
    is_torn: Bools


def no_pairs() -> Ints:
    """No pair."""
    return np.zeros((0, FLAT_PAIR_WIDTH), np.int32)


def shared_points(keys: Longs) -> Longs:
    """Those of ``Level.shared`` that are of points of several nodes; numbers may come in any order, and often."""
    keys = np.unique(keys)
    counts = np.unique(keys >> 32, return_counts=True)[1]
    return keys[np.repeat(counts, counts) > 1]


def area_moments(corners: Floats) -> Floats:
    """Area, ∫ x and ∫ x xᵀ of triangles about the middle of all, shape (triangles, 13)."""
    sides = corners[:, 1:] - corners[:, :1]
    areas = 0.5 * np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)[:, None]
    points = corners - corners.mean(axis=(0, 1))
    centres = points.mean(axis=1)
    # ∫ x xᵀ is area / 12 (Σ xᵢ xᵢᵀ + 9 c cᵀ)
    squares = np.einsum("tki,tkj->tij", points, points) + 9.0 * centres[:, :, None] * centres[:, None, :]
    return np.concatenate([areas, areas * centres, areas / 12.0 * squares.reshape(-1, 9)], axis=1)


def level_pairs(level: Level, outline: Bools, border: Bools, edge: float) -> Ints:
    """Find the pairs of nodes of a level for which one cone is enough, sorted, shape (pairs, FLAT_PAIR_WIDTH).

    Args:
        level: the nodes.
        outline: which sides of the triangles are in the outlines of the nodes, shape (primitives, 3).
        border: which are border of the mesh, likewise.
        edge: mean length of the edges [m].
    """
    rows = _neighbours(level)
    is_there = rows >= 0
    rows = rows[np.where(is_there, level.is_flat[rows], True).all(axis=1)]
    if len(rows) == 0:
        return no_pairs()
    starts = np.flatnonzero(np.r_[True, np.diff(level.node) != 0])
    rows = rows[_are_compact(level, starts, rows)]
    ends = outline & border
    on_border = np.logical_or.reduceat(ends.any(axis=1), starts)
    is_inner = ~np.where(rows >= 0, on_border[rows], False).any(axis=1)
    is_inner[~is_inner] = _have_simple_outlines(level, rows[~is_inner], outline, border, edge)
    return rows[is_inner]


def _neighbours(level: Level) -> Ints:
    """Pairs of nodes that share an edge, or points with few other nodes; with those others in the second case."""
    points, nodes = level.shared >> 32, (level.shared & 0xFFFFFFFF).astype(np.int32)
    begins = np.flatnonzero(np.r_[True, np.diff(points) != 0])[: len(points)]
    sizes = np.diff(np.r_[begins, len(points)])
    sides = level.node[level.edges // 3]
    joined = np.unique(pair_keys(sides[:, 0], sides[:, 1]))
    keys, others, torn = [np.zeros(0, np.int64)], [np.zeros((0, MOST_BETWEEN), np.int32)], [joined[:0]]
    for size in range(2, 3 + MOST_BETWEEN):
        around = nodes[begins[sizes == size][:, None] + np.arange(size)]
        is_torn = level.is_torn[points[begins[sizes == size]]]
        for i in range(size):
            for j in range(i + 1, size):
                between = np.full((len(around), MOST_BETWEEN), -1, np.int32)
                between[:, : size - 2] = np.delete(around, (i, j), axis=1)
                keys.append(pair_keys(around[:, i], around[:, j]))
                others.append(between)
                torn.append(keys[-1][is_torn])
    # where more nodes meet, only those joined along an edge are taken; and none where the mesh is torn
    crowded = np.repeat(sizes > 2 + MOST_BETWEEN, sizes)
    torn.append(_pairs_at(points[crowded], nodes[crowded]))
    corner_rows = _between(np.concatenate(keys), np.concatenate(others), joined)
    corner_keys = pair_keys(corner_rows[:, 0], corner_rows[:, 1])
    corner_rows = corner_rows[~np.isin(corner_keys, np.concatenate(torn))]
    joined = joined[~np.isin(joined, np.concatenate(torn[:-1]))]
    edge_rows = np.full((len(joined), FLAT_PAIR_WIDTH), -1, np.int32)
    edge_rows[:, 0], edge_rows[:, 1] = joined >> 32, joined & 0xFFFFFFFF
    rows = np.concatenate([edge_rows, corner_rows])
    return rows[np.lexsort((rows[:, 1], rows[:, 0]))]


def _pairs_at(points: Longs, nodes: Ints) -> Longs:
    """Keys of all pairs of nodes at points of many."""
    keys = [np.zeros(0, np.int64)]
    for shift in range(1, len(points)):
        is_same = points[shift:] == points[:-shift]
        if not is_same.any():
            break
        keys.append(pair_keys(nodes[:-shift], nodes[shift:])[is_same])
    return np.concatenate(keys)


def _between(keys: Longs, others: Ints, joined: Longs) -> Ints:
    """Rows of the pairs that no edge joins and that have few others between them, around all points that they share."""
    is_apart = ~np.isin(keys, joined)
    keys, others = keys[is_apart], others[is_apart]
    order = np.argsort(keys, kind="stable")
    keys, others = keys[order], others[order]
    begins = np.flatnonzero(np.r_[True, np.diff(keys) != 0])[: len(keys)]
    # those of one point stand for all where these are the same, which they nearly always are
    first = np.repeat(begins, np.diff(np.r_[begins, len(keys)]))
    is_same = np.logical_and.reduceat((others == others[first]).all(axis=1), begins) if len(keys) else begins > 0
    kept = begins[is_same]
    return np.concatenate(
        [(keys[kept] >> 32)[:, None], (keys[kept] & 0xFFFFFFFF)[:, None], others[kept]], axis=1
    ).astype(np.int32)


def _are_compact(level: Level, starts: Longs, rows: Ints) -> Bools:
    """Which nodes of rows have their normals in one cone, and are not long and narrow together.

    The cone is that of a box of normals, as the walk has it. How long and how wide they are tell the moments of area.
    """
    low, high = np.minimum.reduceat(level.normals, starts), np.maximum.reduceat(level.normals, starts)
    is_there = (rows >= 0)[:, :, None]
    low, high = np.where(is_there, low[rows], 1.0).min(axis=1), np.where(is_there, high[rows], -1.0).max(axis=1)
    axis = low + high
    is_in_cone = np.minimum(low * axis, high * axis).sum(axis=1) >= CONE_COSINE * np.linalg.norm(axis, axis=1)
    sums = np.where(is_there, np.add.reduceat(level.moments, starts)[rows], 0.0).sum(axis=1)
    mean, moment = sums[:, 1:4] / sums[:, :1], (sums[:, 4:] / sums[:, :1]).reshape(-1, 3, 3)
    lengths = np.linalg.eigvalsh(moment - mean[:, :, None] * mean[:, None, :])
    result: Bools = is_in_cone & (lengths[:, 2] <= LONGEST_ASPECT**2 * lengths[:, 1])
    return result


def _have_simple_outlines(level: Level, rows: Ints, outline: Bools, border: Bools, edge: float) -> Bools:
    """Which nodes of rows are, together, convex where the mesh ends; as in ``outlines``."""
    if len(rows) == 0:
        return np.zeros(0, np.bool_)
    triangle, side = np.nonzero(outline)
    of_node = level.node[triangle]
    begins = np.searchsorted(of_node, np.arange(len(level.is_flat) + 1))
    row, column = np.nonzero(rows >= 0)
    sizes = np.diff(begins)[rows[row, column]]
    owner = np.repeat(row, sizes)
    own = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    own += np.repeat(begins[:-1][rows[row, column]], sizes)
    triangle, side = triangle[own], side[own]
    ends = np.stack([level.corners[triangle, side], level.corners[triangle, (side + 1) % 3]], axis=1)
    sums = np.add.reduceat(level.normals, np.flatnonzero(np.r_[True, np.diff(level.node) != 0]))
    axes = np.where((rows >= 0)[:, :, None], sums[rows], 0.0).sum(axis=1)
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    return are_convex(ends, border[triangle, side], owner, axes, edge)
