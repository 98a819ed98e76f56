# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of one's own: kept and found by Blender's own presets, for all files, and with assets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
from bl_operators.presets import AddPresetBase

from ....jobs.files import publish
from ....scene.body_kinds import body_kind, body_roles
from ....scene.errors import XpbdError
from ...baking.report_text import plain_words
from ...checking.check_scene import note_findings
from ...checking.resolutions import follow_mesh
from ...checking.sizes import follow_size
from ...data.material_names import DAMPING, MATERIAL_VALUES, material_names, plasticity_names
from ...data.object_types import can_have, is_body
from ...data.own_preset_file import MOST_BYTES, apply_values, preset_text, preset_values, read_own_preset
from ...data.properties import unit_scale_of
from ..own_presets import ASSET_ROLE, ASSET_TEXT, folders_of, has_material_of_asset, preset_subdir
from ..sidebar import PARAMETERS
from .idle import chosen_objects
from .selected_objects import refit

_NO_BODY = "Make an object active that has a material first"


class XPBD_OT_save_preset(AddPresetBase, bpy.types.Operator):  # type: ignore[misc]
    """Keep the material of the active object under a name, for this file and all others."""

    bl_idname = "xpbd.save_preset"
    bl_label = "Save Own Preset"
    preset_menu = "XPBD_MT_own_presets"
    remove_name: bpy.props.BoolProperty(
        name="Remove", description="Remove the preset of this name", default=False, options={"HIDDEN", "SKIP_SAVE"}
    )
    remove_active: bpy.props.BoolProperty(
        name="Remove the Last", description="Remove the last one shown", default=False, options={"HIDDEN", "SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object has a material."""
        return _has_material(cls, context)

    @property
    def preset_subdir(self) -> str:
        """Presets of each role have a folder of their own."""
        return preset_subdir(bpy.context.object.xpbd.role)

    def execute(self, context: bpy.types.Context) -> Any:
        """Save or remove it; Blender's own way ends without a word where there is no name."""
        if not (self.name.strip() or self.remove_name or self.remove_active):
            self.report({"WARNING"}, "Give the preset a name")
            return {"CANCELLED"}
        outcome: Any = super().execute(context)
        return outcome

    def add(self, context: bpy.types.Context, filepath: str) -> None:
        """Write it; Blender's own way knows no units."""
        publish(Path(filepath), [_active_text(context).encode()])


class XPBD_OT_apply_preset(bpy.types.Operator):
    """Give the selected objects of the same role a material that was saved."""

    bl_idname = "xpbd.apply_preset"
    bl_label = "Apply Own Preset"
    bl_options = {"REGISTER", "UNDO"}

    filepath: bpy.props.StringProperty(
        name="File", description="The preset's file", subtype="FILE_PATH", options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object has a material."""
        return _has_material(cls, context)

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Apply it to the active object, and give the others what that has then."""
        source = context.object.xpbd
        # none but those that the menu shows
        if Path(self.filepath).parent not in folders_of(source.role) or not Path(self.filepath).is_file():
            self.report({"WARNING"}, f"There is no preset {self.filepath} for this role")
            return {"CANCELLED"}
        try:
            text = read_own_preset(Path(self.filepath))
            _give(self, context, text, self.filepath, source)
        except XpbdError as error:
            self.report({"ERROR"}, plain_words(str(error)))
            return {"CANCELLED"}
        return {"FINISHED"}


class XPBD_OT_save_asset(bpy.types.Operator):
    """Put the active object into the asset browser: dragged from there it has its settings, or gives its material."""

    bl_idname = "xpbd.save_asset"
    bl_label = "Mark as Asset"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object has a material."""
        return _has_material(cls, context)

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Mark it; the asset has the material with it, so that no file is opened to read that."""
        obj: Any = context.object
        obj.asset_mark()
        obj.asset_data[ASSET_ROLE], obj.asset_data[ASSET_TEXT] = obj.xpbd.role, _active_text(context)
        obj.asset_data.description = f"XPBD {body_kind(obj.xpbd.role).label}"
        obj.asset_data.tags.new("XPBD", skip_if_exists=True)
        obj.asset_generate_preview()
        told = "All files have it in their asset browser, if this one is saved in an asset library (Preferences)"
        self.report({"INFO"}, f'"{obj.name}" is an asset of this file. {told}')
        return {"FINISHED"}


class XPBD_OT_apply_asset(bpy.types.Operator):
    """Give the selected objects the XPBD material of this asset; those without a role get its role."""

    bl_idname = "xpbd.apply_asset"
    bl_label = "Apply XPBD Material"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the asset under the mouse, or the active one, has a material, and something is selected."""
        if not has_material_of_asset(context):
            cls.poll_message_set("The asset has no XPBD material: Mark as Asset in the menu of materials gives it one")
            return False
        if not context.selected_objects:
            cls.poll_message_set("Select the objects that get the material")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Apply it to one object, and give the others what that has then."""
        asset: Any = context.asset.metadata
        role, text = str(asset.get(ASSET_ROLE)), str(asset[ASSET_TEXT])[:MOST_BYTES]
        chosen = [obj for obj in context.selected_objects if obj.is_editable and role in body_roles()]
        given = [obj for obj in chosen if obj.xpbd.role in ("NONE", role) and can_have(obj, role)]
        if not given:
            self.report({"WARNING"}, f"No selected object is {role.title()}, or could be")
            return {"CANCELLED"}
        before = [obj.xpbd.role for obj in given]
        for obj in given:
            obj.xpbd.role = role
        try:
            _give(self, context, text, f'"{context.asset.name}"', given[0].xpbd, given)
        except XpbdError as error:
            for obj, former in zip(given, before, strict=True):
                obj.xpbd.role = former
            self.report({"ERROR"}, plain_words(str(error)))
            return {"CANCELLED"}
        # as the role's own button does
        begun = [obj for obj, former in zip(given, before, strict=True) if former == "NONE"]
        for told in (follow_mesh(context, begun), follow_size(context, begun)):
            if told:
                self.report({"INFO"}, told)
        note_findings(context)
        return {"FINISHED"}


def _active_text(context: bpy.types.Context) -> str:
    """The material of the active object as a preset's text."""
    return preset_text(context.object.xpbd, _names(context.object, context.scene), unit_scale_of(context.scene))


def _give(
    operator: Any,
    context: bpy.types.Context,
    text: str,
    title: str,
    source: Any,
    objects: Sequence[bpy.types.Object] | None = None,
) -> None:
    """Give an object a preset, and others what it has then: those of its role that are chosen, if none are named.

    Raises:
        XpbdError: as ``preset_values``; nothing is applied then.
    """
    apply_values(source, preset_values(text, title, source, MATERIAL_VALUES, unit_scale_of(context.scene)))
    names = _names(source.id_data, context.scene)
    if objects is None:
        objects = [obj for obj in chosen_objects(context) if obj.xpbd.role == source.role and obj.is_editable]
    for obj in objects:
        if obj != source.id_data:
            for name in names:
                setattr(obj.xpbd, name, getattr(source, name))
            obj.xpbd.preset, obj.xpbd.shown_preset = source.preset, source.shown_preset
    refit(operator, context, objects)


def _has_material(operator: Any, context: bpy.types.Context) -> bool:
    if context.object is not None and is_body(context.object) and context.object.is_editable:
        return True
    operator.poll_message_set(_NO_BODY)
    return False


def _names(obj: bpy.types.Object, scene: bpy.types.Scene) -> list[str]:
    """The parameters that make the material of an object."""
    settings, mode = obj.xpbd, scene.xpbd.solver_mode
    names = (*material_names(settings, mode), *DAMPING, *plasticity_names(settings, mode))
    return [name for name in names if not PARAMETERS[name].roles or settings.role in PARAMETERS[name].roles]
