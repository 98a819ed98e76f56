# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames of the last bake, in the system's file browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy

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
            self.report({"WARNING"}, "There is no cache any more: bake again")
            return {"CANCELLED"}
        bpy.ops.wm.path_open(filepath=str(folder))
        return {"FINISHED"}


def folder_to_open(scene: bpy.types.Scene) -> Path | None:
    """The last bake's job folder, or what is left of the cache around it; None where nothing is.

    It is looked for with the file first: that may have been saved elsewhere, or moved with its cache.
    """
    cache, _ = cache_folder(scene)
    noted = summary_of(scene.xpbd.report).get("cache")
    job = Path(noted) if isinstance(noted, str) and noted else None
    places = [] if job is None else [cache / job.name, job]
    return next((place for place in (*places, cache) if place.is_dir()), None)
