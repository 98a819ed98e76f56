# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of the shape that an object is to have at a frame."""

from __future__ import annotations

import bpy

from ..data.pose_settings import POSE_PARAMETERS, POSE_ROLES
from ..reading.pose_reader import has_pose
from .sidebar import SubPanel, draw_value


class XPBD_PT_pose(SubPanel, bpy.types.Panel):
    """A sculpted shape that it is to have at a frame, by the least force."""

    bl_label = "Pose Target"
    roles = POSE_ROLES

    def draw(self, context: bpy.types.Context) -> None:
        """Draw."""
        obj = context.object
        column = self.layout.column()
        if obj.type == "MESH" and obj.data.shape_keys is not None:
            column.prop_search(obj.xpbd, "pose_target", obj.data.shape_keys, "key_blocks", text="Key")
        else:
            column.prop(obj.xpbd, "pose_target", text="Key")
        row = column.row()
        row.active = not obj.xpbd.pose_target
        row.prop(obj.xpbd, "pose_object", text="Object")
        part = column.column()
        part.active = has_pose(obj)
        for parameter in POSE_PARAMETERS:
            draw_value(part, obj.xpbd, parameter.name)
