# SPDX-License-Identifier: GPL-3.0-or-later
"""The newest bake of a cache where it came to no end: Blender, or its worker, was ended, or another file opened."""

from __future__ import annotations

from pathlib import Path

from ...jobs.cache_contents import is_played, job_folders
from ...jobs.files import inside
from ...jobs.job import is_regional, read_description
from ...jobs.lock import JobLock
from ...jobs.status import STATUS_FILE, Status, read_status
from ...scene.errors import XpbdError

# such a bake goes on when it is asked for again; one that failed has told why
_STATES = frozenset({"STARTING", "BUILDING", "RUNNING", "INTERRUPTED"})


def unfinished_bake(cache: Path, since: float) -> Status | None:
    """How the newest bake of a cache stands, None where it is whole, has no frame, is being computed, or
    goes on from another one.

    What cannot be read is none: nobody has asked for it.

    Args:
        cache: the folder of the jobs.
        since: when the file was saved, in seconds since the epoch: what was stopped before that, it knows of.
    """
    try:
        job, changed = _newest(cache)
        if job is None or changed <= since:
            return None
        if is_regional(job) or not read_description(job).record("scene").is_null("beginning"):
            return None
        status = read_status(job)
        if status is None or status.state not in _STATES or not 0 < status.frames_done < status.frames_total:
            return None
        with JobLock(job):
            return status
    except (XpbdError, OSError):
        return None


def _newest(cache: Path) -> tuple[Path | None, float]:
    """The job in which something was computed last, and when [s]; what was played is no bake."""
    newest: Path | None = None
    latest = 0.0
    for job in job_folders(cache):
        if is_played(job.parent):
            continue
        path = inside(job, STATUS_FILE, code="E_CACHE")
        changed = path.lstat().st_mtime if path.exists() else 0.0
        if changed > latest:
            newest, latest = job, changed
    return newest, latest
