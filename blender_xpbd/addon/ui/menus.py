# SPDX-License-Identifier: GPL-3.0-or-later
"""Menus: the Object menu's entries, which search (F3) finds too, and the materials of a role."""

from __future__ import annotations

from typing import Any

import bpy

from ...scene.presets import OWN_CHOICES, PRESETS
from ..baking.body_kinds import BODY_KINDS
from ..data.classes import register_classes, unregister_classes
from ..data.specs import ROLES

ROLE_ICONS = {**{kind.name: kind.icon for kind in BODY_KINDS}, "COLLIDER": "MESH_UVSPHERE", "NONE": "X"}


class XPBD_MT_object(bpy.types.Menu):
    """Object > XPBD."""

    bl_idname = "XPBD_MT_object"
    bl_label = "XPBD"

    def draw(self, _context: bpy.types.Context) -> None:
        """Roles, bake, clear."""
        layout = self.layout
        for role in ROLES:
            text = f"Set XPBD Role: {role.label}"
            layout.operator("xpbd.set_role", text=text, icon=ROLE_ICONS[role.identifier]).role = role.identifier
        layout.separator()
        layout.operator_context = "INVOKE_DEFAULT"
        layout.operator("xpbd.check", icon="CHECKMARK")
        layout.operator("xpbd.bake", icon="REC")
        layout.operator("xpbd.play", icon="PLAY")
        layout.operator("xpbd.export", icon="EXPORT")
        layout.operator("xpbd.clear", icon="TRASH")
        layout.operator("xpbd.clear", text="Clear All XPBD Bakes").all = True
        layout.separator()
        layout.operator("xpbd.copy_settings", icon="COPYDOWN")


class XPBD_MT_material(bpy.types.Menu):
    """The materials that fit the role of the active object."""

    bl_idname = "XPBD_MT_material"
    bl_label = "Material"

    def draw(self, context: bpy.types.Context) -> None:
        """Presets of the role, then own materials."""
        layout = self.layout
        settings = context.object.xpbd
        for preset in PRESETS:
            if preset.role == settings.role:
                layout.operator("xpbd.set_material", text=preset.label).preset = preset.identifier
        layout.separator()
        for choice in OWN_CHOICES:
            layout.operator("xpbd.set_material", text=choice.label).preset = choice.identifier


def _draw_object_entry(self: Any, _context: bpy.types.Context) -> None:
    self.layout.separator()
    self.layout.menu(XPBD_MT_object.bl_idname)


def _draw_vertex_entries(self: Any, _context: bpy.types.Context) -> None:
    layout = self.layout
    layout.separator()
    layout.operator("xpbd.add_pin_group", icon="PINNED")
    layout.operator("xpbd.remove_pins", icon="UNPINNED")
    layout.operator("xpbd.select_pins")


CLASSES = (XPBD_MT_object, XPBD_MT_material)


def register() -> None:
    """Add the menus."""
    register_classes(CLASSES)
    bpy.types.VIEW3D_MT_object.append(_draw_object_entry)
    bpy.types.VIEW3D_MT_edit_mesh_vertices.append(_draw_vertex_entries)


def unregister() -> None:
    """Remove the menus."""
    bpy.types.VIEW3D_MT_edit_mesh_vertices.remove(_draw_vertex_entries)
    bpy.types.VIEW3D_MT_object.remove(_draw_object_entry)
    unregister_classes(CLASSES)
