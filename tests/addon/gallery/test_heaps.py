# SPDX-License-Identifier: GPL-3.0-or-later
"""Heaps are the steeper the more friction there is."""

from __future__ import annotations

from tests.addon.gallery.grain_measures import closest, last_speed, slope


def test_repose_grows_with_friction(bpy, bake_scene):
    from blender_xpbd.addon.gallery import heaps as scene

    baked = bake_scene(scene.HEAPS)
    slopes = []
    for friction in scene.FRICTIONS:
        motion = baked.motions[f"Friction {friction}"]
        assert closest(motion[-1]) > 0.98 * 2.0 * scene.RADIUS, friction
        assert last_speed(baked.scene, motion) < 1e-3, friction
        slopes.append(slope(motion[-1]))
    assert slopes[0] < 0.8 * slopes[1]
    assert slopes[1] < 0.9 * slopes[2]
