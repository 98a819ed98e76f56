# SPDX-License-Identifier: GPL-3.0-or-later
"""Long texts in panels: Blender's labels do not wrap."""

from __future__ import annotations

import textwrap
from typing import Any

import bpy

# Width of a letter of the default interface font, and of margins and icon, in pixels at scale 1
_LETTER_PIXELS = 6.4
_MARGIN_PIXELS = 74
_FEWEST_LETTERS = 16
_POPUP_LETTERS = 100


def draw_wrapped(layout: Any, text: str, icon: str = "NONE", width: int = 40) -> None:
    """Labels for the lines of a text.

    Args:
        layout: where to.
        text: may hold line breaks.
        icon: of the first line.
        width: letters per line.
    """
    column = layout.column(align=True)
    column.scale_y = 0.8
    indent = "NONE" if icon == "NONE" else "BLANK1"
    for line in wrap(text, width):
        column.label(text=line, icon=icon, translate=False)
        icon = indent


def wrap(text: str, width: int) -> list[str]:
    """The lines of a text; long paths are broken rather than cut off."""
    return [line for part in text.splitlines() for line in textwrap.wrap(part, width) or [""]]


def popup_text(text: str) -> str:
    """A report for a pop-up, which is as wide as its longest line."""
    return " \n".join(wrap(text, _POPUP_LETTERS))


def letters_across(context: bpy.types.Context) -> int:
    """About how many letters fit into a line of a panel."""
    width = context.region.width / context.preferences.system.ui_scale if context.region else 300.0
    return max(_FEWEST_LETTERS, int((width - _MARGIN_PIXELS) / _LETTER_PIXELS))
