# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a scene keeps its jobs.

A file that was never saved has a folder of its own, by a number that is drawn when it needs one. So no other Blender,
and no other file of this one, frees what it still shows. Its bakes are found again all the same: the objects of a file
that was recovered note where they lie, and frames that were computed from the same inputs are looked for in the other
folders of such files (``computed_elsewhere``).
"""

from __future__ import annotations

import contextlib
import re
import secrets
import time
from collections.abc import Set
from pathlib import Path

import bpy

from ...jobs.cache_contents import entries, free_jobs, is_job, job_folders, last_change, needed_jobs
from ...jobs.files import is_there
from ...jobs.play_inputs import PlayInputs
from ...jobs.status import STATUS_FILE
from ...scene.errors import Notice, XpbdError
from ..data.named_path import absolute_path
from .worker_python import user_cache

DEFAULT_FOLDER = "//xpbd_cache"
# nobody comes back for the frames of a file that was never saved after so long
FORGOTTEN_SECONDS = 30 * 24 * 3600.0

_number = ""


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
    folder = _unsaved_caches() / f"{safe_name(scene.name)}-{_number_of_file()}"
    notice = Notice(
        "W_FILE_UNSAVED", f"The file was never saved: the cache is {folder}. Save it to keep both together."
    )
    return folder, notice


def computed_elsewhere(job: Path) -> Path | None:
    """Where frames of the same inputs lie that a file without a name has computed; None where none does.

    Args:
        job: the job folder, of any file, for Blender gives a name to what it recovers. Where frames were computed there
            already, nothing is looked for.

    Raises:
        XpbdError: E_IO.
    """
    if is_there(job / STATUS_FILE):
        return None
    caches = _unsaved_caches()
    found = (path / job.name for path in _folders_in(caches) if path != job.parent)
    return next((path for path in found if is_job(path) and is_there(path / STATUS_FILE)), None)


def is_of_unsaved_file(folder: Path) -> bool:
    """Whether a cache is that of a file that was never saved."""
    return folder.parent == _unsaved_caches()


def free_forgotten(folder: Path, used: Set[str]) -> tuple[int, int, list[XpbdError]]:
    """Delete the caches of files that were never saved, and in which nothing was computed for a month.

    Played runs stay: they cannot be computed again, and a file that was saved since may show them from there.

    Args:
        folder: the cache of the present file, which stays; if it is no such file's, no other is looked for.
        used: names of the jobs that the present file shows. If it was recovered, they lie in an older cache; what they
            go on from stays with them.

    Returns:
        How many jobs went, the bytes that they had, and what went wrong (E_IO, or E_CACHE for a link): a cache with a
        fault does not keep the others.
    """
    count, size = 0, 0
    faults: list[XpbdError] = []
    try:
        others = [path for path in _folders_in(folder.parent) if path != folder] if is_of_unsaved_file(folder) else []
    except XpbdError as fault:
        return 0, 0, [fault]
    for cache in others:
        try:
            freed = _free_if_forgotten(cache, used)
        except XpbdError as fault:
            faults.append(fault)
            continue
        count, size = count + freed[0], size + freed[1]
    return count, size, faults


def _free_if_forgotten(cache: Path, used: Set[str]) -> tuple[int, int]:
    if last_change(cache) >= time.time() - FORGOTTEN_SECONDS:
        return 0, 0
    played = {path.name for path in job_folders(cache) if PlayInputs(path).newest_run()}
    freed = free_jobs(cache, needed_jobs(cache, used | played))
    with contextlib.suppress(OSError):
        # not where something else lies in it
        cache.rmdir()
    return freed


def _unsaved_caches() -> Path:
    return user_cache() / "unsaved"


def _folders_in(caches: Path) -> list[Path]:
    return sorted(caches / name for name, is_folder in entries(caches) if is_folder)


def _number_of_file() -> str:
    global _number  # noqa: PLW0603 - one file is open at a time
    _number = _number or secrets.token_hex(8)
    return _number


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def forget_number(*_arguments: object) -> None:
    """Another file is open now: where it was never saved, it gets a folder of its own."""
    global _number  # noqa: PLW0603 - one file is open at a time
    _number = ""


def safe_name(name: str) -> str:
    """A name as part of a path: letters, digits and - _ only."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "_"
