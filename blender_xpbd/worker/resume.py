# SPDX-License-Identifier: GPL-3.0-or-later
"""What an earlier run of the same job has left: where to go on, and what of it is damaged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..jobs.checkpoint import CHECKPOINT_FILE, read_checkpoint
from ..jobs.frames import FrameCache
from ..jobs.result import read_result
from ..jobs.status import read_status
from ..jobs.subframes import SubframeCache
from ..scene.errors import Notice, XpbdError
from ..scene.listing import listed
from ..scene.settings import FrameRange, SolverSettings

State = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Start:
    """Where a run begins.

    Attributes:
        saved: the frame after which it goes on and the solver's state there, or None to start anew.
        notice: what is damaged of the earlier run and what becomes of it, or None.
        statistics: of the whole frames that are there, by their number.
    """

    saved: tuple[int, State] | None = None
    notice: Notice | None = None
    statistics: Mapping[int, npt.NDArray[np.float64]] = field(default_factory=dict)


def had_checkpoint(folder: Path) -> bool:
    """Whether an earlier run has ended in a way that leaves a checkpoint; to be asked before the status is replaced.

    Raises:
        XpbdError: E_IO, when the system cannot read its status.
    """
    try:
        status = read_status(folder)
    except XpbdError as fault:
        _require_damage(fault)
        return False
    return status is not None and status.state in {"COMPLETE", "INTERRUPTED"}


def is_simulated_alike(folder: Path, origin: npt.NDArray[np.float64], settings: SolverSettings) -> bool:
    """Whether what is in the folder was simulated about the same origin, in the same substeps.

    Frames that another job has computed may not be: substeps by materials depend on all frames.

    Raises:
        XpbdError: E_IO, when the system cannot read the result.
    """
    try:
        result = read_result(folder)
    except XpbdError as fault:
        _require_damage(fault)
        return True
    made = (*result.origin, result.substeps, result.iterations)
    return made == (*map(float, origin), settings.substeps, settings.iterations)


def find_start(
    folder: Path,
    frames: FrameRange,
    cache: FrameCache,
    state_bytes: int,
    *,
    was_saved: bool,
    subframes: SubframeCache | None = None,
) -> Start:
    """Look through frames, checkpoint and result of an earlier run, before the result is written anew.

    Args:
        folder: the job folder.
        frames: of the job.
        cache: its frames.
        state_bytes: that the solver's state has; a larger checkpoint is none of the job's.
        was_saved: there was a checkpoint, see ``had_checkpoint``.
        subframes: its states between frames, where it keeps some.

    Raises:
        XpbdError: E_IO, when the system cannot read a file.
    """
    kept = frames.kept()
    there = set(cache.available()).intersection(kept)
    saved, faults = _checkpoint(folder, frames, state_bytes, is_expected=was_saved and bool(there))
    last = max([*there, saved[0] if saved is not None else frames.start - 1])
    # frames are published in their order, so that a gap is no frame that was still to come
    missing = [frame for frame in kept if frame <= last and frame not in there]
    statistics = _statistics(cache, [frame for frame in kept if frame in there])
    damaged = [frame for frame in kept if frame in there and frame not in statistics]
    if saved is not None and any(frame <= saved[0] for frame in (*missing, *damaged)):
        saved = None
    words = [*_told(damaged, "damaged"), *_told(missing, "missing"), *faults]
    if saved is not None and subframes is not None and not subframes.are_whole(saved[0]):
        saved = None
        words.append("Subframes of the cache are damaged or missing.")
    if there:
        words += _result_faults(folder)
    if not words:
        return Start(saved, None, statistics)
    return Start(saved, Notice("W_CACHE_DAMAGED", " ".join([*words, _outcome(saved, frames)])), statistics)


def unfit(fault: XpbdError, frames: FrameRange) -> Notice:
    """The warning of a checkpoint that the solver refuses, so that the bake starts anew.

    Raises:
        XpbdError: the fault itself, where it is not of the checkpoint.
    """
    return Notice("W_CACHE_DAMAGED", f"{_require_damage(fault).message} {_outcome(None, frames)}")


def _statistics(cache: FrameCache, frames: Iterable[int]) -> dict[int, npt.NDArray[np.float64]]:
    """Of the frames that are whole."""
    found = {}
    for frame in frames:
        try:
            found[frame] = cache.read(frame).statistics
        except XpbdError as fault:
            _require_damage(fault)
    return found


def _checkpoint(
    folder: Path, frames: FrameRange, state_bytes: int, *, is_expected: bool
) -> tuple[tuple[int, State] | None, list[str]]:
    try:
        saved = read_checkpoint(folder, state_bytes)
    except XpbdError as fault:
        return None, [_require_damage(fault).message]
    if saved is None:
        return None, [f"{folder / CHECKPOINT_FILE} is missing."] if is_expected else []
    if not frames.start <= saved[0] <= frames.end:
        return None, [f"{folder / CHECKPOINT_FILE} is of frame {saved[0]}, which the bake does not have."]
    return saved, []


def _result_faults(folder: Path) -> list[str]:
    try:
        read_result(folder)
    except XpbdError as fault:
        return [_require_damage(fault).message]
    return []


def _require_damage(fault: XpbdError) -> XpbdError:
    """The fault of a damaged file; others are raised again."""
    if fault.code != "E_CACHE":
        raise fault
    return fault


def _told(frames: Sequence[int], what: str) -> list[str]:
    if not frames:
        return []
    return [f"Frame{'s' if frames[1:] else ''} {listed(frames)} of the cache {'are' if frames[1:] else 'is'} {what}."]


def _outcome(saved: tuple[int, State] | None, frames: FrameRange) -> str:
    if saved is None:
        return f"All frames were computed again, from frame {frames.start} on."
    if saved[0] == frames.end:
        return "No frame had to be computed again."
    return f"The bake went on after frame {saved[0]}, and all later frames were computed again."
