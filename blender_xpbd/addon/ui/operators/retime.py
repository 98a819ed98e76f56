# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake trimmed, retimed and offset without a new simulation."""

from __future__ import annotations

from typing import Any

import bpy

from ....scene.errors import XpbdError
from ...baking.report_text import plain_words
from ...data.bake_record import LARGEST_SHIFT, read_record
from ...data.clip import FASTEST, SLOWEST
from ...keys.retiming import check_retiming, retime
from .idle import has_bake, is_idle

# what a line of the status bar holds
_MOST_TOLD = 3


class XPBD_OT_retime(bpy.types.Operator):
    """Trim the bakes of the selected objects, or play them faster, slower, earlier or later; nothing is simulated."""

    bl_idname = "xpbd.retime"
    bl_label = "Retime XPBD Bake"
    bl_options = {"REGISTER", "UNDO"}

    trim_start: bpy.props.IntProperty(
        name="Trim Start", description="Frames of the beginning that are not shown", default=0, min=0
    )
    trim_end: bpy.props.IntProperty(
        name="Trim End", description="Frames of the end that are not shown", default=0, min=0
    )
    speed: bpy.props.FloatProperty(
        name="Speed",
        description="Simulated frames per shown frame: 0.5 is slow motion, 2 is twice as fast",
        default=1.0,
        min=SLOWEST,
        max=FASTEST,
        soft_min=0.1,
        soft_max=10.0,
    )
    offset: bpy.props.IntProperty(
        name="Offset",
        description="By so many frames what is shown begins later than it was simulated",
        default=0,
        min=-LARGEST_SHIFT,
        max=LARGEST_SHIFT,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is a finished bake."""
        return is_idle(cls) and has_bake(cls, context)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[Any]:
        """Begin with how the active object, or the first of them, is shown now, and ask."""
        objects = _objects(context)
        first = context.object if context.object in objects else objects[0] if objects else None
        record = None if first is None else read_record(first)
        if record is not None:
            self.trim_start, self.trim_end = record.cut_start, record.cut_end
            self.offset, self.speed = record.shift, record.speed
        return set(context.window_manager.invoke_props_dialog(self))

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Show them so; all of them, or none where one cannot be."""
        objects, cuts = _objects(context), (self.trim_start, self.trim_end)
        try:
            for obj in objects:
                check_retiming(obj, cuts, self.offset, self.speed)
        except XpbdError as error:
            self.report({"ERROR"}, plain_words(str(error)))
            return {"CANCELLED"}
        for obj in objects:
            retime(obj, cuts, self.offset, self.speed)
        # the present frame shows another state now
        context.scene.frame_set(context.scene.frame_current, subframe=context.scene.frame_subframe)
        if told := [_shown(obj) for obj in objects[:_MOST_TOLD]]:
            more = len(objects) - len(told)
            self.report({"INFO"}, "; ".join([*told, *([f"and {more} more"] if more else [])]))
        return {"FINISHED"}


def _shown(obj: bpy.types.Object) -> str:
    """When what of its bake is shown, as "Suzanne: frames 3 to 28 at 3 to 53"."""
    record = read_record(obj)
    if record is None:
        return str(obj.name)
    clip = record.clip()
    return f"{obj.name}: frames {clip.first} to {clip.last} at {clip.start} to {clip.end}"


def _objects(context: bpy.types.Context) -> list[bpy.types.Object]:
    selected = [obj for obj in context.selected_objects if read_record(obj) is not None]
    return selected or [obj for obj in context.scene.objects if read_record(obj) is not None]
