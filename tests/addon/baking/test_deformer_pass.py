# SPDX-License-Identifier: GPL-3.0-or-later
"""When a key is near enough to what was simulated."""

import numpy as np
import pytest


@pytest.mark.parametrize(("size", "farthest"), [(0.2, 5.5), (1.0, 1.0), (0.2, 50.0), (100.0, 100.0)])
def test_what_rounding_leaves_is_not_mended_and_what_is_told_is(bpy, size, farthest):
    from blender_xpbd.addon.baking.deformer_pass import NEAR, TOLERATED, near

    rounding = float(np.spacing(np.float32(farthest)))
    found = near(size, farthest)
    assert NEAR * size <= found < TOLERATED * size
    # where rounding alone is told, every step is tried
    assert found > rounding or found == 0.5 * TOLERATED * size
