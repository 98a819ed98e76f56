# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulate what the timeline plays."""

from __future__ import annotations

from typing import Any

import bpy

from ...checking.check_scene import forget_findings


class XPBD_OT_use_scene_range(bpy.types.Operator):
    """Take the first and last frame from the timeline."""

    bl_idname = "xpbd.use_scene_range"
    bl_label = "Use Scene Frame Range"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Copy them."""
        scene = context.scene
        scene.xpbd.frame_start = scene.frame_start
        scene.xpbd.frame_end = scene.frame_end
        forget_findings(scene, "W_RANGE")
        return {"FINISHED"}
