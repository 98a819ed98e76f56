# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a scene keeps its jobs."""

from __future__ import annotations

import re
from pathlib import Path

import bpy

from ...scene.errors import Notice
from ..data.named_path import absolute_path
from .worker_python import user_cache

DEFAULT_FOLDER = "//xpbd_cache"


def cache_folder(scene: bpy.types.Scene, chosen: Path | None = None) -> tuple[Path, Notice | None]:
    """The folder for the scene's jobs, and a warning where it does not lie with the file.

    Args:
        scene: its ``xpbd.cache_directory`` counts; if that is empty, a folder beside the .blend file, by the names of
            file and scene.
        chosen: goes before it.
    """
    if chosen is not None:
        return absolute_path(chosen), None
    file = safe_name(Path(bpy.data.filepath).stem)
    wish = scene.xpbd.cache_directory or f"{DEFAULT_FOLDER}/{file}/{safe_name(scene.name)}"
    if not wish.startswith("//"):
        return absolute_path(Path(wish)), None
    if bpy.data.filepath:
        return Path(bpy.path.abspath(wish)).absolute(), None
    # Blender would make a path in the present working directory of it
    folder = user_cache() / "unsaved" / safe_name(scene.name)
    notice = Notice(
        "W_FILE_UNSAVED", f"The file was never saved: the cache is {folder}. Save it to keep both together."
    )
    return folder, notice


def safe_name(name: str) -> str:
    """A name as part of a path: letters, digits and - _ only."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "_"
