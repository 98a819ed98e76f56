# SPDX-License-Identifier: GPL-3.0-or-later
"""A part of a bake again: a vertex group over some frames, and back."""

from __future__ import annotations

import bpy

from ...data.bake_options import BakeOptions
from ...data.bake_record import read_record
from ...data.rebake_settings import RegionWish
from .bake import BakeOperator


class XPBD_OT_rebake_region(BakeOperator):
    """Simulate a vertex group of the active object again over some frames; all else is held as it is baked."""

    bl_idname = "xpbd.rebake_region"
    bl_label = "Rebake XPBD Region"
    bl_options = {"UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object has a bake and a group to bake again, and nothing is running."""
        if not super().poll(context):
            return False
        if context.object is None or not context.object.xpbd.bake_record:
            cls.poll_message_set("Bake the active object first")
            return False
        if not context.object.xpbd.region_group:
            cls.poll_message_set("Choose a vertex group first")
            return False
        return True

    def _wishes(self, context: bpy.types.Context) -> BakeOptions:
        settings = context.scene.xpbd
        group = context.object.xpbd.region_group
        return BakeOptions(
            region=RegionWish(context.object.name, group, settings.region_start, settings.region_end),
        )


class XPBD_OT_take_back_region(BakeOperator):
    """Show the bake of the active object, and of those baked with it, as it was before its newest region."""

    bl_idname = "xpbd.take_back_region"
    bl_label = "Take Back XPBD Region"
    bl_options = {"UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether a region of the active object's bake was baked again, and nothing is running."""
        if not super().poll(context):
            return False
        record = read_record(context.object) if context.object is not None else None
        if record is None or not record.regions:
            cls.poll_message_set("No region of this bake was baked again")
            return False
        return True

    def _wishes(self, context: bpy.types.Context) -> BakeOptions:
        return BakeOptions(take_back_region=context.object.name)
