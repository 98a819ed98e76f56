# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked shape keys given up for a modifier that plays a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy

from ...scene.errors import XpbdError
from ..keys.clearing import check_clearing, clear_bake
from .baked_object import BakedObject
from .cache_modifier import add_cache_modifier
from .file_names import path_in_blend_file


def check_replacement(objects: Sequence[BakedObject]) -> None:
    """See that the keys of all objects can be replaced, before any is.

    Raises:
        XpbdError: E_MODE_EDIT, E_DATA_LINKED as ``check_clearing``; E_DATA_SHARED where an object that is not among
            them uses a mesh, and would lose its keys.
    """
    chosen = {baked.obj for baked in objects}
    for baked in objects:
        obj = baked.obj
        check_clearing(obj)
        others = [other.name for other in bpy.data.objects if other.data == obj.data and other not in chosen]
        if others:
            raise XpbdError(
                "E_DATA_SHARED",
                f"{', '.join(others)} would lose the shape keys, for the mesh is the same: export all of them, or make "
                "the mesh single-user (Object > Relations > Make Single User > Object & Data).",
                obj.name,
            )


def replace_keys(objects: Sequence[BakedObject], paths: Sequence[Path]) -> None:
    """Clear the bakes of objects that have passed ``check_replacement``; each plays its file instead."""
    file_names = [path_in_blend_file(path) for path in paths]
    for baked, file_name in zip(objects, file_names, strict=True):
        clear_bake(baked.obj)
        baked.obj.xpbd.cache_modifier = add_cache_modifier(baked.obj, file_name, baked.record).name
