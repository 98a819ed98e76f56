# SPDX-License-Identifier: GPL-3.0-or-later
"""The cache goes with a file that is saved under another name or in another folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import bpy

from ...jobs.cache_contents import hand_on_all, is_played
from ...jobs.files import inside
from ...jobs.play_inputs import PlayInputs
from ...scene.errors import XpbdError
from ..data.bake_record import may_be_looked_at, read_record, record_folder
from .cache_folder import cache_folder, claim, forget_number, give_identity, has_own_cache, is_of_unsaved_file

# of the file, in nanoseconds
_seen: int | None = None


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def give_identities(*_arguments: object) -> None:
    """Let the file that is about to be saved hold the ids of its scenes that have bakes or a cache.

    A copy of a scene gets its own: the file does not tell which of both is the copy.
    """
    for scene in bpy.data.scenes:
        has_cache = has_own_cache(scene) and cache_folder(scene)[0].is_dir()
        if scene.xpbd.cache_id or has_cache or any(read_record(obj) is not None for obj in scene.objects):
            give_identity(scene)


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def bring_along(path: str = "", *_arguments: object) -> None:
    """Share the jobs of baked objects with the cache that the file has under its present name, and claim that.

    Both files have them then: on one disk the frames are there once, under two names. A folder that the artist chose
    stays where it is; it gets what was baked before the file was saved, which others free after a month. What the disk
    refuses is told on the console: the file itself is saved, and its bakes still know
    where their frames were.

    Args:
        path: that was saved to; of a copy, it is not that of the file.
    """
    for scene in bpy.data.scenes:
        if not bpy.data.filepath:
            continue
        folder, _ = cache_folder(scene)
        for former in _job_folders(scene):
            session = former.parent if is_played(former.parent) else None
            cache = former.parent if session is None else session.parent
            if cache == folder or not former.is_dir():
                continue
            if scene.xpbd.cache_directory and not is_of_unsaved_file(cache):
                continue
            try:
                if session is not None:
                    # what a hand has moved is no bake of the same inputs
                    hand_on_all(former, inside(folder, session.name, code="E_CACHE"))
                elif not PlayInputs(former).newest_run():
                    hand_on_all(former, folder)
            except XpbdError as fault:
                print(f"XPBD: the cache stays in {former.parent}. {fault}")
        if path in {"", bpy.data.filepath}:
            claim(scene, is_saved=True)


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def note_folders(*_arguments: object) -> None:
    """Let records of earlier versions, which do not tell where their job lies, tell it as long as it is found there.

    Where the file is saved elsewhere, nothing but the record leads to it.
    """
    for scene in bpy.data.scenes:
        folder, _ = cache_folder(scene)
        # the folder is a stranger's word too, and nobody has asked for anything yet
        if not may_be_looked_at(folder):
            continue
        for obj in scene.objects:
            record = read_record(obj)
            if record is None or record.folder or not obj.is_editable:
                continue
            job = record_folder(record, folder)
            if job is not None and job.is_dir():
                replace(record, folder=str(folder)).store(obj)


def was_saved_by_another() -> bool:
    """Whether the file on the disk is not, or may not be, as this Blender has opened or saved it: other bakes count.

    Nobody knows of one that was open before the add-on was there, or that was recovered after a crash.
    """
    return _time_of_file() not in {None, _seen}


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def note_time(path: str = "", *_arguments: object) -> None:
    """Note when the file was written that is open now; a copy of it says nothing."""
    global _seen  # noqa: PLW0603 - one file is open at a time
    if path in {"", bpy.data.filepath}:
        _seen = _time_of_file()


def _time_of_file() -> int | None:
    """When the file was written last, by the disk; None where it was never saved, or is gone."""
    try:
        return Path(bpy.data.filepath).stat().st_mtime_ns if bpy.data.filepath else None
    except OSError:
        return None


def _job_folders(scene: bpy.types.Scene) -> set[Path]:
    """Where the jobs of the scene's baked objects are."""
    records = (read_record(obj) for obj in scene.objects)
    return {path for record in records if record is not None and (path := record_folder(record)) is not None}


def register() -> None:
    """Watch for files being opened and saved."""
    bpy.app.handlers.save_pre.append(give_identities)
    bpy.app.handlers.load_post.append(forget_number)
    bpy.app.handlers.load_post.append(note_folders)
    bpy.app.handlers.load_post.append(note_time)
    bpy.app.handlers.save_post.append(bring_along)
    bpy.app.handlers.save_post.append(note_time)


def unregister() -> None:
    """Watch no more."""
    bpy.app.handlers.load_post.remove(note_folders)
    bpy.app.handlers.load_post.remove(forget_number)
    bpy.app.handlers.load_post.remove(note_time)
    bpy.app.handlers.save_post.remove(note_time)
    bpy.app.handlers.save_post.remove(bring_along)
    bpy.app.handlers.save_pre.remove(give_identities)
