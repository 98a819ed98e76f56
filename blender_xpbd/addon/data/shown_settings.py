# SPDX-License-Identifier: GPL-3.0-or-later
"""What of the scene's settings viewports show: Blender draws none again for a property of an add-on."""

from __future__ import annotations

from typing import Any

import bpy

from .overlay_settings import OVERLAYS

# the floor's arrow is drawn without an overlay, too
SHOWN = ("use_floor", "floor_height", *OVERLAYS)


def redraw_viewports(_settings: Any, context: bpy.types.Context) -> None:
    """Have the 3D viewports of all windows drawn again."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()
