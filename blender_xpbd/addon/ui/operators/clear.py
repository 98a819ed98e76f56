# SPDX-License-Identifier: GPL-3.0-or-later
"""Take bakes back."""

from __future__ import annotations

from typing import Any

import bpy

from ....scene.errors import XpbdError
from ...baking.report_text import plain_words
from ...data.bake_status import STATUS
from ...keys.clearing import clear_bake
from ...keys.strain_map import hide_strain
from .idle import chosen_objects, is_idle


class XPBD_OT_clear(bpy.types.Operator):
    """Remove the bake from the selected objects: their shape keys and animation are as they were before it."""

    bl_idname = "xpbd.clear"
    bl_label = "Clear XPBD Bake"
    bl_options = {"REGISTER", "UNDO"}

    all: bpy.props.BoolProperty(
        name="All Objects",
        description="Clear all objects of the scene, not only the selected ones",
        default=False,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """Not while a bake is writing or a run is played."""
        return is_idle(cls)

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Clear them; those that cannot be cleared are named."""
        cleared = 0
        refused = False
        for obj in self._objects(context):
            try:
                cleared += clear_bake(obj) | hide_strain(obj)
            except XpbdError as error:
                refused = True
                self.report({"ERROR"}, plain_words(str(error)))
        if cleared:
            context.scene.xpbd.report = ""
            STATUS.reset()
        elif not refused:
            self.report({"INFO"}, "The selected objects have no bake")
        return {"FINISHED"} if cleared else {"CANCELLED"}

    def _objects(self, context: bpy.types.Context) -> list[Any]:
        return list(context.scene.objects) if self.all else chosen_objects(context)
