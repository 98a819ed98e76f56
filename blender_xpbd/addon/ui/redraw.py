# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing our panels again: Blender does not know that what they show has changed."""

from __future__ import annotations

import bpy

# Where our panels are: region by the type of the editor
_REGIONS = {"VIEW_3D": "UI", "PREFERENCES": "WINDOW"}


def redraw_panels(context: bpy.types.Context) -> None:
    """Have the sidebars of the viewports, and the preferences, drawn again; the viewport Blender does itself."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            for region in area.regions:
                if region.type == _REGIONS.get(area.type):
                    region.tag_redraw()
