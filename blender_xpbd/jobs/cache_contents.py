# SPDX-License-Identifier: GPL-3.0-or-later
"""The job folders of a cache: how large they are, which may go, and one handed on to another cache."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Set
from contextlib import ExitStack
from pathlib import Path, PurePath

from ..scene.errors import XpbdError
from .array_record import ARRAYS_FOLDER
from .checkpoint import CHECKPOINT_FILE
from .files import inside, io_error, is_there, make_folder, share
from .frames import FRAMES_FOLDER
from .job import FOLDER_NAME_LENGTH, JOB_FILE, read_description
from .lock import JobLock
from .milestones import MILESTONES_FOLDER
from .play_inputs import INPUTS_FOLDER
from .result import RESULT_FILE
from .status import STATUS_FILE
from .subframes import SUBFRAMES_FOLDER
from .tangled import TANGLED_FILE

_PLAYED_NAME = re.compile(r"played_[0-9a-f]{12}")
_JOB_NAME = re.compile(rf"[0-9a-f]{{{FOLDER_NAME_LENGTH}}}")


def job_folders(cache: Path) -> list[Path]:
    """The folders of jobs in a cache, by name, then those of runs that were played; what else lies there is not ours.

    Raises:
        XpbdError: E_IO.
    """
    names = sorted(name for name, is_folder in entries(cache) if is_folder)
    played = [cache / name for name in names if is_played(cache / name)]
    return [path for folder in (cache, *played) for path in _jobs_in(folder)]


def _jobs_in(folder: Path) -> list[Path]:
    names = sorted(name for name, is_folder in entries(folder) if is_folder)
    return [folder / name for name in names if is_job(folder / name)]


def is_played(folder: PurePath) -> bool:
    """Whether a folder is that of a run that was played, by its name; the run's job lies in it."""
    return bool(_PLAYED_NAME.fullmatch(folder.name))


def is_job(folder: Path) -> bool:
    """Whether a folder is a job's, by its name and by what it holds.

    Raises:
        XpbdError: E_IO, when the system does not tell.
    """
    return bool(_JOB_NAME.fullmatch(folder.name)) and is_there(folder / JOB_FILE)


def needed_jobs(cache: Path, names: Iterable[str]) -> frozenset[str]:
    """These jobs and those that they go on from.

    Args:
        cache: the folder of the jobs.
        names: of job folders.

    Raises:
        XpbdError: E_IO.
    """
    needed: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += _goes_on_from(cache / name)
    return frozenset(needed)


def _goes_on_from(folder: Path) -> list[str]:
    """The name of the job that one goes on from, in a list; none where it begins at rest or is not to be read."""
    try:
        scene = read_description(folder).record("scene")
        return [] if scene.is_null("beginning") else [scene.record("beginning").text("job")]
    except XpbdError as fault:
        if fault.code != "E_JOB":
            raise
        return []


def folder_size(folder: Path) -> int:
    """Bytes of all files in a folder and below it; links are not followed.

    Raises:
        XpbdError: E_IO.
    """
    try:
        return sum(
            (Path(place) / name).lstat().st_size
            for place, _, names in os.walk(folder, followlinks=False)
            for name in names
        )
    except FileNotFoundError:
        # deleted meanwhile
        return 0
    except OSError as fault:
        raise io_error("look at", folder, 0, fault) from fault


def jobs_size(cache: Path) -> int:
    """Bytes of all jobs in a cache.

    Raises:
        XpbdError: E_IO.
    """
    return sum(map(folder_size, job_folders(cache)))


def last_change(cache: Path) -> float:
    """When something was last computed in a cache, in seconds since the epoch: each file is renamed into its folder.

    What another process deletes meanwhile was changed just now.

    Raises:
        XpbdError: E_IO.
    """
    try:
        return max(path.lstat().st_mtime for path in (cache, *job_folders(cache)))
    except FileNotFoundError:
        return time.time()
    except OSError as fault:
        raise io_error("look at", cache, 0, fault) from fault


