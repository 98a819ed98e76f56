# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a job that simulates a region of another one again: all else is that one's, to the byte."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..jobs.files import inside
from ..jobs.frames import FrameCache
from ..jobs.job import read_job
from ..jobs.result import read_result
from ..jobs.status import State
from ..scene.errors import ExitCode, XpbdError
from ..scene.region import Region
from ..scene.scene import Scene
from ..scene.settings import FrameRange
from ..solver.regional import RegionalSolver
from ..solver.solver import Solver
from ..solver.system.statistics import Measure
from ..solver.system.system import System, build_system
from .beginning import cannot_go_on, solver_of
from .hand_over import frame_cache, hand_over_frames
from .job_runner import JobRunner
from .quality import with_settings
from .stop_signal import StopSignal

# by trial, substeps are found from all frames, of which only a part is simulated
_BY_TRIAL = "AUTOMATIC"


class ComposedFrames(FrameCache):
    """The frames of a job, of which vertices outside its region are those of another job, to the byte."""

    def __init__(self, folder: Path, source: Path, region: Region, is_outside: npt.NDArray[np.bool_]) -> None:
        """Look at the frames of a job.

        Args:
            folder: of the job, with its result.
            source: of the job whose region is simulated again.
            region: of the job.
            is_outside: of all vertices, whether they are not of the region.

        Raises:
            XpbdError: E_CACHE, E_IO.
        """
        result = read_result(folder)
        super().__init__(
            folder, result.vertex_count, len(result.bodies), len(result.statistics), result.orientation_count
        )
        self._source = frame_cache(source, read_result(source))
        self._region, self._is_outside = region, is_outside[:, None]

    def publish(
        self,
        frame: int,
        positions: npt.NDArray[np.float32],
        statistics: npt.NDArray[np.float64],
        orientations: npt.NDArray[np.float32] | None = None,
    ) -> None:
        """As of ``FrameCache``. What the other job has lost is as it was simulated again."""
        if self._source.verify(frame):
            is_region = self._region.first <= frame <= self._region.last
            positions = np.where(self._is_outside | (not is_region), self._source.read(frame).positions, positions)
        super().publish(frame, positions, statistics, orientations)


class RegionRunner(JobRunner):
    """One run of a job that has a region."""

    def __init__(self, folder: Path, stop: StopSignal, taichi_cache: Path) -> None:
        """Prepare to run; nothing is read yet."""
        super().__init__(folder, stop, taichi_cache)
        self._frames: FrameRange | None = None
        self._source: Path | None = None

    def _read(self) -> Scene:
        scene = super()._read()
        beginning = scene.beginning
        if beginning is None:
            raise XpbdError("E_JOB", f"{self._folder} has a region of no other job; bake again.")
        self._source = inside(self._folder.parent, beginning.job, code="E_CACHE")
        self._frames = scene.frames
        try:
            given, result = read_job(self._source).frames, read_result(self._source)
        except XpbdError as fault:
            if fault.code in {"E_JOB", "E_CACHE"}:
                raise cannot_go_on(beginning) from fault
            raise
        if given != scene.frames:
            raise cannot_go_on(beginning)
        settings = scene.settings
        if settings.quality == _BY_TRIAL:
            settings = result.fixed(settings)
        return replace(scene, settings=settings)

    def _with_substeps(self, system: System, device: str) -> System | None:
        # as many as the whole asks for: where nothing has changed, those of the other job
        whole = super()._with_substeps(build_system(replace(system.scene, region=None)), device)
        return None if whole is None else with_settings(system, whole.scene.settings)

    def _solver(self, system: System, paths: tuple[str, ...]) -> Solver:
        beginning = system.scene.beginning
        try:
            # regions are for processors
            return solver_of(self._folder, system, "CPU")
        except XpbdError as fault:
            if fault.code in {"E_JOB", "E_CACHE"} and beginning is not None:
                raise cannot_go_on(beginning) from fault
            raise

    def _simulate(self, scene: Scene, solver: Solver, cache: FrameCache, measure: Measure) -> ExitCode:
        region, source = scene.region, self._source
        if region is None or source is None or not isinstance(solver, RegionalSolver):
            raise XpbdError("E_WORKER", "The run was not prepared.")
        composed = ComposedFrames(self._folder, source, region, solver.is_outside)
        composed.flush_later(frame for frame in cache.available() if frame < scene.frames.start + solver.frame_index)
        kept = scene.frames.kept()
        after = [frame for frame in kept if frame > region.last]
        theirs = frame_cache(source, read_result(source))
        end = next(frame for frame in kept if frame >= region.last)
        if all(map(theirs.verify, after)):
            scene = replace(scene, frames=replace(scene.frames, end=end))
        return super()._simulate(scene, solver, composed, measure)

    def _tell(self, state: State) -> None:
        if state == "COMPLETE":
            self._take_over_rest()
        super()._tell(state)

    def _take_over_rest(self) -> None:
        """The frames after the region, before anybody is told that all are there."""
        frames, source = self._frames, self._source
        if frames is None or source is None:
            raise XpbdError("E_WORKER", "The run was not prepared.")
        own = frame_cache(self._folder, read_result(self._folder))
        for frame in own.available():
            if not own.verify(frame):
                # a name that stays would keep what is damaged
                own.path(frame).unlink()
        if not hand_over_frames(source, self._folder, frames, frames.end):
            text = f"Frames of the bake before are missing in {source}: bake all frames again."
            raise XpbdError("E_CACHE_STALE", text)
        self._status = replace(self._status, frame=frames.end, frames_done=len(frames.kept()))
