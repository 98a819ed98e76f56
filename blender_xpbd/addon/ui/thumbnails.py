# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of the presets, made by scripts/thumbnails.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy.utils.previews

from ...scene.presets import PRESETS

FOLDER = Path(__file__).with_name("thumbnails")

_pictures: Any = None


def thumbnail(preset: str) -> int:
    """The number of a preset's picture, for ``icon_value``; 0, which is no icon, where it has none."""
    if _pictures is None or preset not in _pictures:
        return 0
    picture = _pictures[preset]
    # whoever asks for its size has it read; else a job of Blender's does so, and an open menu shows none till then
    return int(picture.icon_id) if picture.image_size[0] and picture.icon_size[0] else 0


def register() -> None:
    """Name the pictures; each is read when it is first asked for."""
    global _pictures  # noqa: PLW0603 - one collection for the whole session
    _pictures = bpy.utils.previews.new()
    for preset in PRESETS:
        _pictures.load(preset.identifier, str(FOLDER / f"{preset.identifier.lower()}.png"), "IMAGE")


def unregister() -> None:
    """Free them."""
    global _pictures  # noqa: PLW0603
    bpy.utils.previews.remove(_pictures)
    _pictures = None
