# SPDX-License-Identifier: GPL-3.0-or-later
"""Clay keeps its dent."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.mark.slow
def test_the_dent_stays(bpy, bake_scene):
    from blender_xpbd.addon.gallery.clay import CLAY, FRAMES, RADIUS, SIZE

    motion = bake_scene(CLAY).motions["Clay"]
    top = (np.hypot(motion[0, :, 0], motion[0, :, 1]) < RADIUS / 3.0) & (motion[0, :, 2] > 0.99 * SIZE)
    border = (np.abs(motion[0, :, :2]).max(axis=1) > 0.49 * SIZE) & (motion[0, :, 2] > 0.99 * SIZE)
    depths = motion[:, border, 2].mean(axis=1) - motion[:, top, 2].min(axis=1)
    pressed = depths[FRAMES[2] - 1]
    assert pressed > 0.02
    assert depths[-1] > 0.8 * pressed
    assert np.abs(motion[-12:] - motion[-1]).max() < 1e-3
