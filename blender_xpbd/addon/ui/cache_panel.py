# SPDX-License-Identifier: GPL-3.0-or-later
"""Where frames are kept, what was taken over from them, and where keys go."""

from __future__ import annotations

from typing import Any

import bpy

from ...scene.body_kinds import body_roles
from ..baking.report_text import stale_inputs, summary_of
from .sidebar import SubPanel, active_role, draw_choice, draw_value
from .wrapped_text import draw_wrapped, letters_across

# what an artist takes in at a glance
_MOST_INPUTS = 5


class XPBD_PT_cache(SubPanel, bpy.types.Panel):
    """Where the result goes."""

    bl_label = "Cache & Keys"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw."""
        settings = context.scene.xpbd
        column = self.layout.column()
        column.prop(settings, "cache_directory", text="", placeholder="Cache Folder")
        _draw_contents(column, settings)
        row = column.row(align=True)
        row.operator("xpbd.bake", text="Bake from Here", icon="NEXT_KEYFRAME").from_current_frame = True
        row.operator("xpbd.bake", text="Bake Selected", icon="RESTRICT_SELECT_OFF").only_selected = True
        row = column.row(align=True)
        row.prop(settings, "loop_frames")
        row.operator("xpbd.loop", text="Make Loop", icon="FILE_REFRESH").frames = settings.loop_frames
        column.operator("xpbd.retime", text="Retime …", icon="MOD_TIME")
        if active_role(context) in body_roles():
            draw_choice(column, context.object.xpbd, "key_style")
        draw_value(column, settings, "key_tolerance")
        draw_value(column, settings, "subframes")
        column.operator("xpbd.export", text="Export …", icon="EXPORT")
        column.operator("xpbd.clear", text="Clear All Bakes", icon="TRASH").all = True
        inputs = stale_inputs(settings.report)
        if inputs:
            box = self.layout.box()
            box.label(text="Changed since the bake before:")
            for text in inputs[:_MOST_INPUTS]:
                draw_wrapped(box, text, icon="DOT", width=letters_across(context))
            if inputs[_MOST_INPUTS:]:
                box.label(text=f"and {len(inputs) - _MOST_INPUTS} more")


def _draw_contents(column: bpy.types.UILayout, settings: Any) -> None:
    summary = summary_of(settings.report)
    cache, size = summary.get("cache"), summary.get("cache_bytes")
    # frames stay when a bake is cleared, and its report goes
    if not settings.cache_id and (not isinstance(cache, str) or not cache):
        return
    # beside each other the second would be cut off
    column.operator("xpbd.open_cache", icon="FILE_FOLDER")
    label = f"Free Unused of {size / 1e6:.1f} MB" if isinstance(size, int | float) and size else "Free Unused"
    column.operator("xpbd.free_unused", text=label, icon="ORPHAN_DATA")
