# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake that goes on from a frame of another one, with inputs of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..jobs.checkpoint import read_checkpoint, write_checkpoint
from ..jobs.files import inside
from ..jobs.job import read_job
from ..jobs.milestones import share_frames, states_until
from ..jobs.result import read_result
from ..scene.beginning import Beginning
from ..scene.errors import XpbdError
from ..scene.scene import Scene
from ..scene.settings import FrameRange
from ..scene.stages import staged
from ..solver.solver import Solver
from ..solver.step.plan import choose_paths
from ..solver.system.system import System, build_system
from ..solver.tearing import make_solver
from .quality import with_settings
from .stop_signal import StopSignal

State = dict[str, npt.NDArray[Any]]


def take_over(folder: Path, scene: Scene, solver: Solver, device: str, stop: StopSignal) -> bool:
    """Give a job the frames of the one that it goes on from, and the state after the last of them.

    The state is that job's own. Where it has kept none after that frame, the job is simulated again from the state
    before, which gives the same bytes. What only one of the two solvers keeps begins as at the start, or is dropped.

    Args:
        folder: of the job; the other one lies beside it.
        scene: of the job, with its ``beginning``.
        solver: of the job; afterwards it is where the other job was.
        device: that Taichi was started on.
        stop: looked at between frames.

    Returns:
        Whether it was done, and not stopped before.

    Raises:
        XpbdError: E_CACHE_STALE, where the other job does not fit or is gone; E_IO.
    """
    beginning = scene.beginning
    if beginning is None:
        raise ValueError("the scene begins at rest")
    source = inside(folder.parent, beginning.job, code="E_CACHE")
    try:
        system = _system(source)
        frames = system.scene.frames
        if (frames.start, frames.frame_duration) != (scene.frames.start, scene.frames.frame_duration):
            raise cannot_go_on(beginning)
        if scene.frames.subframes and _numbering(frames) != _numbering(scene.frames):
            raise cannot_go_on(beginning)
        if not np.array_equal(system.origin, solver.system.origin) or beginning.frame > frames.end:
            raise cannot_go_on(beginning)
        state = _state_after(source, system, beginning.frame, device, stop, frozenset({folder.name}))
        if state is None:
            return False
        if not share_frames(source, folder, scene.frames, beginning.frame):
            raise cannot_go_on(beginning)
        _take_up(solver, beginning.frame - scene.frames.start, state)
    except XpbdError as fault:
        if fault.code in {"E_JOB", "E_CACHE"}:
            raise cannot_go_on(beginning) from fault
        raise
    write_checkpoint(folder, beginning.frame, solver.checkpoint())
    return True


def _take_up(solver: Solver, frame_index: int, state: State) -> None:
    """Restore the state whole where it fits; else what both solvers have."""
    try:
        solver.restore(frame_index, state)
    except XpbdError as fault:
        if fault.code != "E_CACHE":
            raise
        solver.adopt(frame_index, state)


def _numbering(frames: FrameRange) -> tuple[int, int]:
    """What the number of a state between two frames means, see ``FrameRange.between``."""
    return frames.subframes, frames.hidden


def cannot_go_on(beginning: Beginning) -> XpbdError:
    """The fault of a job that does not fit the one that it goes on from."""
    text = (
        f"The bake cannot go on after frame {beginning.frame} of the bake before: objects, their rest shapes, the "
        "first frame, or the subframes have changed, or its frames are gone. Bake from the start."
    )
    return XpbdError("E_CACHE_STALE", text, frame=beginning.frame)


def _system(source: Path) -> System:
    """The other job's, with the substeps that it was simulated with."""
    scene, result = staged(read_job(source)), read_result(source)
    settings = replace(scene.settings, quality="FIXED", substeps=result.substeps, iterations=result.iterations)
    return with_settings(build_system(scene), settings)


def _state_after(
    source: Path, system: System, frame: int, device: str, stop: StopSignal, seen: frozenset[str]
) -> State | None:
    """The state of a job after a frame, None where a stop was requested; ``seen``: jobs that ask for it.

    Raises:
        XpbdError: E_CACHE, also where jobs go on from each other in a circle.
    """
    if source.name in seen:
        raise XpbdError("E_CACHE", f"{source} goes on from itself.")
    start = system.scene.frames.start
    solver = make_solver(system, choose_paths(system, device))
    solver.compile()
    earlier = system.scene.beginning
    if not _restore_newest(solver, source, start, frame) and earlier is not None:
        older, until = inside(source.parent, earlier.job, code="E_CACHE"), min(earlier.frame, frame)
        state = _state_after(older, _system(older), until, device, stop, seen | {source.name})
        if state is None:
            return None
        _take_up(solver, until - start, state)
    while solver.frame_index < frame - start:
        if stop.is_requested:
            return None
        solver.advance()
    return solver.checkpoint()


def _restore_newest(solver: Solver, source: Path, start: int, last: int) -> bool:
    """Bring a solver to the last whole state that its job has kept until a frame; whether there is one."""
    for number, place in states_until(source, last):
        if number < start:
            continue
        try:
            saved = read_checkpoint(place, solver.most_checkpoint_bytes)
            if saved is not None:
                solver.restore(saved[0] - start, saved[1])
                return True
        except XpbdError as fault:
            if fault.code != "E_CACHE":
                raise
    return False
