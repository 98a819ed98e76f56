# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames of the timeline."""

from __future__ import annotations


def test_the_range_of_the_scene(bpy):
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 10, 90
    bpy.ops.xpbd.use_scene_range()
    assert (scene.xpbd.frame_start, scene.xpbd.frame_end) == (10, 90)
