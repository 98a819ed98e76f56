# SPDX-License-Identifier: GPL-3.0-or-later
"""Which jobs other .blend files name: what they show is not to be freed, whoever has the cache.

A file is not opened as Blender does. The records of bakes stand in it as text, so their bytes are looked for.
"""

from __future__ import annotations

import gzip
import importlib
import importlib.machinery
import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...jobs.cache_contents import entries, is_job, is_played, job_folders
from ...jobs.files import io_error, reading
from ...jobs.frames import FRAMES_FOLDER
from ...jobs.job import FOLDER_NAME_LENGTH
from ...jobs.record import printable
from ...scene.errors import XpbdError
from .cache_owner import caches_by_file
from .worker_python import trusted_folders

_PIECE = 2**22
_JOB = re.compile(rb'"job": "([0-9a-f]{%d})"' % FOLDER_NAME_LENGTH)
# so much of a piece may be the beginning of a match that ends in the next one
_OVERLAP = FOLDER_NAME_LENGTH + 16
# A file that is unpacked to more than this, and this times its length, is no .blend file but a trap
_LARGEST_SMALL, _LARGEST_RATIO = 2**28, 500
_GZIP, _ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


def jobs_named_beside(
    file: Path, caches: Path, cache: Path, *, with_own: bool = False
) -> tuple[set[str], list[XpbdError]]:
    """Names of the jobs that other .blend files in the folder of one show, and that are not in caches of their own.

    A file that cannot be looked into may name any.

    Args:
        file: whose folder it is.
        caches: folder of the caches of all these files.
        cache: that of the file.
        with_own: whether the file itself counts, which another Blender has saved.

    Returns:
        The names, and the faults of files that could not be looked into.

    Raises:
        XpbdError: E_IO.
    """
    found: set[str] = set()
    faults: list[XpbdError] = []
    # what others show in a folder that was chosen they do not look for in their own
    own_caches = caches_by_file(caches) if caches in cache.parents else {}
    # a bake of the same inputs has the name too, and no bake makes up for what a hand has moved
    played = {path.name for path in job_folders(cache) if is_played(path.parent)}
    for other in [*_files_beside(file), *([file] if with_own else [])]:
        own = [path for path in own_caches.get(printable(other.name), []) if path != cache]
        try:
            names = jobs_named_in(other)
        except XpbdError as fault:
            faults.append(fault)
            names = {path.name for path in job_folders(cache)}
        found |= {
            name for name in names if name in played or not any(_has_all(path / name, cache / name) for path in own)
        }
    return found, faults


def _has_all(own: Path, job: Path) -> bool:
    """Whether a job is there in another cache with all its frames: it may have been handed on half, or early."""
    return is_job(own) and set(entries(job / FRAMES_FOLDER)) <= set(entries(own / FRAMES_FOLDER))


def _files_beside(file: Path) -> list[Path]:
    try:
        found = sorted(path for path in file.parent.iterdir() if path.suffix.lower() == ".blend")
        return [path for path in found if path.name != file.name and path.is_file()]
    except OSError as fault:
        raise io_error("list", file.parent, 0, fault) from fault


def jobs_named_in(file: Path) -> set[str]:
    """Names of the jobs that records in a .blend file have.

    Raises:
        XpbdError: E_IO, where it cannot be read or unpacked.
    """
    try:
        # a file that is a link is the artist's; what it leads to is opened as a regular file alone
        with reading(file.resolve(), "E_IO") as (raw, length):
            return set(_names(_unpacked(raw), max(_LARGEST_SMALL, _LARGEST_RATIO * length)))
    except XpbdError:
        raise
    # each library has its own for what is damaged, and one may be missing
    except Exception as fault:
        raise XpbdError("E_IO", f"{file} cannot be looked into: {fault}. What it may show stays.") from fault


def _names(file: Any, limit: int) -> Iterator[str]:
    rest = b""
    while piece := file.read(_PIECE):
        limit -= len(piece)
        if limit < 0:
            raise ValueError("it is unpacked to far more than it has")
        rest += piece
        yield from (match.group(1).decode() for match in _JOB.finditer(rest))
        rest = rest[-_OVERLAP:]


def _unpacked(file: Any) -> Any:
    magic = file.read(4)
    file.seek(0)
    if magic.startswith(_GZIP):
        return gzip.GzipFile(fileobj=file)
    return _zstandard(file) if magic == _ZSTANDARD else file


def _zstandard(file: Any) -> Any:
    """Python's own library from 3.14 on, before that the one that comes with most Blenders."""
    if sys.version_info >= (3, 14):
        return importlib.import_module("compression.zstd").ZstdFile(file)
    return _zstandard_library().ZstdDecompressor().stream_reader(file, read_across_frames=True)


def _zstandard_library() -> Any:
    """The library of that name, but never from the current folder, where a stranger's file may lie."""
    name = "zstandard"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.machinery.PathFinder.find_spec(name, trusted_folders())
    if spec is None or spec.loader is None:
        raise ImportError(f"this Blender has no {name}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
