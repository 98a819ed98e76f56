# SPDX-License-Identifier: GPL-3.0-or-later
"""What begins where: the shape at rest, and back to a start at rest."""

from __future__ import annotations

from typing import Any

import bpy

from ....scene.errors import XpbdError
from ...baking.report_text import plain_words
from ...data.bake_record import read_record
from ...data.object_types import is_body
from ...keys.rest_shape import set_rest_shape
from ...keys.start_pose import clear_start
from ...reading.start_reader import has_start
from .idle import chosen_objects, is_idle


class XPBD_OT_set_rest_shape(bpy.types.Operator):
    """Make the shape of the present frame the rest shape of the selected objects, and clear their bakes."""

    bl_idname = "xpbd.set_rest_shape"
    bl_label = "Set as Rest Shape"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether a selected object is baked."""
        if not is_idle(cls):
            return False
        if context.mode != "OBJECT" or not any(_is_baked(obj) for obj in context.selected_objects):
            cls.poll_message_set("Select a baked mesh, in Object Mode")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Take the shapes."""
        done = []
        for obj in [obj for obj in context.selected_objects if _is_baked(obj)]:
            try:
                set_rest_shape(obj)
            except XpbdError as fault:
                self.report({"WARNING"}, plain_words(str(fault)))
            else:
                done.append(obj.name)
        if not done:
            return {"CANCELLED"}
        self.report(
            {"INFO"}, f"{len(done)} rest in the shape of frame {context.scene.frame_current}: {', '.join(done)}"
        )
        return {"FINISHED"}


def _is_baked(obj: bpy.types.Object) -> bool:
    return obj.type == "MESH" and is_body(obj) and read_record(obj) is not None


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
