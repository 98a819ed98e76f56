# SPDX-License-Identifier: GPL-3.0-or-later
"""A ball sweeps a fine cloth of PBD, and a sheet falls as drag has it."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.mark.slow
def test_nothing_is_inside_the_ball_and_drag_is_exact(bpy, bake_scene):
    from blender_xpbd.addon.gallery import swept_cloth as scene

    baked = bake_scene(scene.SWEPT_CLOTH)
    cloth, sheet = baked.motions["Cloth"], baked.motions["Falling Sheet"]
    assert cloth.shape[1] == 128**2
    ball = baked.scene.objects["Ball"]
    reached = 0
    for number, positions in enumerate(cloth):
        baked.scene.frame_set(1 + number)
        away = np.linalg.norm(positions - np.array(ball.matrix_world.translation), axis=1)
        assert away.min() >= scene.RADIUS, number
        reached += np.count_nonzero(away < 1.05 * scene.RADIUS)
    assert reached > 1000
    assert (sheet[0] - sheet[-1])[:, 2].mean() == pytest.approx(1.339834, abs=1e-5)
