# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake that goes on from a frame of another one, with inputs of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..jobs.checkpoint import read_checkpoint, write_checkpoint
from ..jobs.files import inside
from ..jobs.job import read_job
from ..jobs.milestones import states_until
from ..jobs.result import read_result
from ..scene.beginning import Beginning
from ..scene.errors import XpbdError
from ..scene.scene import Scene
from ..scene.settings import FrameRange
from ..scene.stages import staged
from ..solver.regional import RecordingSolver, RegionalSolver
from ..solver.solver import Solver
from ..solver.step.plan import choose_paths
from ..solver.system.system import System, build_system
from ..solver.tearing import make_solver
from .hand_over import hand_over_frames
from .quality import with_settings
from .stop_signal import StopSignal


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
        # one that goes on beside this one must give the same bytes again
        is_region = isinstance(solver, RegionalSolver)
        former = _solver_after(
            source, system, beginning.frame, device, stop, frozenset({folder.name}), forgets=is_region
        )
        if former is None:
            return False
        if not hand_over_frames(source, folder, scene.frames, beginning.frame):
            raise cannot_go_on(beginning)
        _take_up(solver, former)
    except XpbdError as fault:
        if fault.code in {"E_JOB", "E_CACHE"}:
            raise cannot_go_on(beginning) from fault
        raise
    write_checkpoint(folder, scene.frames.start + solver.frame_index, solver.checkpoint())
    return True


def _take_up(solver: Solver, former: Solver) -> None:
    """Go on where another solver is: by its state whole where it fits, else by what both have. Masses stay."""
    if isinstance(solver, RegionalSolver):
        solver.adopt(former.frame_index, former.checkpoint())
        return
    state = former.whole_state() if isinstance(former, RegionalSolver) else former.checkpoint()
    masses = solver.checkpoint()["positions"][:, 3]
    if len(masses) == len(state["positions"]):
        state["positions"] = np.column_stack([state["positions"][:, :3], masses])
    try:
        solver.restore(former.frame_index, state)
    except XpbdError as fault:
        if fault.code != "E_CACHE":
            raise
        solver.adopt(former.frame_index, state)


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
    """The other job's, with the substeps and sweeps that it was simulated with."""
    scene = staged(read_job(source))
    return with_settings(build_system(scene), read_result(source).fixed(scene.settings))


def solver_of(folder: Path, system: System, device: str, seen: frozenset[str] = frozenset()) -> Solver:
    """A solver that suits a job: of one that simulates a region again, with a solver of the job that it goes on from.

    Args:
        folder: of the job.
        system: its own.
        device: that Taichi was started on.
        seen: jobs that ask for it.

    Raises:
        XpbdError: as of ``RegionalSolver``; E_CACHE, also where jobs go on from each other in a circle; E_JOB; E_IO.
    """
    paths, earlier = choose_paths(system, device), system.scene.beginning
    if system.region is None or earlier is None:
        return make_solver(system, paths)
    source = inside(folder.parent, earlier.job, code="E_CACHE")
    if source.name in seen:
        raise XpbdError("E_CACHE", f"{source} goes on from itself.")
    other = _recording(source, _system(source), device, seen | {folder.name})
    return RegionalSolver(system, other, paths)


def _recording(folder: Path, system: System, device: str, seen: frozenset[str]) -> RecordingSolver:
    """A solver of a job that tells where particles were after each substep; arguments and errors as ``solver_of``."""
    found = solver_of(folder, system, device, seen)
    return found if isinstance(found, RecordingSolver) else RecordingSolver(system, found.paths)


def _solver_after(
    source: Path, system: System, frame: int, device: str, stop: StopSignal, seen: frozenset[str], *, forgets: bool
) -> Solver | None:
    """The solver of a job after a frame, None where a stop was requested.

    Args:
        source: folder of the job.
        system: its own.
        frame: after which.
        device: that Taichi was started on.
        stop: looked at between frames.
        seen: jobs that ask for it.
        forgets: it is to be after the last frame until then of which a checkpoint tells all that follows.

    Raises:
        XpbdError: E_CACHE, also where jobs go on from each other in a circle.
    """
    if source.name in seen:
        raise XpbdError("E_CACHE", f"{source} goes on from itself.")
    start = system.scene.frames.start
    solver = solver_of(source, system, device, seen)
    solver.compile()
    earlier = system.scene.beginning
    if not _restore_newest(solver, source, start, frame) and earlier is not None:
        older, until = inside(source.parent, earlier.job, code="E_CACHE"), min(earlier.frame, frame)
        is_region = isinstance(solver, RegionalSolver)
        former = _solver_after(older, _system(older), until, device, stop, seen | {source.name}, forgets=is_region)
        if former is None:
            return None
        _take_up(solver, former)
    memoryless = None
    while solver.frame_index < frame - start:
        if stop.is_requested:
            return None
        if forgets and solver.is_memoryless:
            memoryless = solver.frame_index, solver.checkpoint()
        solver.advance()
    if memoryless is not None and not solver.is_memoryless:
        solver.restore(*memoryless)
    return solver


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
