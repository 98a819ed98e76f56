# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames that a job takes over from another one as they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..jobs.frames import FrameCache
from ..jobs.milestones import share_frames
from ..jobs.result import Result, read_result
from ..scene.errors import XpbdError
from ..scene.settings import FrameRange


def hand_over_frames(source: Path, target: Path, frames: FrameRange, last: int) -> bool:
    """Give a job the frames of another one up to a given one, and the states between them.

    They are shared. Where only one of the jobs measures contact, they are written anew, with the same places.

    Args:
        source: folder of the other job.
        target: folder of the job, which has its result.
        frames: of the job.
        last: the last frame to hand over.

    Returns:
        Whether they were all there.

    Raises:
        XpbdError: E_CACHE, where the frames of the other one are damaged or of other bodies; E_IO.
    """
    given, wanted = read_result(source), read_result(target)
    if given.statistics != wanted.statistics:
        theirs, mine = frame_cache(source, given), frame_cache(target, wanted)
        for frame in (number for number in frames.kept() if number <= last):
            if not mine.verify(frame):
                _write_anew(theirs, given, mine, wanted, frame)
    return share_frames(source, target, frames, last)


def frame_cache(folder: Path, result: Result) -> FrameCache:
    """The frames of a job."""
    counts = len(result.bodies), len(result.statistics), result.orientation_count
    return FrameCache(folder, result.vertex_count, *counts)


def _write_anew(theirs: FrameCache, given: Result, mine: FrameCache, wanted: Result, frame: int) -> None:
    data = theirs.read(frame)
    if (given.vertex_count, len(given.bodies)) != (wanted.vertex_count, len(wanted.bodies)):
        raise XpbdError("E_CACHE", "The frames are of other bodies.", frame=frame)
    # what was not measured did not happen
    statistics = np.zeros((len(wanted.bodies), len(wanted.statistics)))
    for column, name in enumerate(wanted.statistics):
        if name in given.statistics:
            statistics[:, column] = data.statistics[:, given.statistics.index(name)]
    mine.publish(frame, data.positions, statistics, data.orientations if len(data.orientations) else None)
