# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of one's own: kept and found by Blender's own presets, below the user's scripts, for all files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from bl_operators.presets import AddPresetBase

from ....scene.errors import XpbdError
from ...baking.report_text import plain_words
from ...data.material_names import DAMPING, MATERIAL_VALUES, material_names, plasticity_names
from ...data.object_types import is_body
from ...data.own_preset_file import OBJECT_LINE, apply_values, read_own_preset
from ..own_presets import folders_of, preset_subdir
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
    preset_defines = (OBJECT_LINE,)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object has a material."""
        return _has_material(cls, context)

    @property
    def preset_subdir(self) -> str:
        """Presets of each role have a folder of their own."""
        return preset_subdir(bpy.context.object.xpbd.role)

    @property
    def preset_values(self) -> list[str]:
        """What is kept. To set a value makes the material an own one, so which it is comes last."""
        return [f"settings.{name}" for name in (*_names(bpy.context), "preset")]


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
            apply_values(source, read_own_preset(Path(self.filepath), source, MATERIAL_VALUES))
        except XpbdError as error:
            self.report({"ERROR"}, plain_words(str(error)))
            return {"CANCELLED"}
        names = _names(context)
        given = [obj for obj in chosen_objects(context) if obj.xpbd.role == source.role and obj.is_editable]
        for obj in given:
            if obj != context.object:
                for name in names:
                    setattr(obj.xpbd, name, getattr(source, name))
                obj.xpbd.preset = source.preset
        refit(self, context, given)
        return {"FINISHED"}


def _has_material(operator: Any, context: bpy.types.Context) -> bool:
    if context.object is not None and is_body(context.object) and context.object.is_editable:
        return True
    operator.poll_message_set(_NO_BODY)
    return False


def _names(context: bpy.types.Context) -> list[str]:
    """The parameters that make the material of the active object."""
    settings, mode = context.object.xpbd, context.scene.xpbd.solver_mode
    names = (*material_names(settings, mode), *DAMPING, *plasticity_names(settings, mode))
    return [name for name in names if not PARAMETERS[name].roles or settings.role in PARAMETERS[name].roles]
