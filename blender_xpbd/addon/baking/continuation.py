# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake takes over from the one before, of which only some inputs have changed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ...jobs.cache_contents import hand_on
from ...jobs.changes import Change, changes, kept_until
from ...jobs.milestones import continue_job
from ...scene.errors import XpbdError
from ...scene.scene import Scene
from ..data.bake_record import read_record, record_folder
from ..data.data_lookup import object_by_uid
from ..keys.body_results import ResultTarget

# there substeps are found by trials of all frames
_BY_TRIAL = "AUTOMATIC"


def former_job(targets: Iterable[ResultTarget]) -> Path | None:
    """The job folder of the bake that the objects have now, by the first of them that has one."""
    objects = (object_by_uid(target.object_uid) for target in targets)
    records = (read_record(obj) for obj in objects if obj is not None)
    return next((path for record in records if record and (path := record_folder(record)) is not None), None)


def job_changes(former: Path, job: Path) -> tuple[Change, ...]:
    """What differs from a former job; nothing where that cannot be read any more, for then nothing is kept of it."""
    if former == job:
        return ()
    try:
        return changes(former, job)
    except XpbdError:
        return ()


def go_on_from(former: Path, job: Path, found: tuple[Change, ...], scene: Scene) -> None:
    """Give a job the frames of a former one that come before the first change.

    All of them where nothing has changed but the place of the cache: the file was renamed, or saved elsewhere.

    Raises:
        XpbdError: E_IO; E_CACHE, when a link stands in the way.
    """
    if former.name == job.name:
        if former != job and former.is_dir():
            hand_on(former, job)
        return
    last = kept_until(found)
    if last is not None and scene.settings.quality != _BY_TRIAL:
        continue_job(former, job, scene.frames, min(last, scene.frames.end))
