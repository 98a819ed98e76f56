# SPDX-License-Identifier: GPL-3.0-or-later
"""States that a bake keeps on its way, besides the last one: from which another job may go on.

Where only what comes after a frame has changed, the earlier frames of a job need not be simulated again.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy.typing as npt

from ..scene.errors import XpbdError
from ..scene.settings import FrameRange
from .checkpoint import CHECKPOINT_FILE, checkpoint_frame, write_checkpoint
from .files import inside, io_error, is_there, make_folder, share
from .frames import FRAMES_FOLDER, frame_name
from .result import RESULT_FILE
from .subframes import share_subframes

MILESTONES_FOLDER = "milestones"
# states kept on the way of a bake; each is about as large as four frames
MOST_MILESTONES = 8

_NAME = re.compile(r"frame_(-?[0-9]{8})")


def milestone_frames(frames: FrameRange) -> frozenset[int]:
    """The frames after which the state is kept: evenly over the range, and not the last, which has the checkpoint."""
    every = -(-frames.count // (MOST_MILESTONES + 1))
    return frozenset(range(frames.start + every, frames.end, every))


def write_milestone(folder: Path, frame: int, arrays: dict[str, npt.NDArray[Any]]) -> None:
    """Keep the state after a frame.

    Raises:
        XpbdError: E_IO, E_MEMORY, as ``write_checkpoint``.
    """
    place = _place(folder, frame)
    make_folder(place)
    write_checkpoint(place, frame, arrays)


def continue_job(source: Path, target: Path, frames: FrameRange, last: int) -> int | None:
    """Let a job begin with what another one has computed, whose inputs are the same until then.

    Frames are shared, not copied, where the disk can do that: nobody writes into a frame that is there.

    Args:
        source: the folder of the other job.
        target: the folder of the job, which has no frames yet.
        frames: of the job; the other one's begin at the same frame and have the same step.
        last: the last frame until which inputs are the same.

    Returns:
        The frame after which the job goes on, or None where the other one has kept no state until then.

    Raises:
        XpbdError: E_IO; E_CACHE, when a link stands in the way.
    """
    found = next(iter(states_until(source, last)), None)
    result = inside(source, RESULT_FILE, code="E_CACHE")
    if found is None or not is_there(result) or is_there(inside(target, CHECKPOINT_FILE, code="E_CACHE")):
        return None
    newest, place = found
    if newest <= frames.start or not share_frames(source, target, frames, newest):
        return None
    share(result, inside(target, RESULT_FILE, code="E_CACHE"), "E_CACHE")
    # last, for it vouches for the others
    path = inside(place, CHECKPOINT_FILE, code="E_CACHE")
    share(path, inside(target, CHECKPOINT_FILE, code="E_CACHE"), "E_CACHE")
    return newest


def states_until(folder: Path, last: int) -> list[tuple[int, Path]]:
    """The frames, up to a given one, after which a job has kept its state, the last one first.

    Returns:
        Each with the folder of that checkpoint, of which only the header was read.

    Raises:
        XpbdError: E_IO; E_CACHE, when a link stands in the way.
    """
    return sorted((state for state in _states(folder) if state[0] <= last), reverse=True)


def share_frames(source: Path, target: Path, frames: FrameRange, last: int) -> bool:
    """Give a job those frames of another one that it keeps, up to a given one; nothing where one of them is missing.

    Returns:
        Whether they were all there.

    Raises:
        XpbdError: E_IO; E_CACHE, when a link stands in the way.
    """
    names = [frame_name(frame) for frame in frames.kept() if frame <= last]
    there = [inside(source, FRAMES_FOLDER, name, code="E_CACHE") for name in names]
    if not all(map(is_there, there)) or not share_subframes(source, target, frames, last):
        return False
    make_folder(inside(target, FRAMES_FOLDER, code="E_CACHE"))
    for name, path in zip(names, there, strict=True):
        share(path, inside(target, FRAMES_FOLDER, name, code="E_CACHE"), "E_CACHE")
    return True


def _states(folder: Path) -> list[tuple[int, Path]]:
    """The frames after which a state is kept, and the folder of each."""
    found = [(frame, _place(folder, frame)) for frame in _milestones(folder)]
    frame = _frame_or_none(folder)
    states = [(number, place) for number, place in found if _frame_or_none(place) == number]
    return states if frame is None else [*states, (frame, folder)]


def _frame_or_none(folder: Path) -> int | None:
    try:
        return checkpoint_frame(folder)
    except XpbdError as fault:
        if fault.code != "E_CACHE":
            raise
        return None


def _milestones(folder: Path) -> list[int]:
    place = inside(folder, MILESTONES_FOLDER, code="E_CACHE")
    try:
        with os.scandir(place) as entries:
            names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return []
    except OSError as fault:
        raise io_error("list", place, 0, fault) from fault
    return [int(match[1]) for match in map(_NAME.fullmatch, names) if match]


def _place(folder: Path, frame: int) -> Path:
    name = frame_name(frame).removesuffix(".bin")
    return inside(folder, MILESTONES_FOLDER, name, code="E_CACHE")
