# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels of forces from outside: how they act on an object, and which of them the scene has."""

from __future__ import annotations

import bpy

from ...scene.body_kinds import body_roles
from ...scene.parameters.external_parameters import PUSH
from ..data.material_names import FORCES
from .sidebar import PARAMETERS, SubPanel, draw_group, draw_value


class XPBD_PT_forces(SubPanel, bpy.types.Panel):
    """What acts on it besides gravity."""

    bl_label = "Forces"
    roles = body_roles()

    def draw(self, context: bpy.types.Context) -> None:
        """Draw."""
        obj = context.object
        settings = obj.xpbd
        column = self.layout.column()
        part = column.column()
        part.active = context.scene.xpbd.use_force_fields
        for name in (name for name in FORCES if settings.role in PARAMETERS[name].roles):
            draw_value(part, settings, name, slider=True)
        part.prop(settings, "force_collection")
        row = column.row()
        row.active = context.scene.xpbd.attraction != 0.0
        draw_value(row, settings, "attraction_weight")
        column.separator()
        vector = column.column(align=True)
        for name in PUSH:
            vector.prop(settings, name)
        draw_group(column, obj, "push_group", "Group")


class XPBD_PT_fields(SubPanel, bpy.types.Panel):
    """One switch for Blender's force fields."""

    bl_label = "Force Fields"

    def draw_header(self, context: bpy.types.Context) -> None:
        """The switch."""
        self.layout.prop(context.scene.xpbd, "use_force_fields", text="")

    def draw(self, context: bpy.types.Context) -> None:
        """Draw."""
        settings = context.scene.xpbd
        column = self.layout.column()
        column.active = settings.use_force_fields
        draw_value(column, settings, "air_density")


class XPBD_PT_attraction(SubPanel, bpy.types.Panel):
    """What objects do to each other by their masses."""

    bl_label = "Attraction"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw."""
        settings = context.scene.xpbd
        column = self.layout.column()
        draw_value(column, settings, "attraction")
        part = column.column()
        part.active = settings.attraction != 0.0
        draw_value(part, settings, "attraction_softening")
