# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of what an object is drawn to."""

from __future__ import annotations

import bpy

from ...scene.body_kinds import body_roles
from .sidebar import SubPanel, draw_group, draw_value


class XPBD_PT_goal(SubPanel, bpy.types.Panel):
    """What it is drawn to: itself, or its mesh as a rig deforms it."""

    bl_label = "Goal"
    roles = body_roles()

    def draw(self, context: bpy.types.Context) -> None:
        """Draw."""
        obj = context.object
        column = self.layout.column()
        # below each other, so that their names fit the width that Blender gives the sidebar
        column.column(align=True).prop(obj.xpbd, "goal_source", expand=True)
        part = column.column()
        part.active = obj.xpbd.goal_source != "NONE"
        draw_group(part, obj, "goal_group", "Group")
        draw_value(part, obj.xpbd, "goal_frequency")
        row = column.row()
        row.active = obj.xpbd.goal_source == "DEFORMED"
        row.prop(obj.xpbd, "mute_deformers")
        column.operator("xpbd.set_rest_shape", icon="SHAPEKEY_DATA")
