# SPDX-License-Identifier: GPL-3.0-or-later
"""Give the selected objects a role."""

from __future__ import annotations

from typing import Any

import bpy

from ....scene.body_kinds import body_roles
from ....scene.listing import listed
from ....scene.parameters.material_parameters import CLOTH, COLLIDER, JELLY
from ...baking.body_kinds import BODY_KINDS
from ...baking.ignored_inputs import is_unseen_rig
from ...checking.check_scene import note_findings, renew_findings
from ...checking.resolutions import follow_mesh
from ...checking.sizes import follow_size
from ...data.extension import worker_python_path
from ...data.object_types import can_have, conversion_advice, type_labels
from ...data.properties import enum_items
from ...data.specs import ROLES
from ...process.waiting_worker import start_ahead
from ...reading.rigged_parts import armatures_of, is_closed, pins_of, skin_of
from .idle import chosen_objects
from .mute_deformers import draw_to_deformed

_DESCRIPTIONS = {
    "NONE": "Take the selected objects out of the simulation",
    **{kind.name: kind.set_role for kind in BODY_KINDS},
    "COLLIDER": "Make the selected objects colliders: obstacles that bodies bump into",
}
_LABELS = {role.identifier: role.label for role in ROLES}


class XPBD_OT_set_role(bpy.types.Operator):
    """Choose what the selected objects are in the simulation."""

    bl_idname = "xpbd.set_role"
    bl_label = "Set XPBD Role"
    bl_options = {"REGISTER", "UNDO"}

    role: bpy.props.EnumProperty(name="Role", description="The role of the objects", items=enum_items(ROLES))

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        """The tooltip of each role's own button."""
        return _DESCRIPTIONS[properties.role]

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is an object to give one to."""
        if _able(context, "NONE"):
            return True
        cls.poll_message_set(f"Select a {type_labels()} object first{conversion_advice(chosen_objects(context))}")
        return False

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Set it."""
        able = _able(context, self.role)
        if not able:
            advice = conversion_advice(chosen_objects(context))
            self.report({"WARNING"}, f"No selected object can be {_LABELS[self.role]}{advice}")
        refused = [obj.name for obj in able if not obj.is_editable]
        given = [obj for obj in able if obj.is_editable and obj.xpbd.role != self.role]
        for obj in given:
            obj.xpbd.role = self.role
        if refused:
            how = "Object > Relations > Make Local makes them this file's own"
            self.report({"WARNING"}, f"Linked from another file, so left as they are: {', '.join(refused)}. {how}")
        if self.role in body_roles():
            start_ahead(worker_python_path(context))
            for told in (follow_mesh(context, given), follow_size(context, given)):
                if told:
                    self.report({"INFO"}, told)
            note_findings(context)
        else:
            renew_findings(context)
        return {"FINISHED"} if len(refused) < len(able) else {"CANCELLED"}


class XPBD_OT_jiggle(bpy.types.Operator):
    """Make the selected parts of a rigged character soft: closed ones jelly, open ones cloth. They follow the rig."""

    bl_idname = "xpbd.jiggle"
    bl_label = "Jiggle"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether a part of a rigged character is selected."""
        if context.mode == "OBJECT" and _parts(context):
            return True
        cls.poll_message_set("Select mesh objects that an armature moves, in Object Mode")
        return False

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Give them roles and goals, and make the largest other mesh of the rig, its skin, a collider."""
        parts = _parts(context)
        for obj in parts:
            if obj.xpbd.role == "NONE":
                obj.xpbd.role = JELLY if is_closed(obj.data) else CLOTH
            if not obj.xpbd.pin_group:
                obj.xpbd.pin_group = pins_of(obj)
            if is_unseen_rig(obj):
                draw_to_deformed(obj)
            elif obj.xpbd.goal_source == "NONE":
                obj.xpbd.goal_source = "OBJECT"
        skin = skin_of(parts, [obj for obj in context.view_layer.objects if obj.visible_get()])
        words = [f'"{obj.name}" {_LABELS[obj.xpbd.role]}' for obj in parts]
        if skin is not None and skin.is_editable and skin.xpbd.role == "NONE":
            skin.xpbd.role = COLLIDER
            words.append(f'"{skin.name}" {_LABELS[COLLIDER]}')
        start_ahead(worker_python_path(context))
        follow_mesh(context, parts)
        follow_size(context, parts)
        note_findings(context)
        self.report({"INFO"}, listed(words))
        return {"FINISHED"}


def _parts(context: bpy.types.Context) -> list[Any]:
    """The chosen meshes that an armature moves, but for colliders: what is one shall stay one."""
    meshes = [obj for obj in chosen_objects(context) if obj.type == "MESH" and obj.is_editable]
    return [obj for obj in meshes if obj.xpbd.role in ("NONE", *body_roles()) and armatures_of(obj)]


def _able(context: bpy.types.Context, role: str) -> list[Any]:
    """Of the selected objects, and the active one, whose panel is shown, those that can have a role."""
    return [obj for obj in chosen_objects(context) if can_have(obj, role)]
