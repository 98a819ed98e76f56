# SPDX-License-Identifier: GPL-3.0-or-later
"""Look at the scene before a bake."""

from __future__ import annotations

from typing import Any

import bpy

from ...checking.check_scene import note_findings
from .idle import has_body, is_idle


class XPBD_OT_check(bpy.types.Operator):
    """Look for what would go wrong in a bake, or would not count in it, without baking."""

    bl_idname = "xpbd.check"
    bl_label = "Check XPBD"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is something to check, and no bake is running."""
        return is_idle(cls) and has_body(cls, context)

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Check it; the panel shows what was found."""
        count = len(note_findings(context))
        words = (
            f"{count} thing{'s' if count > 1 else ''} to look at" if count else "Nothing stands in the way of a bake"
        )
        self.report({"INFO"}, words)
        return {"FINISHED"}
