# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames of the timeline."""

from __future__ import annotations


def test_the_range_of_the_scene(bpy):
    from blender_xpbd.addon.data.frame_range import baked_range

    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 10, 90
    scene.xpbd.frame_end = 20
    assert baked_range(scene) == (1, 20)
    bpy.ops.xpbd.use_scene_range()
    assert baked_range(scene) == (10, 90)
