# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees over triangles find what others find, and leave Python's collector as it was."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from tests.geometry.surfaces import cube, sphere


@pytest.mark.usefixtures("bpy")
@pytest.mark.parametrize("is_enabled", [True, False])
def test_the_collector_stays_as_it_was(is_enabled):
    from blender_xpbd.addon.checking.triangle_trees import overlapping, triangle_tree

    was_enabled = gc.isenabled()
    try:
        (gc.enable if is_enabled else gc.disable)()
        tree, other = triangle_tree(*cube()), triangle_tree(*sphere())
        assert tree.find_nearest((0.2, 0.1, 3.0))[3] == pytest.approx(2.0)
        assert overlapping(tree, other).shape[1] == 2
        assert gc.isenabled() == is_enabled
        with pytest.raises(ValueError, match="index"):
            triangle_tree(np.zeros((1, 3)), np.array([[0, 1, 2]]))
        assert gc.isenabled() == is_enabled
    finally:
        (gc.enable if was_enabled else gc.disable)()
