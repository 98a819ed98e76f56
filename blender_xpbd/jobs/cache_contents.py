# SPDX-License-Identifier: GPL-3.0-or-later
"""The job folders of a cache: how large they are, which may go, and one handed on to another cache."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Set
from contextlib import ExitStack
from pathlib import Path

from ..scene.errors import XpbdError
from .array_record import ARRAYS_FOLDER
from .checkpoint import CHECKPOINT_FILE
from .files import inside, io_error, is_there, make_folder, share
from .frames import FRAMES_FOLDER
from .job import FOLDER_NAME_LENGTH, JOB_FILE
from .lock import JobLock
from .result import RESULT_FILE
from .status import STATUS_FILE
from .tangled import TANGLED_FILE

_JOB_NAME = re.compile(rf"[0-9a-f]{{{FOLDER_NAME_LENGTH}}}")


def job_folders(cache: Path) -> list[Path]:
    """The folders of jobs in a cache, by name; what else lies there is none of ours.

    Raises:
        XpbdError: E_IO.
    """
    names = [name for name, is_folder in _entries(cache) if is_folder and _JOB_NAME.fullmatch(name)]
    return [cache / name for name in sorted(names) if is_there(cache / name / JOB_FILE)]


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


def free_jobs(cache: Path, used: Set[str]) -> tuple[int, int]:
    """Delete the jobs that nobody uses; one that is being computed stays.

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
                if fault.code != "E_LOCKED":
                    raise
                continue
            bytes_there = folder_size(folder)
        try:
            shutil.rmtree(folder)
        except OSError as fault:
            raise io_error("delete", folder, 0, fault) from fault
        count, size = count + 1, size + bytes_there
    return count, size


def hand_on(source: Path, target: Path) -> None:
    """Give a job to another cache, under the same name: its files are shared, or copied to another disk.

    What the target has already stays. The job file comes last, so that half a job is none.

    Args:
        source: the job folder.
        target: where it shall be too.

    Raises:
        XpbdError: E_IO; E_CACHE, when a link stands in the way.
    """
    for name in (ARRAYS_FOLDER, FRAMES_FOLDER):
        files = [entry for entry, is_folder in _entries(inside(source, name, code="E_CACHE")) if not is_folder]
        _share_files(source, target, name, files)
    _share_files(source, target, "", (RESULT_FILE, TANGLED_FILE, CHECKPOINT_FILE, STATUS_FILE, JOB_FILE))


def _share_files(source: Path, target: Path, folder: str, names: Iterator[str] | list[str] | tuple[str, ...]) -> None:
    below = (folder,) if folder else ()
    make_folder(inside(target, *below, code="E_CACHE"))
    for name in names:
        path = inside(source, *below, name, code="E_CACHE")
        if is_there(path):
            share(path, inside(target, *below, name, code="E_CACHE"), "E_CACHE")


def _entries(folder: Path) -> list[tuple[str, bool]]:
    """Names in a folder, and whether each is a folder; what is a link, or a temporary file, is left out."""
    try:
        with os.scandir(folder) as entries:
            return [
                (entry.name, entry.is_dir(follow_symlinks=False))
                for entry in entries
                if not entry.is_symlink() and not entry.name.startswith(".")
            ]
    except FileNotFoundError:
        return []
    except OSError as fault:
        raise io_error("list", folder, 0, fault) from fault
