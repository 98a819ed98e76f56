# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of the shapes that an object is to have at some frames."""

from __future__ import annotations

from typing import Any

import bpy

from ..data.pose_settings import POSE_ROLES
from ..reading.pose_reader import is_pose
from .sidebar import SubPanel


class XPBD_UL_poses(bpy.types.UIList):
    """The poses of an object: at which frame, and which shape."""

    # the arguments are Blender's, which passes them by place
    def draw_item(
        self,
        _context: bpy.types.Context,
        layout: Any,
        _data: Any,
        item: Any,
        _icon: int | None,
        _active_data: Any,
        _active_property: str | None,
        _index: int | None = 0,
        _flag: int | None = 0,
    ) -> None:
        """Draw a row."""
        row = layout.row(align=True)
        row.label(text=_shape_name(item), icon="SHAPEKEY_DATA" if item.target or not item.object else "OBJECT_DATA")
        part = row.row()
        part.alignment = "RIGHT"
        part.prop(item, "frame", text="", emboss=False)


class XPBD_PT_pose(SubPanel, bpy.types.Panel):
    """Sculpted shapes that it is to have at some frames, by the least force."""

    bl_label = "Pose Targets"
    roles = POSE_ROLES

    def draw(self, context: bpy.types.Context) -> None:
        """Draw."""
        obj = context.object
        poses, index = obj.xpbd.poses, obj.xpbd.pose_index
        row = self.layout.row()
        row.template_list("XPBD_UL_poses", "", obj.xpbd, "poses", obj.xpbd, "pose_index", rows=3)
        buttons = row.column(align=True)
        buttons.operator("xpbd.add_pose", text="", icon="ADD")
        buttons.operator("xpbd.remove_pose", text="", icon="REMOVE")
        if index < len(poses):
            _draw_pose(self.layout.column(), obj, poses[index])


def _draw_pose(column: Any, obj: bpy.types.Object, pose: Any) -> None:
    if obj.type == "MESH" and obj.data.shape_keys is not None:
        column.prop_search(pose, "target", obj.data.shape_keys, "key_blocks", text="Key")
    elif pose.target or obj.type != "MESH":
        # a mesh without keys has nothing to be named; a name that is left from one that it had can be taken out
        column.prop(pose, "target", text="Key")
    row = column.row()
    row.active = not pose.target
    row.prop(pose, "object", text="Object")
    part = column.column()
    part.active = is_pose(pose)
    part.prop(pose, "frame")
    part.prop(pose, "lead")
    part.prop(pose, "tolerance", text="Pose Tolerance [mm]")


def _shape_name(pose: Any) -> str:
    if pose.target:
        return str(pose.target)
    return str(pose.object.name) if pose.object is not None else "No shape yet"
