# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounding volume hierarchies: which primitives a node holds is settled once, at rest; boxes are fitted anew each time.

A tree is perfect: level l has 2^l nodes, node k of a level of a tree over n primitives holds primitives n k / 2^l to
n (k + 1) / 2^l in the tree's order, and the children of node i are 2 i + 1 and 2 i + 2. So there are no links, and
children come after their parents. Medians along the longest axis of the centres (Ericson 2004, Real-Time Collision
Detection, §6.2.1; refitting: van den Bergen 1997).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..surface.orientation import disagreeing_triangles
from .flat_nodes import flat_nodes
from .flat_pairs import no_pairs
from .headers import level_starts
from .leaf_contents import Leaves, leaf_contents
from .primitives import CORNERS, EDGES, OWNED, TRIANGLE, build_primitives

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

# of 4, 8, 16 and 32 the one at which the search takes least, see docs/experiments.md
LEAF_SIZE = 8


@dataclass(frozen=True)
class Trees:
    """One tree per object.

    Attributes:
        headers: first node, first primitive, number of primitives, depth, whether it is walked against itself (1 or 0);
            shape (objects, 5).
        primitives: in the order of the leaves, columns as in ``primitives``; shape (primitives, 8).
        is_flat: nodes that cannot meet themselves while their normals stay in a cone, see ``flat_nodes``;
            shape (nodes,), int32.
        flat_starts: first row of ``flat_pairs`` of each node, then the end; shape (nodes + 1,).
        flat_pairs: two nodes, the lower one first, that cannot meet each other while their normals and those of the
            others in the row stay in one cone; sorted, shape (pairs, FLAT_PAIR_WIDTH).
        leaves: what the leaves hold.
    """

    headers: Ints
    primitives: Ints
    is_flat: Ints
    flat_starts: Ints
    flat_pairs: Ints
    leaves: Leaves

    @property
    def node_count(self) -> int:
        """Nodes of all trees."""
        return len(self.is_flat)


def build_trees(meshes: Sequence[tuple[Floats, Ints, Ints, Bools]], meets_itself: Bools) -> Trees:
    """Build one tree per object.

    Args:
        meshes: per object its points at rest, triangles, edges, and which points take part, as in ``SurfaceMesh``.
        meets_itself: per object.
    """
    headers = np.zeros((len(meshes), 5), np.int32)
    primitives = [np.zeros((0, 8), np.int32)]
    is_flat, flat_pairs = [np.zeros(0, np.int32)], [no_pairs()]
    first_node = first_primitive = first_point = first_triangle = first_edge = 0
    for number, (rest, triangles, edges, takes_part) in enumerate(meshes):
        rows = build_primitives(_agreeing(rest, triangles), edges, takes_part)
        depth = tree_depth(len(rows))
        rows = rows[_leaf_order(rest[rows[:, CORNERS:TRIANGLE]].mean(axis=1), depth)]
        headers[number] = first_node, first_primitive, len(rows), depth, meets_itself[number]
        node_count = (2 << depth) - 1
        flat, pairs = (
            flat_nodes(rest, rows, depth) if meets_itself[number] else (np.zeros(node_count, np.int32), no_pairs())
        )
        is_flat.append(flat)
        flat_pairs.append(np.where(pairs >= 0, pairs + first_node, -1))
        rows[:, CORNERS:TRIANGLE] += first_point
        rows[:, TRIANGLE] += np.where(rows[:, TRIANGLE] >= 0, first_triangle, 0)
        rows[:, EDGES:OWNED] += np.where(rows[:, EDGES:OWNED] >= 0, first_edge, 0)
        primitives.append(rows)
        first_node += len(is_flat[-1])
        first_primitive += len(rows)
        first_point, first_triangle, first_edge = (
            first_point + len(rest),
            first_triangle + len(triangles),
            first_edge + len(edges),
        )
    rows = np.concatenate(primitives)
    pairs = np.concatenate(flat_pairs).astype(np.int32)
    starts = np.searchsorted(pairs[:, 0], np.arange(first_node + 1)).astype(np.int32)
    return Trees(headers, rows, np.concatenate(is_flat), starts, pairs, leaf_contents(headers, rows, first_node))


def _agreeing(rest: Floats, triangles: Ints) -> Ints:
    """The triangles, turned over where they disagree with their patch which side is outside."""
    over = disagreeing_triangles(rest, triangles)
    return np.where(over[:, None], triangles[:, ::-1], triangles)


def tree_depth(count: int) -> int:
    """Levels below the root of a tree over so many primitives, so that its leaves hold ``LEAF_SIZE`` at most."""
    return max((max(count, 1) - 1) // LEAF_SIZE, 0).bit_length()


def _leaf_order(centres: Floats, depth: int) -> npt.NDArray[np.int64]:
    """The order of primitives in the leaves."""
    count = len(centres)
    order = np.arange(count)
    for level in range(depth):
        starts = level_starts(count, level)
        ordered = centres[order]
        lows = np.minimum.reduceat(ordered, starts[:-1])
        sizes = np.maximum.reduceat(ordered, starts[:-1]) - lows
        axes = sizes.argmax(axis=1)
        node = np.repeat(np.arange(1 << level), np.diff(starts))
        along = ordered[np.arange(count), axes[node]] - lows[node, axes[node]]
        size = sizes[node, axes[node]]
        # by node, then along its longest axis
        share = np.divide(along, size, out=np.zeros(count), where=size > 0.0)
        order = order[np.argsort(node + 0.999 * share, kind="stable")]
    return order
