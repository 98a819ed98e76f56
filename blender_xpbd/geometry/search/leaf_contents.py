# SPDX-License-Identifier: GPL-3.0-or-later
"""What each leaf of a tree holds, one behind the other: primitives, and the points and edges that these own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .headers import DEPTH, FIRST_NODE, FIRST_PRIMITIVE, PRIMITIVE_COUNT, level_starts
from .primitives import CORNERS, EDGES, OWNED, TRIANGLE

Ints = npt.NDArray[np.int32]

# columns of a leaf: its first primitive, point and edge among the features, and their end; its points
TRIANGLES, POINTS, SIDES, FEATURES_END, CORNERS_BEGIN, CORNERS_END = range(6)
LEAF_WIDTH = 6
# columns of a feature: three points, of which some are the same; then the number of a primitive, −1 − that where it is
# no triangle, or of an edge
FEATURE_NUMBER = 3


@dataclass(frozen=True)
class Leaves:
    """What the leaves of all trees hold.

    Attributes:
        rows: of all nodes, 0 of those above the leaves; shape (nodes, LEAF_WIDTH).
        features: leaf by leaf primitives, points and edges, shape (features, 4).
        points: of the primitives of the leaves, each once in a leaf.
    """

    rows: Ints
    features: Ints
    points: Ints


def leaf_contents(headers: Ints, primitives: Ints, node_count: int) -> Leaves:
    """List what leaves hold.

    Args:
        headers: of the trees.
        primitives: of all trees, in the order of the leaves.
        node_count: nodes of all trees.
    """
    owners = np.zeros(len(primitives), np.int64)
    for first_node, first, count, depth in headers[:, [FIRST_NODE, FIRST_PRIMITIVE, PRIMITIVE_COUNT, DEPTH]].tolist():
        if count > 0:
            sizes = np.diff(level_starts(count, depth))
            owners[first : first + count] = np.repeat(first_node + (1 << depth) - 1 + np.arange(1 << depth), sizes)
    numbers = np.arange(len(primitives))
    is_triangle = primitives[:, TRIANGLE] >= 0
    faces = np.concatenate(
        [primitives[:, CORNERS:TRIANGLE], np.where(is_triangle, numbers, -1 - numbers)[:, None]], axis=1
    )
    row, corner = np.nonzero(primitives[:, OWNED, None] >> np.arange(3) & 1)
    points = np.repeat(primitives[row, CORNERS + corner][:, None], 4, axis=1)
    of_edge, side = np.nonzero(primitives[:, EDGES:OWNED] >= 0)
    ends = np.stack([primitives[of_edge, CORNERS + side], primitives[of_edge, CORNERS + (side + 1) % 3]], axis=1)
    low, high = ends.min(axis=1), ends.max(axis=1)
    edges = np.stack([low, high, high, primitives[of_edge, EDGES + side]], axis=1)
    owner = np.concatenate([owners, owners[row], owners[of_edge]])
    kind = np.repeat([TRIANGLES, POINTS, SIDES], [len(faces), len(points), len(edges)])
    order = np.lexsort((kind, owner))
    rows = np.zeros((node_count, LEAF_WIDTH), np.int32)
    ends_at = np.searchsorted(3 * owner[order] + kind[order], np.arange(3 * node_count + 1))
    for k in (TRIANGLES, POINTS, SIDES):
        rows[:, k] = ends_at[k:-1:3]
    rows[:, FEATURES_END] = ends_at[3::3]
    keys = np.unique(((owners[:, None] << 32) | primitives[:, CORNERS:TRIANGLE]).ravel())
    starts = np.searchsorted(keys >> 32, np.arange(node_count + 1))
    rows[:, CORNERS_BEGIN], rows[:, CORNERS_END] = starts[:-1], starts[1:]
    features = np.concatenate([faces, points, edges])[order].astype(np.int32)
    return Leaves(rows, features, (keys & 0xFFFFFFFF).astype(np.int32))
