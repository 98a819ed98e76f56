# SPDX-License-Identifier: GPL-3.0-or-later
"""Menus: the entries of Object and Add, which search (F3) finds too, and the materials of a role."""

from __future__ import annotations

from typing import Any

import bpy

from ...scene.presets import OWN_CHOICES, PRESETS
from ..baking.body_kinds import BODY_KINDS
from ..data.classes import register_classes, unregister_classes
from ..data.specs import ROLES
from ..gallery.gallery import CLOTH_SCENES, GRAIN_SCENES, JELLY_SCENES, STRAND_SCENES, GalleryGroup
from .own_presets import XPBD_MT_own_presets, has_material_of_asset
from .thumbnails import thumbnail

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
        layout.operator("xpbd.fill_with_grains", icon=ROLE_ICONS["GRAINS"])
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
                icon = thumbnail(preset.identifier)
                layout.operator("xpbd.set_material", text=preset.label, icon_value=icon).preset = preset.identifier
        layout.separator()
        layout.menu(XPBD_MT_own_presets.bl_idname, icon="PRESET")
        layout.operator_context = "INVOKE_DEFAULT"
        layout.operator("xpbd.save_preset", text="Save Own Preset …", icon="ADD")
        layout.operator_context = "EXEC_DEFAULT"
        layout.operator("xpbd.save_asset", icon="ASSET_MANAGER")
        layout.separator()
        for choice in OWN_CHOICES:
            layout.operator("xpbd.set_material", text=choice.label).preset = choice.identifier


class GalleryGroupMenu:
    """Scenes of one subject, ready to be baked."""

    group: GalleryGroup

    def draw(self: Any, _context: bpy.types.Context) -> None:
        """The scenes; what needs a file asks for it."""
        layout = self.layout
        layout.operator_context = "INVOKE_DEFAULT"
        for entry in self.group.scenes:
            text = f"{entry.label} …" if entry.needs_file else entry.label
            layout.operator("xpbd.add_gallery_scene", text=text).name = entry.identifier


class XPBD_MT_gallery_cloth(GalleryGroupMenu, bpy.types.Menu):
    """Scenes of cloth."""

    bl_idname = "XPBD_MT_gallery_cloth"
    bl_label = CLOTH_SCENES.label
    group = CLOTH_SCENES


class XPBD_MT_gallery_jelly(GalleryGroupMenu, bpy.types.Menu):
    """Scenes of jelly."""

    bl_idname = "XPBD_MT_gallery_jelly"
    bl_label = JELLY_SCENES.label
    group = JELLY_SCENES


class XPBD_MT_gallery_strands(GalleryGroupMenu, bpy.types.Menu):
    """Scenes of strands, rods and links."""

    bl_idname = "XPBD_MT_gallery_strands"
    bl_label = STRAND_SCENES.label
    group = STRAND_SCENES


class XPBD_MT_gallery_grains(GalleryGroupMenu, bpy.types.Menu):
    """Scenes of grains."""

    bl_idname = "XPBD_MT_gallery_grains"
    bl_label = GRAIN_SCENES.label
    group = GRAIN_SCENES


GALLERY_MENUS = (
    XPBD_MT_gallery_cloth,
    XPBD_MT_gallery_jelly,
    XPBD_MT_gallery_strands,
    XPBD_MT_gallery_grains,
)


class XPBD_MT_gallery(bpy.types.Menu):
    """Add > XPBD: scenes that are ready to be baked."""

    bl_idname = "XPBD_MT_gallery"
    bl_label = "XPBD"

    def draw(self, _context: bpy.types.Context) -> None:
        """A menu for each subject of the gallery."""
        for menu in GALLERY_MENUS:
            self.layout.menu(menu.bl_idname)


def _draw_add_entry(self: Any, _context: bpy.types.Context) -> None:
    self.layout.separator()
    self.layout.menu(XPBD_MT_gallery.bl_idname, icon="PHYSICS")


def _draw_object_entry(self: Any, _context: bpy.types.Context) -> None:
    self.layout.separator()
    self.layout.menu(XPBD_MT_object.bl_idname)


def _draw_vertex_entries(self: Any, _context: bpy.types.Context) -> None:
    layout = self.layout
    layout.separator()
    layout.operator("xpbd.add_pin_group", icon="PINNED")
    layout.operator("xpbd.remove_pins", icon="UNPINNED")
    layout.operator("xpbd.select_pins")


def _draw_asset_entry(self: Any, context: bpy.types.Context) -> None:
    if has_material_of_asset(context):
        self.layout.separator()
        self.layout.operator("xpbd.apply_asset", icon="PHYSICS")


CLASSES = (XPBD_MT_object, XPBD_MT_material, *GALLERY_MENUS, XPBD_MT_gallery)


def register() -> None:
    """Add the menus."""
    register_classes(CLASSES)
    bpy.types.VIEW3D_MT_object.append(_draw_object_entry)
    bpy.types.VIEW3D_MT_edit_mesh_vertices.append(_draw_vertex_entries)
    bpy.types.VIEW3D_MT_add.append(_draw_add_entry)
    bpy.types.ASSETBROWSER_MT_context_menu.append(_draw_asset_entry)


def unregister() -> None:
    """Remove the menus."""
    bpy.types.ASSETBROWSER_MT_context_menu.remove(_draw_asset_entry)
    bpy.types.VIEW3D_MT_edit_mesh_vertices.remove(_draw_vertex_entries)
    bpy.types.VIEW3D_MT_add.remove(_draw_add_entry)
    bpy.types.VIEW3D_MT_object.remove(_draw_object_entry)
    unregister_classes(CLASSES)
