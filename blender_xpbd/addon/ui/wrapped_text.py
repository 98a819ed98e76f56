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


def popup_text_in(text: str, context: bpy.types.Context) -> str:
    """The same for a window that may be narrower than the longest line."""
    return " \n".join(wrap(text, min(_POPUP_LETTERS, _letters(context, context.window.width))))


def letters_across(context: bpy.types.Context) -> int:
    """About how many letters fit into a line of a panel."""
    return _letters(context, context.region.width) if context.region else _letters_of(300.0)


def _letters(context: bpy.types.Context, pixels: float) -> int:
    return _letters_of(pixels / context.preferences.system.ui_scale)


def _letters_of(width: float) -> int:
    return max(_FEWEST_LETTERS, int((width - _MARGIN_PIXELS) / _LETTER_PIXELS))
