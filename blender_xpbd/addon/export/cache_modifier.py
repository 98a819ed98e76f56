# SPDX-License-Identifier: GPL-3.0-or-later
"""A Mesh Cache modifier that plays a point cache: for as long as an export takes, or in the place of shape keys."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy

from ..data.bake_record import BakeRecord
from ..reading.modifier_stack import deformers

NAME = "XPBD Cache"


def add_cache_modifier(obj: bpy.types.Object, path: Path | str, record: BakeRecord) -> bpy.types.Modifier:
    """Let an object play a PC2 or MDD file, before all its other modifiers but the deformers that its bake takes out.

    Args:
        obj: a mesh object.
        path: of the file; may be relative to the .blend file, with "//".
        record: of its bake.
    """
    freed = {modifier.name for modifier in deformers(obj)} if record.frees_deformed else set()
    place = max((index + 1 for index, other in enumerate(obj.modifiers) if other.name in freed), default=0)
    modifier: Any = obj.modifiers.new(NAME, "MESH_CACHE")
    modifier.cache_format = Path(path).suffix[1:].upper()
    modifier.filepath = str(path)
    # Blender counts samples, and subtracts the start after it has scaled the scene's frame
    modifier.frame_scale = float(record.subframes + 1)
    modifier.frame_start = float((record.subframes + 1) * record.clip().start)
    modifier.deform_mode = "OVERWRITE"
    modifier.interpolation = "LINEAR"
    modifier.play_mode = "SCENE"
    obj.modifiers.move(len(obj.modifiers) - 1, place)
    return obj.modifiers[place]


@contextmanager
def played_from(obj: bpy.types.Object, path: Path, record: BakeRecord) -> Iterator[None]:
    """As ``add_cache_modifier``, until the end."""
    active = obj.modifiers.active
    name = active.name if active else ""
    modifier = add_cache_modifier(obj, path, record)
    try:
        yield
    finally:
        obj.modifiers.remove(modifier)
        obj.modifiers.active = obj.modifiers.get(name)
