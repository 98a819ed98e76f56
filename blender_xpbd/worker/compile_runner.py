# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles the kernels of a job, and leaves nothing but them: it is run up to its second frame, as a bake would be."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
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

    def __init__(self, folder: Path, stop: StopSignal, taichi_cache: Path, *, end: SuddenEnd | None = None) -> None:
        """Prepare to run; nothing is read yet.

        Args:
            folder: the job folder.
            stop: requested where some kernels may be left out.
            taichi_cache: private folder of compiled kernels.
            end: held off while Taichi looks into that; None where the process goes on to other jobs.
        """
        super().__init__(folder, stop, taichi_cache)
        self._held_off: Callable[[], AbstractContextManager[None]] = end.held_off if end is not None else nullcontext
        self._end = end

    def run(self) -> ExitCode:
        """Run; what was compiled is kept after that."""
        try:
            return super().run()
        finally:
            if self._end is not None:
                self._end.hold_off()

    def _read(self) -> Scene:
        scene = super()._read()
        quality = scene.settings.quality
        # the same kernels, whatever the number of substeps: there is no need for trials
        settings = replace(scene.settings, quality="MATERIAL" if quality == "AUTOMATIC" else quality)
        return replace(scene, settings=settings)

    def _start(self, system: System) -> str:
        with self._held_off():
            return super()._start(system)

    def _simulate(self, scene: Scene, solver: Solver, cache: FrameCache, measure: Measure) -> ExitCode:
        if scene.frames.count > 1 and not self._stop.is_requested:
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


def prepare_job(folder: Path, stop: StopSignal, taichi_cache: Path) -> ExitCode:
    """Load what a job needs, for the next one of this process.

    Args:
        folder: the job folder.
        stop: requested where another job waits: then kernels that are first needed in the second frame are left out.
        taichi_cache: private folder of compiled kernels.
    """
    return run_job(folder, stop, taichi_cache, CompileRunner, may_keep=True)
