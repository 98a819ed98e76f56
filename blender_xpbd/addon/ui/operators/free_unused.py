# SPDX-License-Identifier: GPL-3.0-or-later
"""Room on the disk: frames of bakes that are no longer there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bpy

from ....jobs.cache_contents import folder_size, free_jobs, needed_jobs
from ....scene.errors import XpbdError
from ...baking.report_text import plain_words, summary_of
from ...data.bake_record import read_record
from ...process.cache_folder import cache_folder, caches_beside, free_forgotten, has_forgotten
from ...process.cache_moving import was_saved_by_another
from ...process.named_jobs import jobs_named_beside
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
        """Ask, for there is no way back; a folder that was chosen may hold the frames of files elsewhere too."""
        folder, _ = cache_folder(context.scene)
        others = ", and month-old bakes of other files that were never saved" if has_forgotten(folder) else ""
        beside = " or those beside it" if bpy.data.filepath else ""
        question = f"Delete all that {folder} holds of bakes that are not in this file{beside}{others}?"
        if bpy.data.filepath:
            question = f"{question} Unsaved bakes of another Blender go too."
        return context.window_manager.invoke_confirm(self, event, message=question)

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Delete them, and tell how much that was."""
        records = (read_record(obj) for obj in bpy.data.objects)
        used = {record.job for record in records if record is not None}
        folder, _ = cache_folder(context.scene)
        unread: list[XpbdError] = []
        try:
            if file := bpy.data.filepath:
                named, unread = jobs_named_beside(Path(file), caches_beside(), folder, with_own=was_saved_by_another())
                used |= named
            own_count, own_size = free_jobs(folder, needed_jobs(folder, used))
            left = folder_size(folder)
        except XpbdError as error:
            self.report({"ERROR"}, plain_words(str(error)))
            return {"CANCELLED"}
        other_count, other_size, faults = free_forgotten(folder, used)
        count, size = own_count + other_count, own_size + other_size
        settings = context.scene.xpbd
        if summary := summary_of(settings.report):
            # the panel has the size from there
            settings.report = json.dumps({**summary, "cache_bytes": left})
        bakes = "1 bake" if count == 1 else f"{count} bakes"
        self.report({"INFO"}, f"Freed {size / _MEGABYTE:.1f} MB of {bakes}; {left / _MEGABYTE:.1f} MB are in use")
        for fault in unread:
            self.report({"WARNING"}, plain_words(str(fault)))
        for fault in faults:
            self.report({"WARNING"}, f"Bakes of a file that was never saved stay. {fault}")
        return {"FINISHED"}
