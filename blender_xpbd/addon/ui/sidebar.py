# SPDX-License-Identifier: GPL-3.0-or-later
"""What all panels of the tab "XPBD" have in common."""

from __future__ import annotations

from typing import Any

import bpy

from ..data.object_types import can_have, takes_part
from ..data.properties import BLENDER_UNITS
from ..data.specs import OBJECT_SETTINGS, SCENE_SETTINGS

PARAMETERS = {setting.name: setting.parameter for setting in (*OBJECT_SETTINGS, *SCENE_SETTINGS)}


def active_object(context: bpy.types.Context) -> Any:
    """The active object where it can have a role, or None."""
    obj = context.object
    return obj if obj is not None and can_have(obj, "NONE") else None


def active_role(context: bpy.types.Context) -> str:
    """The role of the active object, NONE where it can have none."""
    obj = active_object(context)
    return str(obj.xpbd.role) if obj is not None and takes_part(obj) else "NONE"


class SidebarPanel:
    """Where all our panels are."""

    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "UI"
    bl_category = "XPBD"
    roles: tuple[str, ...] = ()

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Panels of a role are shown for it; the others always."""
        return not cls.roles or active_role(context) in cls.roles


class SubPanel(SidebarPanel):
    """A panel below the main one, closed at first."""

    bl_parent_id = "XPBD_PT_main"
    bl_options: Any = {"DEFAULT_CLOSED"}


def draw_value(layout: Any, settings: Any, name: str, unit: str = "", **options: Any) -> None:
    """A value with the unit that Blender does not show by itself.

    Label and value share one field: the sidebar is too narrow for two columns.
    """
    parameter = PARAMETERS[name]
    unit = unit or ("" if parameter.unit in BLENDER_UNITS else parameter.unit)
    layout.prop(settings, name, text=f"{parameter.label} [{unit}]" if unit else parameter.label, **options)


def draw_group(layout: Any, obj: Any, name: str, text: str) -> None:
    """The choice of a vertex group, or of an attribute of hair; nothing of a curve, whose points can be in none."""
    if obj.type == "MESH":
        layout.prop_search(obj.xpbd, name, obj, "vertex_groups", text=text)
    elif obj.type == "CURVES":
        layout.prop_search(obj.xpbd, name, obj.data, "attributes", text=text)


def draw_choice(layout: Any, settings: Any, name: str) -> None:
    """A label and its menu, with more room for the label than Blender gives it."""
    split = layout.split(factor=0.4)
    split.label(text=PARAMETERS[name].label)
    split.prop(settings, name, text="")


def draw_parameter(layout: Any, settings: Any, name: str, unit: str = "") -> None:
    """A value, a number or a choice, as it is shown."""
    parameter = PARAMETERS[name]
    if parameter.kind == "ENUM":
        draw_choice(layout, settings, name)
    elif parameter.kind == "FLOAT":
        draw_value(layout, settings, name, unit, slider=parameter.minimum == 0.0 and parameter.maximum == 1.0)
    else:
        draw_value(layout, settings, name, unit)
