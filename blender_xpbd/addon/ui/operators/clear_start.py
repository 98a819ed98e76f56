# SPDX-License-Identifier: GPL-3.0-or-later
"""Back to a start at rest."""

from __future__ import annotations

from typing import Any

import bpy

from ...keys.start_pose import clear_start
from ...reading.start_reader import has_start
from .idle import chosen_objects, is_idle


class XPBD_OT_clear_start(bpy.types.Operator):
    """Let the selected objects begin in their shape at rest again, not in the pose of a run."""

    bl_idname = "xpbd.clear_start"
    bl_label = "Clear Start"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object begins in a pose that was kept."""
        if not is_idle(cls):
            return False
        if context.mode != "OBJECT" or context.object is None or not has_start(context.object):
            cls.poll_message_set("Make an object active that begins in the pose of a run, in Object Mode")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Clear it."""
        for obj in chosen_objects(context):
            if obj.is_editable:
                clear_start(obj)
        return {"FINISHED"}
