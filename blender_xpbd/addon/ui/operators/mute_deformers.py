# SPDX-License-Identifier: GPL-3.0-or-later
"""Mute what cannot be taken out of a result."""

from __future__ import annotations

import bpy

from .remedies import Remedy, name_property


class XPBD_OT_mute_deformers(Remedy, bpy.types.Operator):
    """Turn the deformers of an object off while it is baked; Clear turns them on again."""

    bl_idname = "xpbd.mute_deformers"
    bl_label = "Mute Deformers"
    object_name: name_property()

    def mend(self, context: bpy.types.Context) -> str:
        """Ask the next bake for it."""
        obj = context.scene.objects.get(self.object_name)
        if obj is None or not obj.is_editable:
            return f'There is no object "{self.object_name}" that could be changed'
        obj.xpbd.mute_deformers = True
        return ""