def free_jobs(cache: Path, used: Set[str]) -> tuple[int, int]:
    """Delete the jobs that nobody uses; one that is being computed stays, one that another deletes is skipped.

    Args:
        cache: the folder of the jobs.
        used: names of job folders that stay.

    Returns:
        How many went, and the bytes that they had. Files shared with another cache are still there.

    Raises:
        XpbdError: E_IO.
    """
    count = size = 0
    for folder in job_folders(cache):
        if folder.name in used:
            continue
        with ExitStack() as stack:
            try:
                stack.enter_context(JobLock(folder))
            except XpbdError as fault:
                if fault.code != "E_LOCKED" and is_there(folder):
                    raise
                continue
            bytes_there = folder_size(folder)
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:
            # another deletes it too; none of both may leave the rest
            shutil.rmtree(folder, ignore_errors=True)
            continue
        except OSError as fault:
            raise io_error("delete", folder, 0, fault) from fault
        count, size = count + 1, size + bytes_there
        if folder.parent != cache and not entries(folder.parent):
            # of a played run, which had the folder for itself
            shutil.rmtree(folder.parent, ignore_errors=True)
    return count, size


def hand_on_all(source: Path, cache: Path) -> None:
    """Give a job, and those that it goes on from, to another cache; as ``hand_on``.

    Args:
        source: the job folder; the others lie beside it.
        cache: the other cache.

    Raises:
        XpbdError: E_IO; E_CACHE, when a link stands in the way.
    """
    for name in sorted(needed_jobs(source.parent, [source.name])):
        job = inside(source.parent, name, code="E_CACHE")
        if is_there(job / JOB_FILE):
            hand_on(job, inside(cache, name, code="E_CACHE"))


def hand_on(source: Path, target: Path) -> None:
    """Give a job to another cache, under the same name: its files are shared, or copied to another disk.

    What the target has already stays. The job file comes last, so that half a job is none.

    Args:
        source: the job folder.
        target: where it shall be too.

    Raises:
        XpbdError: E_IO; E_CACHE, when a link stands in the way.
    """
    below = (name for folder in (MILESTONES_FOLDER, INPUTS_FOLDER) for name in _folders_below(source, folder))
    for name in (ARRAYS_FOLDER, FRAMES_FOLDER, SUBFRAMES_FOLDER, *below):
        names = entries(inside(source, *name.split("/"), code="E_CACHE"))
        _share_files(source, target, name, [entry for entry, is_folder in names if not is_folder])
    _share_files(source, target, "", (RESULT_FILE, TANGLED_FILE, CHECKPOINT_FILE, STATUS_FILE, JOB_FILE))


def _folders_below(source: Path, folder: str) -> list[str]:
    """Of states on the way, or of the inputs of runs: the folders in one of a job's own folders."""
    names = entries(inside(source, folder, code="E_CACHE"))
    return [f"{folder}/{name}" for name, is_folder in names if is_folder]


def _share_files(source: Path, target: Path, folder: str, names: Iterator[str] | list[str] | tuple[str, ...]) -> None:
    below = folder.split("/") if folder else []
    make_folder(inside(target, *below, code="E_CACHE"))
    for name in names:
        path = inside(source, *below, name, code="E_CACHE")
        if is_there(path):
            share(path, inside(target, *below, name, code="E_CACHE"), "E_CACHE")


def entries(folder: Path) -> list[tuple[str, bool]]:
    """Names in a folder, and whether each is a folder; what is a link, or a temporary file, is left out.

    Raises:
        XpbdError: E_IO.
    """
    try:
        with os.scandir(folder) as found:
            return [
                (entry.name, entry.is_dir(follow_symlinks=False))
                for entry in found
                if not entry.is_symlink() and not entry.name.startswith(".")
            ]
    except FileNotFoundError:
        return []
    except OSError as fault:
        raise io_error("list", folder, 0, fault) from fault
