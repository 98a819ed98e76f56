# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees of boxes: every triangle in one leaf, every box around what is below it, in preorder."""

import numpy as np
import pytest

from blender_xpbd.geometry.collider.triangle_tree import MOST_IN_LEAF, build_triangle_tree
from tests.geometry.triangle_shapes import SHAPES


@pytest.mark.parametrize("name", SHAPES)
def test_boxes_hold_what_is_below_them(name):
    positions, triangles = SHAPES[name]()
    tree = build_triangle_tree(positions[triangles])
    assert sorted(tree.order) == list(range(len(triangles)))
    counts = np.diff(tree.leaf_starts)
    assert counts.max() <= MOST_IN_LEAF
    assert counts.min() >= 1
    moved = positions * [1.0, -2.0, 0.5] + 3.0
    ordered = triangles[tree.order]
    lows, highs = tree.boxes(moved, ordered)
    leaves = tree.levels[-1]
    for node, skip in enumerate(tree.skips):
        # the leaves below a node are those before its skip
        below = (leaves >= node) & (leaves < skip)
        corners = np.concatenate(
            [moved[ordered[tree.leaf_starts[n] : tree.leaf_starts[n + 1]]] for n in np.flatnonzero(below)]
        )
        np.testing.assert_array_equal(lows[node], corners.min(axis=(0, 1)))
        np.testing.assert_array_equal(highs[node], corners.max(axis=(0, 1)))


def test_a_single_triangle_is_a_leaf():
    tree = build_triangle_tree(np.arange(9.0).reshape(1, 3, 3))
    assert tree.skips.tolist() == [1]
    assert tree.leaf_starts.tolist() == [0, 1]


def test_children_come_after_their_parent():
    positions, triangles = SHAPES["icosphere"]()
    tree = build_triangle_tree(positions[triangles])
    for parents, children in zip(tree.levels, tree.levels[1:], strict=False):
        np.testing.assert_array_equal(children[::2], parents + 1)
        np.testing.assert_array_equal(children[1::2], tree.skips[children[::2]])
        np.testing.assert_array_equal(tree.skips[children[1::2]], tree.skips[parents])
