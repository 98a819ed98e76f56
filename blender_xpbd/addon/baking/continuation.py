# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake takes over from the one before, of which only some inputs have changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ...jobs.cache_contents import hand_on_all
from ...jobs.changes import Change, changes, kept_until
from ...jobs.files import inside
from ...jobs.job import read_description
from ...jobs.lock import JobLock
from ...jobs.milestones import continue_job
from ...jobs.play_inputs import PlayInputs
from ...jobs.result import read_result
from ...scene.beginning import Beginning, validate_beginning
from ...scene.errors import XpbdError
from ...scene.scene import Scene
from ..data.bake_record import BakeRecord, may_be_looked_at, read_record, record_folder
from ..data.data_lookup import object_by_uid
from ..keys.body_results import ResultTarget
from ..process.cache_folder import computed_elsewhere
from .scene_reader import Reading

# there substeps are found by trials of all frames
_BY_TRIAL = "AUTOMATIC"


def former_job(targets: Iterable[ResultTarget], folder: Path) -> Path | None:
    """The job folder of the bake that the objects have now, by the first of them that has one; none of a played run.

    Of a loop it is that of the bake that was made one.

    Args:
        targets: the objects.
        folder: of the cache. A job is looked for there too: the file was moved with it, or is from before records told
            where a job lay.

    Raises:
        XpbdError: E_IO; E_CACHE, when a link stands in the way.
    """
    objects = (object_by_uid(target.object_uid) for target in targets)
    records = (read_record(obj) for obj in objects if obj is not None)
    paths = (_simulated_in(record, folder) for record in records if record is not None)
    # a hand has moved what was played
    return next((path for path in paths if path is not None and not PlayInputs(path).newest_run()), None)


def _simulated_in(record: BakeRecord, folder: Path) -> Path | None:
    """The job of a record; of a loop, the one that it goes on from."""
    path = record_folder(record, folder)
    if path is None or not record.loop:
        return path
    try:
        return inside(path.parent, read_description(path).record("scene").record("beginning").text("job"), code="E_JOB")
    except XpbdError as fault:
        if fault.code != "E_JOB":
            raise
        return None


def take_unsaved(job: Path) -> None:
    """Give a job what a file that was never saved has computed of the same inputs, before a crash for instance.

    Another Blender may free that meanwhile. Then it is computed anew, which is told on the console. What another is
    still computing is left to it, for its files do not fit together yet.
    """
    try:
        former = computed_elsewhere(job)
        if former is not None:
            with JobLock(former):
                hand_on_all(former, job.parent)
    except XpbdError as fault:
        if fault.code != "E_LOCKED":
            print(f"XPBD: not all is taken over from a file that was never saved. {fault}")


def without_bake(targets: Iterable[ResultTarget], folder: Path, wish: str) -> XpbdError:
    """The fault where there is no job to go on from.

    E_NOTHING, where no object has a bake or it was played; E_CACHE, where one has but its frames are not to be found.

    Args:
        targets: the objects.
        folder: of the cache.
        wish: what cannot be done, as a sentence without its end.
    """
    for target in targets:
        obj = object_by_uid(target.object_uid)
        record = read_record(obj) if obj is not None else None
        if record is None:
            continue
        job = record_folder(record, folder)
        if job is not None and job.is_dir():
            break
        return XpbdError("E_CACHE", _lost(record, folder), target.name)
    return XpbdError("E_NOTHING", f"{wish}: bake all frames first.")


def _lost(record: BakeRecord, folder: Path) -> str:
    """Why the frames of a bake are not to be found."""
    lay = Path(record.folder) if record.folder else folder
    if not may_be_looked_at(lay, folder):
        return (
            f"The frames of its bake lie on a server, in {lay}, which is not asked because a file names it. Choose "
            "that as cache folder where you trust it, or bake all frames again."
        )
    return f"The frames of its bake are gone: there is no {lay / record.job}. Bake all frames again."


def require_whole_bake(targets: Iterable[ResultTarget], source: Path, folder: Path) -> None:
    """See that objects have their bakes from one job, and that it has no others.

    Args:
        targets: the objects, in the order of their bodies.
        source: the job, see ``former_job``.
        folder: of the cache.

    Raises:
        XpbdError: E_CACHE_STALE; E_IO; E_CACHE, when a link stands in the way or the job has no result.
    """
    names = []
    for target in targets:
        obj = object_by_uid(target.object_uid)
        record = read_record(obj) if obj is not None else None
        path = _simulated_in(record, folder) if record is not None else None
        if path is not None and path.name != source.name:
            text = "It and others were baked one by one, and newer motion would be lost. Bake all frames again."
            raise XpbdError("E_CACHE_STALE", text, target.name)
        names.append(record.body if record is not None and record.body else target.name)
    if names != [body.name for body in read_result(source).bodies]:
        text = "The bake before is of other objects than are baked now. Bake all frames again."
        raise XpbdError("E_CACHE_STALE", text)


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
            hand_on_all(former, job.parent)
        return
    last = kept_until(found)
    if last is not None and scene.settings.quality != _BY_TRIAL:
        continue_job(former, job, scene.frames, min(last, scene.frames.end))


def gone_on(reading: Reading, former: Path | None, first: int, folder: Path) -> Reading:
    """What was read, to be simulated again from a frame on; the frames before it are those of the bake before.

    Args:
        reading: the scene as it is now.
        former: the job of the bake before, or None where there is none.
        first: the first frame to simulate.
        folder: of the cache, to which the former job is brought where it lies elsewhere.

    Raises:
        XpbdError: E_NOTHING without a bake before, E_CACHE where its frames are gone; E_FRAME_RANGE for a frame that is
            not within the range; E_CACHE_STALE where it is of other objects, or they were baked one by one; E_IO.
    """
    if former is None or not former.is_dir():
        raise without_bake(reading.targets, folder, "There is no bake whose frames could be kept")
    if former.parent != folder:
        hand_on_all(former, folder)
    beginning = Beginning(former.name, first - 1)
    validate_beginning(beginning, reading.scene.frames)
    require_whole_bake(reading.targets, folder / former.name, folder)
    return replace(reading, scene=replace(reading.scene, beginning=beginning))
