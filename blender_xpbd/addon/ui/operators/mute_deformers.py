# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of deformers: bodies follow them, or they are muted where they cannot be taken out of a result."""

from __future__ import annotations

import bpy

from ....scene.body_kinds import body_kind
from ...baking.ignored_inputs import is_unseen_rig
from ...checking.shown_smooth import turn_smoothing_off
from ...data.object_types import is_body
from ...reading.modifier_stack import deformers
from .remedy import ObjectRemedy, Remedy, name_property


def draw_to_deformed(obj: bpy.types.Object) -> None:
    """Give a body its deformed mesh as goal; cloth that is pinned at its pins alone, so that the rest hangs free."""
    obj.xpbd.goal_source = "DEFORMED"
    if obj.xpbd.pin_group and not obj.xpbd.goal_group and not body_kind(obj.xpbd.role).is_solid:
        obj.xpbd.goal_group = obj.xpbd.pin_group


class XPBD_OT_follow_rig(Remedy, bpy.types.Operator):
    """Draw all bodies with an armature, lattice or hook to their deformed mesh, so that they follow it and swing."""

    bl_idname = "xpbd.follow_rig"
    bl_label = "Follow the Rig"

    def mend(self, context: bpy.types.Context) -> str:
        """Choose it as goal: of cloth that is pinned for the pins alone, so that the rest hangs free."""
        unseen = [obj for obj in context.scene.objects if is_body(obj) and is_unseen_rig(obj)]
        bodies = [obj for obj in unseen if obj.is_editable]
        for obj in bodies:
            draw_to_deformed(obj)
        return "" if bodies else "No mesh that is simulated has an armature, lattice or hook that it does not follow"


class XPBD_OT_mute_deformers(ObjectRemedy, bpy.types.Operator):
    """Turn the deformers of an object off while it is baked; Clear turns them on again."""

    bl_idname = "xpbd.mute_deformers"
    bl_label = "Mute Deformers"
    object_name: name_property()

    def mend_object(self, context: bpy.types.Context, obj: bpy.types.Object) -> str:
        """Ask the next bake for it."""
        if not deformers(obj):
            return f'No modifier of "{obj.name}" deforms it; a parent that does cannot be muted'
        obj.xpbd.mute_deformers = True
        return ""


class XPBD_OT_turn_smoothing_off(ObjectRemedy, bpy.types.Operator):
    """Turn off what smooths the finished result of an object, so that it is shown where it was simulated."""

    bl_idname = "xpbd.turn_smoothing_off"
    bl_label = "Turn Smoothing Off"
    object_name: name_property()

    def mend_object(self, _context: bpy.types.Context, obj: bpy.types.Object) -> str:
        """Turn it off."""
        return turn_smoothing_off(obj)


class XPBD_OT_turn_simplify_off(Remedy, bpy.types.Operator):
    """Turn Simplify of the scene off, so that bakes, viewports and renders have the same subdivision."""

    bl_idname = "xpbd.turn_simplify_off"
    bl_label = "Turn Simplify Off"

    def mend(self, context: bpy.types.Context) -> str:
        """Turn it off."""
        context.scene.render.use_simplify = False
        return ""
