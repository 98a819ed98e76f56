# SPDX-License-Identifier: GPL-3.0-or-later
"""From a preset to a material of one's own."""

from __future__ import annotations

from typing import Any

import bpy

from ...data.properties import is_named, show_preset


class XPBD_OT_own_material(bpy.types.Operator):
    """Make the values of this material your own, to change them."""

    bl_idname = "xpbd.own_material"
    bl_label = "Edit as Own Material"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object has a preset."""
        return context.object is not None and is_named(context.object.xpbd.preset)

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """The values of the preset become editable; lengths by the unit scale that the scene has now."""
        show_preset(context.object.xpbd, context)
        context.object.xpbd.preset = "MATERIAL"
        return {"FINISHED"}
