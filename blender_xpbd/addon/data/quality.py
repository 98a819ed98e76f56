# SPDX-License-Identifier: GPL-3.0-or-later
"""Which quality counts: numbers that somebody has typed stay, also those in files from before there was a choice."""

from __future__ import annotations

from typing import Any

TYPED = ("substeps", "iterations")
TYPED_QUALITY = "FIXED"


def quality_of(settings: Any) -> str:
    """The quality that a bake goes by: the chosen one; without a choice, Fixed where a number was typed.

    Args:
        settings: ``Scene.xpbd``.
    """
    if not settings.is_property_set("quality") and any(settings.is_property_set(name) for name in TYPED):
        return TYPED_QUALITY
    return str(settings.quality)


def keep_typed(settings: Any, _context: Any = None) -> None:
    """Choose the quality by which a number counts that was just typed, or set by a script."""
    if settings.quality != TYPED_QUALITY:
        settings.quality = TYPED_QUALITY
