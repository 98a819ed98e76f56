# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles the kernels of a job, and leaves nothing but them: it is run up to its second frame, as a bake would be."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from ..jobs.frames import FrameCache
from ..scene.errors import ExitCode
from ..scene.scene import Scene
from ..solver.solver import Solver
from ..solver.system.statistics import Measure
from ..solver.system.system import System
from .job_runner import JobRunner, run_job
from .stop_signal import StopSignal
from .sudden_end import SuddenEnd


class CompileRunner(JobRunner):
    """One run for the kernels alone, in a folder that nobody else looks into."""

    def __init__(self, folder: Path, stop: StopSignal, taichi_cache: Path, *, end: SuddenEnd) -> None:
        """Prepare to run; nothing is read yet.

        Args:
            folder: the job folder.
            stop: never requested.
            taichi_cache: private folder of compiled kernels.
            end: held off while Taichi looks into that.
        """
        super().__init__(folder, stop, taichi_cache)
        self._end = end

    def run(self) -> ExitCode:
        """Run; what was compiled is kept after that."""
        try:
            return super().run()
        finally:
            self._end.hold_off()

    def _read(self) -> Scene:
        scene = super()._read()
        quality = scene.settings.quality
        # the same kernels, whatever the number of substeps: there is no need for trials
        settings = replace(scene.settings, quality="MATERIAL" if quality == "AUTOMATIC" else quality)
        return replace(scene, settings=settings)

    def _start(self, system: System) -> str:
        with self._end.held_off():
            return super()._start(system)

    def _simulate(self, scene: Scene, solver: Solver, cache: FrameCache, measure: Measure) -> ExitCode:
        if scene.frames.count > 1:
            # some kernels are compiled when they are first needed
            solver.advance()
        self._tell("COMPLETE")
        return ExitCode.COMPLETE


def compile_job(folder: Path, taichi_cache: Path, end: SuddenEnd) -> ExitCode:
    """Compile what a job needs.

    Args:
        folder: the job folder.
        taichi_cache: private folder of compiled kernels.
        end: of this process.
    """
    return run_job(folder, StopSignal(), taichi_cache, partial(CompileRunner, end=end))
