# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the mouse is."""

from __future__ import annotations

import bpy


def is_over_viewport(context: bpy.types.Context, event: bpy.types.Event) -> bool:
    """Whether the mouse is over a 3D viewport or its panels: elsewhere keys mean something else."""
    return any(
        area.type == "VIEW_3D"
        and area.x <= event.mouse_x < area.x + area.width
        and area.y <= event.mouse_y < area.y + area.height
        for area in context.window.screen.areas
    )
