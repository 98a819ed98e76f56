# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a job that an artist plays: the input of each frame comes while it runs, or was recorded.

While it is played, the worker waits for the input of each frame. Run again without that, it goes by the recorded inputs
of the newest run and computes the same bytes, whole or from a checkpoint on.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..jobs.frames import FrameCache
from ..jobs.job import is_regional
from ..jobs.play_inputs import PlayInputs
from ..scene.errors import ExitCode, XpbdError
from ..scene.play import Changes, PlayInput, changed_scene, validate_input
from ..scene.scene import Scene
from ..solver.solver import Solver
from ..solver.system.statistics import Measure
from ..solver.system.system import System, build_system
from .job_runner import JobRunner, run_job
from .played_system import PlayedSystem, with_pull
from .quality import with_settings
from .region_runner import RegionRunner
from .resume import Start
from .stop_signal import StopSignal

# how often a worker looks for the next input: a fiftieth of a frame at 24 frames per second
_PAUSE_SECONDS = 0.0008
_LONGER_PAUSE_SECONDS = 0.02
# after which an artist has let go for so long that the processor may rest
_PATIENCE_SECONDS = 1.0


class _Restart(Exception):  # noqa: N818 - a wish, no error
    """The artist has begun the run again."""


class PlayRunner(JobRunner):
    """One run of one job that is played, or was."""

    waits = True

    def __init__(self, folder: Path, stop: StopSignal, taichi_cache: Path) -> None:
        """Prepare to run; nothing is read yet."""
        super().__init__(folder, stop, taichi_cache)
        self._inputs = PlayInputs(folder)
        self._number = max(self._inputs.newest_run(), 1)
        self._taken: dict[int, PlayInput] = {}
        self._changes = Changes()
        self._built: System | None = None
        self._played: PlayedSystem | None = None

    def _read(self) -> Scene:
        scene = super()._read()
        quality = scene.settings.quality
        # trials of the whole range would go by what nobody has done yet
        settings = replace(scene.settings, quality="MATERIAL" if quality == "AUTOMATIC" else quality)
        # states between frames are not shown, and substeps may be changed while it runs
        frames = replace(scene.frames, subframes=0)
        return with_pull(replace(scene, settings=settings, frames=frames))

    def _solver(self, system: System, paths: tuple[str, ...]) -> Solver:
        # what hands hold is in this system alone, so nothing tears while it is played
        return Solver(system, paths)

    def _prepared(self, system: System) -> System:
        self._built = system
        self._played = PlayedSystem(system)
        return self._played.system

    def _begin(self, begin: Start, scene: Scene, solver: Solver, cache: FrameCache) -> Solver:
        if begin.saved is not None:
            first, frame = scene.frames.start, begin.saved[0]
            for number in range(first + 1, frame + 1):
                given = self._recorded(number, scene)
                if given is None:
                    begin = replace(begin, saved=None)
                    self._taken.clear()
                    break
                self._keep(given, scene)
        solver = self._under(self._newest_changes(), solver, scene, {})
        return super()._begin(begin, scene, solver, cache)

    def _simulate(self, scene: Scene, solver: Solver, cache: FrameCache, measure: Measure) -> ExitCode:
        self._checkpoint_time = self._solving_since = time.perf_counter()
        first = scene.frames.start
        while True:
            try:
                solver = self._play_on(scene, solver, cache, measure)
            except _Restart:
                solver = self._begin_again(scene, cache, measure, solver)
                continue
            frame = first + solver.frame_index
            # of a run that is played, whoever stops it may keep it or throw it away
            self._save_checkpoint(solver, cache)
            is_over = frame == scene.frames.end or (not self.waits and not self._stop.is_requested)
            self._tell("COMPLETE" if is_over else "INTERRUPTED")
            return ExitCode.COMPLETE if is_over else ExitCode.INTERRUPTED

    def _play_on(self, scene: Scene, solver: Solver, cache: FrameCache, measure: Measure) -> Solver:
        """Simulate until stopped, or until there are no more inputs or frames; return the solver at the end."""
        first = scene.frames.start
        for frame in range(first + solver.frame_index + 1, scene.frames.end + 1):
            given = self._next(frame, scene)
            if given is None:
                break
            self._keep(given, scene)
            if given.changes != self._changes:
                solver = self._under(given.changes, solver, scene, solver.checkpoint())
            played = self._system_played()
            played.hold(solver, given, self._taken.get(frame - 1))
            with self._watch.stage("solve"):
                solver.advance()
            self._note_tunnelled(solver, frame)
            if frame >= first + scene.frames.hidden:
                self._publish(solver, cache, measure, frame)
            if not self.waits and time.perf_counter() - self._checkpoint_time > self._checkpoint_pause:
                self._save_checkpoint(solver, cache)
            self._status = replace(self._status, solver_fps=self._frames_per_second(solver))
            if time.perf_counter() - self._status_time > self._status_pause:
                self._tell("RUNNING")
        while self.waits and not self._stop.is_requested:
            # at the last frame the artist may begin again
            self._look_for_restart()
            time.sleep(_LONGER_PAUSE_SECONDS)
        return solver

    def _next(self, frame: int, scene: Scene) -> PlayInput | None:
        """The input of a frame, waited for while the run is played; None where none comes."""
        since = time.perf_counter()
        while not self._stop.is_requested:
            given = self._recorded(frame, scene)
            if given is not None or not self.waits:
                return given
            self._look_for_restart()
            is_idle = time.perf_counter() - since > _PATIENCE_SECONDS
            time.sleep(_LONGER_PAUSE_SECONDS if is_idle else _PAUSE_SECONDS)
        return None

    def _recorded(self, frame: int, scene: Scene) -> PlayInput | None:
        """The input of a frame, None where there is none yet; in start frames nobody does anything."""
        if frame <= scene.frames.start + scene.frames.hidden:
            return PlayInput(frame)
        return self._inputs.read(self._number, frame)

    def _look_for_restart(self) -> None:
        if self._inputs.has_run(self._number + 1):
            self._number += 1
            raise _Restart

    def _begin_again(self, scene: Scene, cache: FrameCache, measure: Measure, solver: Solver) -> Solver:
        """The first frame again; frames of the run before are removed, for nobody can tell them from new ones."""
        for number in cache.available():
            if number > scene.frames.start:
                cache.path(number).unlink(missing_ok=True)
        self._taken.clear()
        built = self._built_system()
        self._changes = Changes()
        self._played = PlayedSystem(built)
        again = Solver(self._played.system, solver.paths)
        self._status = replace(self._status, frames_done=0)
        if not scene.frames.hidden:
            self._publish(again, cache, measure, scene.frames.start)
        self._tell("RUNNING")
        return again

    def _keep(self, given: PlayInput, scene: Scene) -> None:
        validate_input(given, scene)
        self._taken[given.frame] = given
        self._system_played().take(given.frame - scene.frames.start, given)

    def _newest_changes(self) -> Changes:
        return self._taken[max(self._taken)].changes if self._taken else Changes()

    def _under(
        self, changes: Changes, solver: Solver, scene: Scene, state: Mapping[str, npt.NDArray[np.generic]]
    ) -> Solver:
        """A solver under other parameters, which goes on from a state where one is given."""
        if changes == self._changes:
            return solver
        system = self._built_system()
        settings = system.scene.settings
        if changes.materials or changes.gravity is not None:
            system = build_system(replace(changed_scene(scene, changes), settings=settings))
        if changes.substeps:
            system = with_settings(system, replace(settings, substeps=changes.substeps))
        self._changes, self._played = changes, PlayedSystem(system)
        for frame, given in sorted(self._taken.items()):
            self._played.take(frame - scene.frames.start, given)
        changed = Solver(self._played.system, solver.paths)
        if state:
            changed.adopt(solver.frame_index, state)
        return changed

    def _system_played(self) -> PlayedSystem:
        if self._played is None:
            raise XpbdError("E_WORKER", "The run was not prepared.")
        return self._played

    def _built_system(self) -> System:
        if self._built is None:
            raise XpbdError("E_WORKER", "The run was not prepared.")
        return self._built


class ReplayRunner(PlayRunner):
    """One run of a job whose inputs are recorded."""

    waits = False


def run_any_job(
    folder: Path, stop: StopSignal, taichi_cache: Path, *, is_played: bool, may_keep: bool = False
) -> ExitCode:
    """Run a job as it is meant: a bake, a run that an artist plays now, or one that was played.

    Args:
        folder: the job folder.
        stop: looked at between frames.
        taichi_cache: private folder of compiled kernels.
        is_played: an artist plays it now.
        may_keep: as of ``run_job``.
    """
    try:
        runner = PlayRunner if is_played else ReplayRunner if PlayInputs(folder).newest_run() else _baker(folder)
    except XpbdError as error:
        print(error, flush=True)
        return error.exit_code
    return run_job(folder, stop, taichi_cache, runner, may_keep=may_keep)


def _baker(folder: Path) -> type[JobRunner]:
    """What runs a bake."""
    try:
        return RegionRunner if is_regional(folder) else JobRunner
    except XpbdError as fault:
        if fault.code != "E_JOB":
            raise
        # it reads the job itself, and leaves its status to say what is wrong
        return JobRunner
