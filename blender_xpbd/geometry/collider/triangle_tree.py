# SPDX-License-Identifier: GPL-3.0-or-later
"""A tree of boxes over triangles that move: its shape is settled once, its boxes for each frame.

The boxes of a moment between two frames are mixed from those of the frames, as the vertices are: what holds the
vertices at both ends holds them all the way.

Nodes come in preorder. A node's first child is the next node, and its ``skip`` is the node after all that is below it.
So a walk needs no stack.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ..surface.triangle_surface import Floats, Ints

# in single or double precision
Points = TypeVar("Points", npt.NDArray[np.float32], npt.NDArray[np.float64])

# chosen by hand: fewer make more nodes, more make more triangles to be looked at
MOST_IN_LEAF = 4


@dataclass(frozen=True)
class TriangleTree:
    """A complete binary tree.

    Attributes:
        order: the triangles as the leaves hold them, one leaf after the other, shape (triangles,).
        leaf_starts: first entry of each leaf in ``order``, shape (leaves + 1,).
        levels: the nodes of each level from the root to the leaves, as numbers in preorder.
        skips: shape (nodes,).
    """

    order: Ints
    leaf_starts: Ints
    levels: tuple[Ints, ...]
    skips: Ints

    def boxes(self, points: Points, triangles: Ints) -> tuple[Points, Points]:
        """Low and high corner of each node, shape (nodes, axes).

        Args:
            points: vertices, shape (vertices, axes).
            triangles: in ``order``, shape (triangles, 3).
        """
        a, b, c = (points[triangles[:, corner]] for corner in range(3))
        low_of = np.minimum.reduceat(np.minimum(np.minimum(a, b), c), self.leaf_starts[:-1])
        high_of = np.maximum.reduceat(np.maximum(np.maximum(a, b), c), self.leaf_starts[:-1])
        lows, highs = (np.empty((len(self.skips), points.shape[1]), points.dtype) for _ in range(2))
        for level in reversed(self.levels):
            if len(level) < len(low_of):
                low_of, high_of = np.minimum(low_of[::2], low_of[1::2]), np.maximum(high_of[::2], high_of[1::2])
            lows[level], highs[level] = low_of, high_of
        return lows, highs


def build_triangle_tree(corners: Floats) -> TriangleTree:
    """Build a tree by cutting sets of triangles in two across their widest axis, again and again.

    Args:
        corners: [m], shape (triangles, 3, 3), at least one.
    """
    middles = corners.mean(axis=1)
    order, starts = np.arange(len(corners)), np.array([0, len(corners)])
    while np.diff(starts).max() > MOST_IN_LEAF:
        points = middles[order]
        widths = np.maximum.reduceat(points, starts[:-1]) - np.minimum.reduceat(points, starts[:-1])
        sets = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        along = points[np.arange(len(order)), widths.argmax(axis=1)[sets]]
        order = order[np.lexsort((along, sets))]
        starts = np.sort(np.concatenate([starts, (starts[:-1] + starts[1:]) // 2]))
    depth = (len(starts) - 1).bit_length() - 1
    levels = [np.zeros(1, np.int64)]
    skips = np.empty(2 ** (depth + 1) - 1, np.int64)
    for level in range(depth + 1):
        below = 2 ** (depth - level + 1) - 1
        skips[levels[-1]] = levels[-1] + below
        if level < depth:
            children = np.stack([levels[-1] + 1, levels[-1] + 1 + below // 2], axis=1)
            levels.append(children.ravel())
    return TriangleTree(order, starts, tuple(levels), skips)
