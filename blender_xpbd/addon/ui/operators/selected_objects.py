# SPDX-License-Identifier: GPL-3.0-or-later
"""What one object has, given to all that are selected: a material, or all settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ....scene.body_kinds import body_labels, body_roles
from ...checking.check_scene import renew_findings
from ...checking.resolutions import suit_mesh
from ...checking.sizes import follow_size
from ...data.object_types import can_have, is_body
from ...data.properties import enum_items, fits_role
from ...data.specs import GROUP_PROPERTIES, OBJECT_SETTINGS, POSE_SETTINGS, PRESET_CHOICES
from ...reading.mesh_reader import has_group
from .idle import chosen_objects

# Names of vertex groups: an object without such a group keeps its own
_GROUPS = frozenset({*GROUP_PROPERTIES, "pin_group", "attach_group", "no_contact_group", "goal_group", "push_group"})

_DESCRIPTIONS = {choice.identifier: choice.description for choice in PRESET_CHOICES}


class XPBD_OT_set_material(bpy.types.Operator):
    """Give the selected objects of the same role a material."""

    bl_idname = "xpbd.set_material"
    bl_label = "Set XPBD Material"
    bl_options = {"REGISTER", "UNDO"}

    preset: bpy.props.EnumProperty(
        name="Material", description="What the objects are made of", items=enum_items(PRESET_CHOICES)
    )

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        """The tooltip of each material's own entry."""
        return f"{_DESCRIPTIONS[properties.preset]}. For all selected objects of the same role"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object has a material."""
        return _is_active_body(cls, context)

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Set it."""
        role = context.object.xpbd.role
        if not fits_role(self.preset, role):
            self.report({"WARNING"}, "The material is for objects of another role")
            return {"CANCELLED"}
        given = [obj for obj in chosen_objects(context) if obj.xpbd.role == role and obj.is_editable]
        for obj in given:
            obj.xpbd.preset = self.preset
        refit(self, context, given)
        return {"FINISHED"}


class XPBD_OT_copy_settings(bpy.types.Operator):
    """Give the selected objects all XPBD settings of the active one: role, material, pins by name, contact."""

    bl_idname = "xpbd.copy_settings"
    bl_label = "Copy Settings to Selected"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is an object to copy from, and others to copy to."""
        if context.object is None or not can_have(context.object, context.object.xpbd.role):
            cls.poll_message_set("Make an object active whose settings are to be copied")
            return False
        if not any(obj != context.object for obj in context.selected_objects):
            cls.poll_message_set("Select the objects that get the settings, too")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Copy them."""
        source = context.object
        others = [obj for obj in context.selected_objects if obj != source]
        able = [obj for obj in others if can_have(obj, source.xpbd.role) and obj.is_editable]
        for obj in able:
            copy_settings(source, obj)
        if len(able) < len(others):
            names = ", ".join(obj.name for obj in others if obj not in able)
            self.report({"WARNING"}, f"Left as they are, for they cannot have such settings: {names}")
        if not able:
            return {"CANCELLED"}
        refit(self, context, able)
        objects = "1 object has" if len(able) == 1 else f"{len(able)} objects have"
        self.report({"INFO"}, f'{objects} the settings of "{source.name}"')
        return {"FINISHED"}


def refit(operator: Any, context: bpy.types.Context, objects: Sequence[bpy.types.Object]) -> None:
    """Let what follows from a material or a mesh follow from a new one, where it was not typed, and findings."""
    suit_mesh(context, [obj for obj in objects if obj.xpbd.normal_resolution])
    if told := follow_size(context, [obj for obj in objects if obj.xpbd.fits_size]):
        operator.report({"INFO"}, told)
    renew_findings(context)


def copy_settings(source: bpy.types.Object, target: bpy.types.Object) -> None:
    """Give an object the settings of another; names of vertex groups only where it has such groups."""
    # role and preset first: each sets what follows from it, which the other settings then say otherwise
    names = [setting.name for setting in OBJECT_SETTINGS if not setting.hidden]
    for name in names:
        value = getattr(source.xpbd, name)
        if name in _GROUPS and value and not has_group(target, value):
            continue
        if name == "attach_object" and value == target:
            continue
        if getattr(target.xpbd, name) != value:
            setattr(target.xpbd, name, value)
        # what was never typed follows from something else, as the radius of grains
        if target.xpbd.is_property_set(name) and not source.xpbd.is_property_set(name):
            target.xpbd.property_unset(name)
    # to set a value of a material makes it an own one
    target.xpbd.preset = source.xpbd.preset
    target.xpbd.shown_preset = source.xpbd.shown_preset
    target.xpbd.fits_size = source.xpbd.fits_size
    target.xpbd.normal_resolution = source.xpbd.normal_resolution
    _copy_poses(source, target)


def _copy_poses(source: bpy.types.Object, target: bpy.types.Object) -> None:
    """Give an object the poses of another but for those that are itself; of its shape keys, by their names."""
    target.xpbd.poses.clear()
    for pose in source.xpbd.poses:
        if not pose.target and pose.object == target:
            continue
        own = target.xpbd.poses.add()
        for setting in POSE_SETTINGS:
            setattr(own, setting.name, getattr(pose, setting.name))
    target.xpbd.pose_index = max(min(source.xpbd.pose_index, len(target.xpbd.poses) - 1), 0)


def _is_active_body(operator: Any, context: bpy.types.Context) -> bool:
    if context.object is None or not is_body(context.object) or context.object.xpbd.role not in body_roles():
        operator.poll_message_set(f"Make the active object {body_labels()} first")
        return False
    return True
