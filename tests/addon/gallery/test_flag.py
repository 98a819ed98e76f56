# SPDX-License-Identifier: GPL-3.0-or-later
"""A flag flies in the wind and flutters."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.mark.slow
def test_a_flag_flutters(bpy, bake_scene):
    from blender_xpbd.addon.gallery import flag as scene

    baked = bake_scene(scene.FLAG)
    motion = baked.motions["Flag"].reshape(-1, scene.ROWS, scene.COLUMNS, 3)
    still = np.broadcast_to(motion[0, :, 0], motion[:, :, 0].shape)
    np.testing.assert_allclose(motion[:, :, 0], still, atol=1e-6)
    flown = motion[-48:, :, -1]
    assert flown[:, :, 0].mean() > 0.5 * scene.WIDTH
    # it goes on moving across the wind
    assert flown[:, :, 1].std(axis=0).mean() > 0.02
    assert baked.summary.mean_strain < 0.03
    assert [entry["crossings_end"] for entry in baked.summary.contact] == [0]
    assert [entry["tunnelled"] for entry in baked.summary.contact] == [0]
