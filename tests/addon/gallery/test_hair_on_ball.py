# SPDX-License-Identifier: GPL-3.0-or-later
"""Hair stays on its surface and keeps its length, also as Blender shows it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.addon.strands import shown


@pytest.mark.slow
def test_roots_and_lengths(bpy, bake_scene):
    from blender_xpbd.addon.gallery import hair_on_ball as scene

    baked = bake_scene(scene.HAIR_ON_BALL)
    motion = baked.motions["Hair"].reshape(-1, scene.HAIRS, scene.POINTS, 3)
    ball = bpy.data.objects["Ball"]
    for frame in (1, 13, 40, 72):
        baked.scene.frame_set(frame)
        root = motion[frame - 1, :, 0] - np.array(ball.matrix_world.translation)
        np.testing.assert_allclose(np.linalg.norm(root, axis=1), scene.RADIUS, atol=1e-4)
        places = shown(bpy.data.objects["Hair"])
        np.testing.assert_allclose(places, motion[frame - 1].reshape(-1, 3), atol=1e-5)
    lengths = np.linalg.norm(np.diff(motion, axis=2), axis=3).sum(axis=2)
    changes = np.abs(lengths / lengths[0] - 1.0)
    assert changes.max() <= 0.05
    assert changes.mean() <= 0.005
    assert motion[-1, :, -1, 2].mean() < motion[0, :, -1, 2].mean() - 0.1, "it hangs"
