# SPDX-License-Identifier: GPL-3.0-or-later
"""The strain or the stress of objects as a colour that plays with their keys."""

from __future__ import annotations

from typing import Any

import bpy

from ....scene.errors import XpbdError
from ...baking.report_text import plain_words
from ...data.object_types import is_body
from ...keys.strain_map import FULL_STRAIN, STRAIN, STRESS, hide_strain, show_strain, shown_map
from ...keys.stress_map import elasticity, show_stress
from .idle import chosen_objects, is_idle


class XPBD_OT_show_strain(bpy.types.Operator):
    """Let the selected meshes show how much their edges are strained, at each frame; pressed again, no more."""

    bl_idname = "xpbd.show_strain"
    bl_label = "Show Strain"
    bl_options = {"REGISTER", "UNDO"}

    full_strain: bpy.props.FloatProperty(
        name="Full Strain [%]",
        description="Strain that has the last colour, red; what is not strained is blue",
        default=100.0 * FULL_STRAIN,
        min=1e-4,
        soft_max=100.0,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether a simulated mesh with edges is selected."""
        return _has_meshes(cls, context)

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Show it on all of them, or on none where all show it."""
        objects = _meshes(context)
        if all(shown_map(obj) == STRAIN for obj in objects):
            for obj in objects:
                hide_strain(obj)
            return {"FINISHED"}
        for obj in objects:
            show_strain(obj, 0.01 * self.full_strain)
        context.scene.xpbd.show_strain = True
        return {"FINISHED"}


class XPBD_OT_show_stress(bpy.types.Operator):
    """Let the selected meshes show the stress in their surface, at each frame; pressed again, no more."""

    bl_idname = "xpbd.show_stress"
    bl_label = "Show Stress"
    bl_options = {"REGISTER", "UNDO"}

    full_stress: bpy.props.FloatProperty(
        name="Full Stress",
        description="Stress that has the last colour, red [Pa, of cloth N/m]. 0: that of 10 % strain of the material",
        default=0.0,
        min=0.0,
        soft_max=1e6,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether a simulated mesh with edges is selected."""
        return _has_meshes(cls, context)

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Show it on all of them that have a stiffness, or on none where all show it."""
        objects, mode = _meshes(context), context.scene.xpbd.solver_mode
        faults = {obj.name: _lack_of_stiffness(obj, mode) for obj in objects}
        showing = [obj for obj in objects if shown_map(obj) == STRESS]
        others = [obj for obj in objects if obj not in showing and not faults[obj.name]]
        if showing and not others:
            for obj in showing:
                hide_strain(obj)
            return {"FINISHED"}
        for fault in filter(None, faults.values()):
            self.report({"WARNING"}, fault)
        if not others:
            return {"CANCELLED"}
        for obj in objects:
            if not faults[obj.name]:
                show_stress(obj, self.full_stress, mode)
        context.scene.xpbd.show_strain = True
        return {"FINISHED"}


def _lack_of_stiffness(obj: Any, solver_mode: str) -> str:
    """Why an object has no stress that could be shown, "" where it has."""
    try:
        elasticity(obj, solver_mode)
    except XpbdError as fault:
        return plain_words(str(fault))
    return ""


def _has_meshes(operator: Any, context: bpy.types.Context) -> bool:
    if not is_idle(operator):
        return False
    if context.mode != "OBJECT" or not _meshes(context):
        operator.poll_message_set("Select a mesh that is simulated and has edges, in Object Mode")
        return False
    return True


def _meshes(context: bpy.types.Context) -> list[Any]:
    chosen = chosen_objects(context)
    return [obj for obj in chosen if is_body(obj) and obj.type == "MESH" and obj.is_editable and obj.data.edges]
