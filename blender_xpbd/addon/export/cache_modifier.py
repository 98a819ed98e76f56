# SPDX-License-Identifier: GPL-3.0-or-later
"""A Mesh Cache modifier that plays a point cache: for as long as an export takes, or in the place of shape keys."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy

NAME = "XPBD Cache"


def add_cache_modifier(obj: bpy.types.Object, path: Path | str, start: int) -> bpy.types.Modifier:
    """Let an object play a PC2 or MDD file, before all its other modifiers.

    Args:
        obj: a mesh object.
        path: of the file; may be relative to the .blend file, with "//".
        start: the file's first frame.
    """
    modifier: Any = obj.modifiers.new(NAME, "MESH_CACHE")
    modifier.cache_format = Path(path).suffix[1:].upper()
    modifier.filepath = str(path)
    modifier.frame_start = float(start)
    modifier.deform_mode = "OVERWRITE"
    modifier.interpolation = "LINEAR"
    modifier.play_mode = "SCENE"
    obj.modifiers.move(len(obj.modifiers) - 1, 0)
    return obj.modifiers[0]


@contextmanager
def played_from(obj: bpy.types.Object, path: Path, start: int) -> Iterator[None]:
    """As ``add_cache_modifier``, until the end."""
    active = obj.modifiers.active
    name = active.name if active else ""
    modifier = add_cache_modifier(obj, path, start)
    try:
        yield
    finally:
        obj.modifiers.remove(modifier)
        obj.modifiers.active = obj.modifiers.get(name)
