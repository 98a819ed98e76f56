# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of what of a bake is baked again."""

from __future__ import annotations

import bpy

from ...scene.body_kinds import body_roles
from .sidebar import SubPanel, draw_group, draw_value


class XPBD_PT_region(SubPanel, bpy.types.Panel):
    """A vertex group over some frames, which are simulated again."""

    bl_label = "Rebake Region"
    roles = body_roles()

    def draw(self, context: bpy.types.Context) -> None:
        """Draw."""
        settings, obj = context.scene.xpbd, context.object
        column = self.layout.column()
        draw_group(column, obj, "region_group", "Group")
        row = column.row(align=True)
        draw_value(row, settings, "region_start")
        draw_value(row, settings, "region_end")
        row = column.row(align=True)
        draw_value(row, settings, "region_border")
        draw_value(row, settings, "region_blend")
        column.operator("xpbd.rebake_region", text="Rebake Region", icon="MOD_VERTEX_WEIGHT")
        column.operator("xpbd.take_back_region", text="Take Back Region", icon="LOOP_BACK")
