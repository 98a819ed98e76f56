# SPDX-License-Identifier: GPL-3.0-or-later
"""Room on the disk: frames of bakes that are no longer there."""

from __future__ import annotations

import json
from typing import Any

import bpy

from ....jobs.cache_contents import folder_size, free_jobs, needed_jobs
from ....scene.errors import XpbdError
from ...baking.report_text import summary_of
from ...data.bake_record import read_record
from ...process.cache_folder import cache_folder, free_forgotten
from .idle import is_idle

_MEGABYTE = 1e6


class XPBD_OT_free_unused(bpy.types.Operator):
    """Delete what the scene's cache holds of bakes that no object of this file has any more."""

    bl_idname = "xpbd.free_unused"
    bl_label = "Free Unused"

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """Not while a bake is running."""
        return is_idle(cls)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[Any]:
        """Ask, for there is no way back; a folder that was chosen may hold the frames of other files too."""
        chosen = context.scene.xpbd.cache_directory
        title = f"Delete all that {chosen} holds of bakes that are not in this file?" if chosen else "Delete them?"
        if not chosen and not bpy.data.filepath:
            title = "Delete them, and bakes of files that were never saved that are a month old?"
        return context.window_manager.invoke_confirm(self, event, message=title)

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Delete them, and tell how much that was."""
        records = (read_record(obj) for obj in bpy.data.objects)
        used = {record.job for record in records if record is not None}
        folder, _ = cache_folder(context.scene)
        try:
            freed = free_jobs(folder, needed_jobs(folder, used)), free_forgotten(folder)
            count, size = (sum(numbers) for numbers in zip(*freed, strict=True))
            left = folder_size(folder)
        except XpbdError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        settings = context.scene.xpbd
        if summary := summary_of(settings.report):
            # the panel has the size from there
            settings.report = json.dumps({**summary, "cache_bytes": left})
        bakes = "1 bake" if count == 1 else f"{count} bakes"
        self.report({"INFO"}, f"Freed {size / _MEGABYTE:.1f} MB of {bakes}; {left / _MEGABYTE:.1f} MB are in use")
        return {"FINISHED"}
