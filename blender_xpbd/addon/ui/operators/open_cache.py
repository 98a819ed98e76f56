# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames of the last bake, in the system's file browser."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path, PureWindowsPath
from typing import Any

import bpy

from ....jobs.cache_contents import is_job
from ....jobs.files import inside
from ....scene.errors import XpbdError
from ...baking.report_text import summary_of
from ...process.cache_folder import cache_folder


class XPBD_OT_open_cache(bpy.types.Operator):
    """Show the folder that the frames of the last bake are in."""

    bl_idname = "xpbd.open_cache"
    bl_label = "Open Folder"

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Open it, or tell that there is none."""
        folder = folder_to_open(context.scene)
        if folder is None:
            self.report({"WARNING"}, "There is no cache that can be opened: bake again")
            return {"CANCELLED"}
        # where it is missing Blender shows a trace, and no fault
        if sys.platform.startswith("linux") and shutil.which("xdg-open") is None:
            self.report({"WARNING"}, f"Nothing on this system opens folders. It is {folder}")
            return {"CANCELLED"}
        bpy.ops.wm.path_open(filepath=str(folder))
        return {"FINISHED"}


def folder_to_open(scene: bpy.types.Scene) -> Path | None:
    """The last bake's job folder, or what is left of the cache around it; None where nothing is.

    It is looked for with the file first: that may have been saved elsewhere, or moved with its cache. What the file
    notes may come from a stranger, and a system starts what looks like a program (an .app folder of macOS): so a folder
    is opened where it is a job's, and the cache where its name has no suffix.
    """
    cache, _ = cache_folder(scene)
    noted = summary_of(scene.xpbd.report).get("cache")
    job = Path(noted) if isinstance(noted, str) else Path()
    if _is_own_job(cache / job.name):
        return cache / job.name
    # to look at a share of the network would tell its server who looks
    is_shared = PureWindowsPath(str(job)).drive.startswith("\\\\")
    if job.is_absolute() and not is_shared and _is_own_job(job):
        return job
    return cache if cache.is_dir() and not cache.resolve().suffix else None


def _is_own_job(folder: Path) -> bool:
    """Whether it is a job's folder, and no link; the path may be none that the system takes."""
    try:
        return is_job(folder) and inside(folder.parent, folder.name, code="E_CACHE").is_dir()
    except (XpbdError, ValueError):
        return False
