# SPDX-License-Identifier: GPL-3.0-or-later
"""A mannequin walks in a cape."""

from __future__ import annotations

import numpy as np
import pytest

from tests.scripts.tutorials.mannequin_measures import deepest_inside, farthest_off


@pytest.mark.slow
def test_the_cape_swings_outside_the_body(bpy, bake_scene):
    from tutorial_scenes import CAPE_ON_A_WALK

    baked = bake_scene(CAPE_ON_A_WALK)
    cape = baked.motions["Cape"].reshape(len(baked.motions["Cape"]), 24, 20, 3)
    hem = cape[:, -1, :, 1] - cape[:, 0, :, 1]
    assert np.ptp(hem.mean(axis=1)) > 0.05
    assert deepest_inside(baked, "Cape") < 0.002
    assert farthest_off(baked, "Cape") < 1e-5
    assert baked.summary.mean_strain < 0.03
