# SPDX-License-Identifier: GPL-3.0-or-later
"""The choice of materials: pictures of those that come with the add-on, and a menu of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy

from ...scene.presets import PRESETS
from ..data.classes import register_classes, unregister_classes
from .thumbnails import thumbnail

# custom properties of an asset's metadata, which Blender reads without opening the file
ASSET_ROLE, ASSET_TEXT = "xpbd_role", "xpbd_material"
_COLUMNS, _SCALE = 4, 4.0


def preset_subdir(role: str) -> str:
    """Where Blender keeps own presets of a role, below the presets of the user."""
    return f"xpbd/{role.lower()}"


def folders_of(role: str) -> list[Path]:
    """The folders that have own presets of a role."""
    return [Path(path) for path in bpy.utils.preset_paths(preset_subdir(role))]


def has_material_of_asset(context: bpy.types.Context) -> bool:
    """Whether the asset browser's active asset has a material."""
    asset = getattr(context, "asset", None)
    return asset is not None and isinstance(asset.metadata.get(ASSET_TEXT), str)


class XPBD_MT_own_presets(bpy.types.Menu):
    """Presets of one's own for the role of the active object."""

    bl_idname = "XPBD_MT_own_presets"
    bl_label = "Own Presets"

    def draw(self, context: bpy.types.Context) -> None:
        """Each with a button that removes it."""
        folders = [str(folder) for folder in folders_of(context.object.xpbd.role)]
        if any(path for folder in folders for path in Path(folder).glob("*.py")):
            self.path_menu(
                folders, "xpbd.apply_preset", filter_ext=lambda ext: ext == ".py", add_operator="xpbd.save_preset"
            )
        else:
            self.layout.label(text="None is saved yet")


class XPBD_PT_presets(bpy.types.Panel):
    """Pictures of the presets of the active object's role, to be clicked."""

    bl_idname = "XPBD_PT_presets"
    bl_label = "Materials"
    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "HEADER"
    bl_options = {"INSTANCED"}
    bl_ui_units_x = 20

    def draw(self, context: bpy.types.Context) -> None:
        """A grid of them."""
        settings = context.object.xpbd
        grid = self.layout.grid_flow(row_major=True, columns=_COLUMNS, even_columns=True, even_rows=True, align=False)
        for preset in PRESETS:
            if preset.role == settings.role:
                cell = grid.column(align=True)
                cell.template_icon(icon_value=thumbnail(preset.identifier), scale=_SCALE)
                button = cell.operator(
                    "xpbd.set_material", text=preset.label, depress=settings.preset == preset.identifier
                )
                button.preset = preset.identifier


CLASSES = (XPBD_MT_own_presets, XPBD_PT_presets)


def register() -> None:
    """Add them."""
    register_classes(CLASSES)


def unregister() -> None:
    """Remove them."""
    unregister_classes(CLASSES)
