# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a scene keeps its jobs.

A saved file has them beside it, in a folder that says whose it is (``cache_owner``). The scene has its id from its
first bake on; it is drawn when a bake claims the folder, and an undo does not take it away.

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
from dataclasses import replace
from pathlib import Path

import bpy

from ...jobs.cache_contents import entries, free_jobs, is_job, job_folders, last_change, needed_jobs
from ...jobs.files import inside, is_there, publish
from ...jobs.play_inputs import PlayInputs
from ...jobs.record import printable
from ...jobs.status import STATUS_FILE
from ...scene.errors import Notice, XpbdError
from ..data.named_path import absolute_path
from .cache_owner import Owner, is_identity, new_identity, own_cache, read_owner, write_owner
from .worker_python import user_cache

DEFAULT_FOLDER = "//xpbd_cache"
# nobody comes back for the frames of a file that was never saved after so long
FORGOTTEN_SECONDS = 30 * 24 * 3600.0
# names that begin so are no job's to those who look through a cache
_UNKEPT_FILE = ".unkept"

_number = ""
# ids that were drawn since the file was opened, by session_uid of the scene
_identities: dict[int, str] = {}


def cache_folder(scene: bpy.types.Scene, chosen: Path | None = None) -> tuple[Path, Notice | None]:
    """The folder for the scene's jobs, and a warning where it does not lie with the file.

    Args:
        scene: its ``xpbd.cache_directory`` counts; if that is empty, a folder beside the .blend file, the scene's own
            by its id, else one that is free, by the names of file and scene.
        chosen: goes before it.
    """
    if chosen is not None:
        return absolute_path(chosen), None
    if has_own_cache(scene):
        caches = caches_beside()
        named = caches / safe_name(Path(bpy.data.filepath).stem) / safe_name(scene.name)
        scenes = {other.name: str(other.xpbd.cache_id) for other in bpy.data.scenes}
        return own_cache(caches, named, _owner(scene), scenes), None
    wish = scene.xpbd.cache_directory or DEFAULT_FOLDER
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


def caches_beside() -> Path:
    """The folder of the caches of all files that lie beside the present one, which was saved."""
    return Path(bpy.path.abspath(DEFAULT_FOLDER)).absolute()


def has_own_cache(scene: bpy.types.Scene) -> bool:
    """Whether a scene has a cache beside its file that is its own: the file was saved, and no folder was chosen."""
    return bool(bpy.data.filepath) and not scene.xpbd.cache_directory


def claim(scene: bpy.types.Scene, *, is_saved: bool = False) -> None:
    """Let the scene's cache say whose it is, where it is there and the scene's own.

    What the disk refuses is told on the console: frames that are there can be taken from a folder that is read-only.

    Args:
        scene: gets an id where it has none.
        is_saved: the file was just saved with it.
    """
    if not has_own_cache(scene):
        return
    folder, _ = cache_folder(scene)
    try:
        if folder.is_dir():
            _claim(scene, folder, is_saved=is_saved)
    except XpbdError as fault:
        print(f"XPBD: nothing says whose the cache is. {fault}")


def _claim(scene: bpy.types.Scene, folder: Path, *, is_saved: bool) -> None:
    former = read_owner(folder)
    if former is not None and former.has_names_of(_owner(scene)) and not _owner(scene).identity:
        # of a run that was not saved
        _identities[scene.session_uid] = former.identity
    give_identity(scene)
    owner = _owner(scene)
    if not owner.identity:
        # of another file, which says nothing of this one
        return
    was_saved = former is not None and former.is_saved and former.identity == owner.identity
    owner = replace(owner, is_saved=is_saved or was_saved or owner.identity not in _identities.values())
    if owner != former:
        write_owner(folder, owner)


def give_identity(scene: bpy.types.Scene) -> None:
    """Give the scene an id where it has none of its own, or the one that an undo has taken away."""
    if not _stored_identity(scene) and scene.is_editable:
        scene.xpbd.cache_id = _identities.setdefault(scene.session_uid, new_identity())


def _owner(scene: bpy.types.Scene) -> Owner:
    identity = _stored_identity(scene) or _identities.get(scene.session_uid, "")
    return Owner(identity, printable(Path(bpy.data.filepath).name), scene.name)


def _stored_identity(scene: bpy.types.Scene) -> str:
    """The id that a scene has; "" for none, and for that of the scene which it is a copy of."""
    identity, number = scene.xpbd.cache_id, scene.session_uid
    is_copy = any(other.xpbd.cache_id == identity and other.session_uid < number for other in bpy.data.scenes)
    return str(identity) if is_identity(identity) and not is_copy else ""


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


def has_forgotten(folder: Path) -> bool:
    """Whether another cache than the present file's is one that ``free_forgotten`` looks into."""
    try:
        return any(_is_forgotten(cache) for cache in _folders_in(_unsaved_caches()) if cache != folder)
    except XpbdError:
        return False


def free_forgotten(folder: Path, used: Set[str]) -> tuple[int, int, list[XpbdError]]:
    """Delete the caches of files that were never saved, and in which nothing was computed for a month.

    A file that was saved since has its bakes beside it. Played runs that were kept stay: they cannot be computed again,
    and such a file shows them from there.

    Args:
        folder: the cache of the present file, which stays.
        used: names of the jobs that the present file shows. If it was recovered, they lie in an older cache; what they
            go on from stays with them.

    Returns:
        How many jobs went, the bytes that they had, and what went wrong (E_IO, or E_CACHE for a link): a cache with a
        fault does not keep the others.
    """
    count, size = 0, 0
    faults: list[XpbdError] = []
    try:
        others = [path for path in _folders_in(_unsaved_caches()) if path != folder]
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


def note_unkept(session: Path) -> None:
    """Note in the folder of a run that is being played that nobody has kept it: its file may not live to say so.

    Raises:
        XpbdError: E_IO; E_CACHE, when a link stands in the way.
    """
    publish(inside(session, _UNKEPT_FILE, code="E_CACHE"), ())


def note_kept(session: Path) -> None:
    """Take that back."""
    with contextlib.suppress(OSError):
        (session / _UNKEPT_FILE).unlink()


def is_unkept(job: Path) -> bool:
    """Whether nobody has kept the run that a job is of. Raises E_IO."""
    return is_there(job.parent / _UNKEPT_FILE)


def _is_forgotten(cache: Path) -> bool:
    return last_change(cache) < time.time() - FORGOTTEN_SECONDS


def _free_if_forgotten(cache: Path, used: Set[str]) -> tuple[int, int]:
    if not _is_forgotten(cache):
        return 0, 0
    played = {path.name for path in job_folders(cache) if PlayInputs(path).newest_run() and not is_unkept(path)}
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
    """Another file is open now: where it was never saved it gets a folder of its own, and its scenes have their ids."""
    global _number  # noqa: PLW0603 - one file is open at a time
    _number = ""
    _identities.clear()


def safe_name(name: str) -> str:
    """A name as part of a path: letters, digits and - _ only."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "_"
