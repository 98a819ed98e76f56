# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulate what the timeline plays."""

from __future__ import annotations

from typing import Any

import bpy

from ...checking.check_scene import forget_findings


class XPBD_OT_use_scene_range(bpy.types.Operator):
    """Simulate the frames that the timeline plays."""

    bl_idname = "xpbd.use_scene_range"
    bl_label = "Use Scene Frame Range"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Choose them."""
        scene = context.scene
        scene.xpbd.use_scene_range = True
        forget_findings(scene, "W_RANGE")
        return {"FINISHED"}
