# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one job folder from its first frame, or from its checkpoint, to its last."""

from __future__ import annotations

import gc
import os
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from ..bodies.measures import STATISTICS
from ..constraints.pools import FIRST_MEMBER
from ..device.kept_kernels import compiled_count
from ..device.runtime import keep_taichi, start_taichi, stop_taichi
from ..jobs.checkpoint import write_checkpoint
from ..jobs.frames import FrameCache
from ..jobs.free_memory import tells_of_memory
from ..jobs.job import read_job
from ..jobs.lock import JobLock
from ..jobs.milestones import milestone_frames, write_milestone
from ..jobs.result import BodyResult, Result, Tangled, write_result
from ..jobs.status import Fault, State, Status, write_status
from ..jobs.subframes import SubframeCache
from ..jobs.tangled import write_tangled
from ..scene.body import topology_hash
from ..scene.errors import ExitCode, Notice, XpbdError
from ..scene.scene import Scene
from ..scene.settings import EFFORTS
from ..scene.stages import staged
from ..solver.colliding.faceted_spheres import coarse_over_round, squashed_spheres
from ..solver.solver import Solver
from ..solver.step.frame_samples import whole_samples
from ..solver.step.plan import choose_paths
from ..solver.system.advice import divergence_advice, stiffness_advice, stretch_advice
from ..solver.system.contact_statistics import CONTACT_STATISTICS, contact_rows
from ..solver.system.statistics import Measure
from ..solver.system.substeps import MOST_SUBSTEPS
from ..solver.system.system import System, build_system
from ..solver.tearing import make_solver
from .beginning import cannot_go_on, take_over
from .contact_notices import core_notices, enclosed_notices, tangled_notices, tunnelled_notice
from .kernel_folder import KernelFolder
from .quality import QualityChoice, by_material, choose_quality, subframes_notice, with_settings, with_wanted
from .resume import Start, find_start, had_checkpoint, is_simulated_alike, unfit
from .shape_notices import shape_notices
from .stop_signal import StopSignal
from .stopwatch import Stopwatch
from .torn_notices import torn_notices

# of a job after which kernels stay loaded for the next one. Chosen by hand: greater ones take more memory, and so long
# that kernels matter less
MOST_PARTICLES_KEPT = 100_000
# chosen by hand: about as much of a bake as a crash may cost [s]
CHECKPOINT_SECONDS = 2.0
# checkpoints come the less often the longer they take, so that they take no more than this share of the time; more only
# where to flush a frame takes a greater share of computing it
CHECKPOINT_SHARE = 0.05
# how often the status is written: where replacing a file takes longer than usual, the disk has other things to do.
# Chosen by hand: the window then shows progress some thirty times in a second
STATUS_SECONDS = 0.03
SLOW_STATUS_SECONDS = 0.15
STATUS_SHARE = 0.02
NO_VERTICES = np.zeros(0, np.int32)
TUNNELLED = CONTACT_STATISTICS.index("tunnelled")
# edges ten times their length on the average: not a material any more
DIVERGED_MEAN_STRAIN = 10.0


def run_job(
    folder: Path,
    stop: StopSignal,
    taichi_cache: Path,
    runner: Callable[[Path, StopSignal, Path], JobRunner] | None = None,
    *,
    may_keep: bool = False,
) -> ExitCode:
    """Run a job; whatever happens is written to its status.

    Args:
        folder: the job folder.
        stop: looked at between frames.
        taichi_cache: private folder of compiled kernels.
        runner: makes what runs it; None for a ``JobRunner``.
        may_keep: kernels may stay loaded for another job of this process, see ``keep_taichi``.
    """
    try:
        with JobLock(folder):
            run = (runner or JobRunner)(folder, stop, taichi_cache)
            try:
                return run.run()
            finally:
                run.leave_taichi(may_keep=may_keep)
    except XpbdError as error:
        # the lock belongs to another worker, or the folder cannot be used: its status is not ours to write
        print(error, flush=True)
        return error.exit_code


class JobRunner:
    """One run of one job; holds the job's lock."""

    def __init__(self, folder: Path, stop: StopSignal, taichi_cache: Path) -> None:
        """Prepare to run; nothing is read yet."""
        self._folder = folder
        self._stop = stop
        self._taichi_cache = taichi_cache
        self._watch = Stopwatch()
        self._status = Status("STARTING", pid=os.getpid(), seconds=self._watch.seconds)
        self._status_time = 0.0
        self._status_pause = STATUS_SECONDS
        self._checkpoint_time = 0.0
        self._checkpoint_pause = CHECKPOINT_SECONDS
        self._solving_since = 0.0
        self._is_lasting = False
        self._kernels: KernelFolder | None = None
        self._compiled_before = compiled_count()
        self._particle_count = 0

    def run(self) -> ExitCode:
        """Run to the end, or to a stop or a fault."""
        try:
            return self._run()
        except XpbdError as error:
            print(error, flush=True)
            self._fail(Fault.from_error(error))
            return error.exit_code
        except Exception as error:  # noqa: BLE001
            # the last gate of the process: the log holds the trace, the status what the user sees
            told = f"{type(error).__name__}: {error}"
            if isinstance(error, MemoryError) or tells_of_memory(told):
                self._fail(Fault("E_MEMORY", "Not enough memory; lower the cage resolution or close other programs."))
            else:
                traceback.print_exc()
                self._fail(Fault("E_WORKER", f"{told}. The log of the job tells more."))
            return ExitCode.CRASHED

    def leave_taichi(self, *, may_keep: bool) -> None:
        """Stop Taichi, or keep it for another job of this process.

        Where stopping fails, as on a lost graphics card, kernels go unkept, but the job has its status.
        """
        # another job of this process may collect what this one has left
        gc.unfreeze()
        if may_keep and self._is_worth_keeping():
            keep_taichi()
            return
        if self._kernels is not None and self._has_compiled():
            # before Taichi keeps what it has compiled, which it does as it stops
            self._kernels.forget_damaged()
        try:
            stop_taichi()
        except Exception:  # noqa: BLE001
            traceback.print_exc()
        if self._kernels is not None:
            if self._has_compiled():
                self._kernels.drop_torn()
            self._kernels.close()

    def _has_compiled(self) -> bool:
        """Whether kernels were compiled that no former run has kept."""
        return compiled_count() > self._compiled_before

    def _is_worth_keeping(self) -> bool:
        """Whether kernels may stay loaded: nothing failed, none waits to be written to the cache, memory is small."""
        is_well = self._status.state in {"COMPLETE", "INTERRUPTED"} and self._status.device == "CPU"
        is_own = self._kernels is not None and self._kernels.is_own
        return is_well and not is_own and not self._has_compiled() and self._particle_count <= MOST_PARTICLES_KEPT

    def _run(self) -> ExitCode:
        was_saved = had_checkpoint(self._folder)
        self._tell("STARTING")
        with self._watch.stage("read"):
            scene = staged(self._read())
        self._status = replace(self._status, frames_total=len(scene.frames.kept()))
        self._tell("BUILDING")
        with self._watch.stage("build"):
            system = build_system(scene)
        with self._watch.stage("start"):
            device = self._start(system)
        chosen = self._with_substeps(system, device)
        if chosen is None:
            self._tell("INTERRUPTED")
            return ExitCode.INTERRUPTED
        system = chosen
        self._note_softness(system)
        with self._watch.stage("build"):
            system = self._prepared(system)
            solver = self._solver(system, choose_paths(system, device))
            self._particle_count = len(system.origin)
            crossings = solver.crossings()
        tangled = (*tangled_notices(crossings, system.scene), *enclosed_notices(crossings, system.scene))
        notices = (*self._status.notices, *system.notices, *solver.notices, *tangled)
        notices = (*notices, *core_notices(scene), *squashed_spheres(scene))
        notices = (*notices, *coarse_over_round(system.scene, system.models))
        self._status = replace(self._status, device=device, notices=notices)
        measure = Measure(system, has_contact=crossings is not None)
        vertex_count = sum(body.vertex_count for body in scene.bodies)
        cache = FrameCache(self._folder, vertex_count, len(system.models), len(measure.names), len(system.orientations))
        with self._watch.stage("compile"):
            solver.compile()
        begin = Start()
        if is_simulated_alike(self._folder, system.origin, system.scene.settings):
            begin = self._find_start(solver, cache, was_saved=was_saved)
        found = write_tangled(self._folder, NO_VERTICES if crossings is None else crossings.vertices)
        write_result(self._folder, _result(system, device, measure.names, self._status.notices, found))
        if self._kernels is not None and self._has_compiled():
            self._kernels.note_full_disk()
        if self._kernels is not None and self._kernels.notice is not None:
            # of this run alone, so not in the result
            self._status = replace(self._status, notices=(*self._status.notices, self._kernels.notice))
        if scene.beginning is not None and begin.saved is None:
            with self._watch.stage("beginning"):
                if not take_over(self._folder, scene, solver, device, self._stop):
                    self._tell("INTERRUPTED")
                    return ExitCode.INTERRUPTED
            begin = self._find_start(solver, cache, was_saved=False)
        solver = self._begin(begin, scene, solver, cache)
        if solver.frame_index == 0 and not scene.frames.hidden:
            self._publish(solver, cache, measure, scene.frames.start)
        # what was made until here stays; it was made without collecting, see __main__
        gc.freeze()
        gc.enable()
        self._tell("RUNNING")
        return self._simulate(scene, solver, cache, measure)

    def _start(self, system: System) -> str:
        """Start Taichi; return the device that runs."""
        kernels = self._kernels = KernelFolder(self._taichi_cache)
        return start_taichi(system.device, system.graphics_work, kernels.path, *system.compiling)

    def _find_start(self, solver: Solver, cache: FrameCache, *, was_saved: bool) -> Start:
        frames, most = solver.system.scene.frames, solver.most_checkpoint_bytes
        subframes = SubframeCache(self._folder, frames, cache.vertex_count) if frames.subframes else None
        return find_start(self._folder, frames, cache, most, was_saved=was_saved, subframes=subframes)

    def _with_substeps(self, system: System, device: str) -> System | None:
        """The system with the substeps that its quality asks for; None where a stop was requested meanwhile."""
        settings = system.scene.settings
        if settings.solver_mode == "XPBD" and settings.quality in EFFORTS:
            system = with_settings(system, by_material(system))
            print(f"By material: {system.scene.settings.substeps} substeps.", flush=True)
        elif settings.solver_mode == "XPBD" and settings.quality == "AUTOMATIC":
            with self._watch.stage("quality"):
                chosen = choose_quality(system, choose_paths(system, device), self._stop)
            if chosen is None:
                return None
            system = with_settings(system, chosen.settings)
            self._note_quality(chosen)
        return self._with_samples(with_wanted(system))

    def _with_samples(self, system: System) -> System:
        """The system with so many substeps that each state between frames comes after a whole one."""
        settings, count = system.scene.settings, system.scene.frames.subframes
        finer = replace(settings, substeps=whole_samples(settings.substeps, count))
        if finer == settings:
            return system
        self._status = replace(self._status, notices=(*self._status.notices, subframes_notice(settings, finer, count)))
        return with_settings(system, finer)

    def _read(self) -> Scene:
        return read_job(self._folder)

    def _solver(self, system: System, paths: tuple[str, ...]) -> Solver:
        return make_solver(system, paths)

    def _prepared(self, system: System) -> System:
        """The system that is simulated, once its substeps are known."""
        return system

    def _simulate(self, scene: Scene, solver: Solver, cache: FrameCache, measure: Measure) -> ExitCode:
        kept, milestones = set(scene.frames.kept()), milestone_frames(scene.frames)
        system = solver.system
        subframes = SubframeCache(self._folder, scene.frames, cache.vertex_count)
        # some of it may have torn in an earlier run
        measure = Measure(system, has_contact=solver.contact_counts() is not None)
        self._checkpoint_time = self._solving_since = time.perf_counter()
        for frame in range(scene.frames.start + solver.frame_index + 1, scene.frames.end + 1):
            if self._stop.is_requested:
                self._save_checkpoint(solver, cache)
                self._note_torn(solver)
                self._tell("INTERRUPTED")
                return ExitCode.INTERRUPTED
            with self._watch.stage("solve"):
                solver.advance()
            self._note_tunnelled(solver, frame)
            if solver.system is not system:
                # what has torn is measured by other edges
                system = solver.system
                measure = Measure(system, has_contact=solver.contact_counts() is not None)
            if solver.samples:
                subframes.publish(frame, solver.samples, solver.surface(solver.positions()))
            if frame in kept:
                self._publish(solver, cache, measure, frame)
            if frame in milestones and solver.is_memoryless:
                with self._watch.stage("write"):
                    write_milestone(self._folder, frame, solver.checkpoint())
            if time.perf_counter() - self._checkpoint_time > self._checkpoint_pause:
                self._save_checkpoint(solver, cache)
            self._status = replace(self._status, solver_fps=self._frames_per_second(solver))
            if time.perf_counter() - self._status_time > self._status_pause:
                self._tell("RUNNING")
        self._save_checkpoint(solver, cache)
        self._note_torn(solver)
        self._tell("COMPLETE")
        return ExitCode.COMPLETE

    def _publish(self, solver: Solver, cache: FrameCache, measure: Measure, frame: int) -> None:
        with self._watch.stage("solve"):
            positions, orientations = solver.positions(), solver.orientations()
        with self._watch.stage("measure"):
            residuals = solver.residuals() if solver.measures_residual else None
            statistics = measure(positions, residuals, _contact(solver, frame))
        for body, model in enumerate(solver.system.models):
            if not statistics[body, 1] < DIVERGED_MEAN_STRAIN:
                raise XpbdError("E_DIVERGED", divergence_advice(solver.system, body), model.body.name, frame)
        surface = solver.surface(positions)
        with self._watch.stage("write"):
            cache.publish(frame, surface, statistics, orientations)
        self._status = replace(self._status, frame=frame, frames_done=self._status.frames_done + 1)
        self._note_shapes(statistics, solver.system, frame, lambda: surface)

    def _note_quality(self, chosen: QualityChoice) -> None:
        settings = chosen.settings
        millimetres = 1e3 * chosen.error
        print(
            f"By trial: {settings.substeps} substeps; no vertex is off by more than about {millimetres:.3g} mm, as at "
            f"frame {chosen.frame}.",
            flush=True,
        )
        if not chosen.is_reached:
            may_take_more = chosen.converges and settings.maximum_substeps < MOST_SUBSTEPS
            more = "more, or a greater" if may_take_more else "a greater"
            chance = "" if chosen.converges else " Twice as many do not halve it, as where things tumble or crease."
            text = (
                f"The tolerance of {settings.tolerance:g} mm is not reached with {settings.substeps} substeps, the most"
                f" that By Trial may take: a vertex is off by about {millimetres:.3g} mm at frame {chosen.frame}."
                f"{chance} Allow {more} tolerance."
            )
            self._status = replace(self._status, notices=(*self._status.notices, Notice("W_QUALITY", text)))

    def _note_softness(self, system: System) -> None:
        told = [Notice("W_QUALITY", text) for text in (stiffness_advice(system), stretch_advice(system)) if text]
        self._status = replace(self._status, notices=(*self._status.notices, *told))

    def _note_shapes(
        self, statistics: np.ndarray, system: System, frame: int, surface: Callable[[], np.ndarray]
    ) -> None:
        first = 0
        for row, model in zip(statistics, system.models, strict=True):
            own = slice(first, first + model.body.vertex_count)
            if found := shape_notices(row, model, frame, self._status.notices, surface, own):
                self._status = replace(self._status, notices=(*self._status.notices, *found))
            first = own.stop

    def _note_tunnelled(self, solver: Solver, frame: int) -> None:
        """Of each frame, also of those that are not kept."""
        if (counts := solver.contact_counts()) is not None:
            self._add_tunnelled(solver.system, counts[:, TUNNELLED], frame)

    def _note_torn(self, solver: Solver) -> None:
        """How many seams of each body have torn in the end."""
        self._status = replace(self._status, notices=(*self._status.notices, *torn_notices(solver)))

    def _add_tunnelled(self, system: System, counts: np.ndarray, frame: int) -> None:
        for count, model in zip(counts, system.models, strict=True):
            notice = tunnelled_notice(float(count), model.body.name, frame, self._status.notices)
            if notice is not None:
                self._status = replace(self._status, notices=(*self._status.notices, notice))

    def _begin(self, begin: Start, scene: Scene, solver: Solver, cache: FrameCache) -> Solver:
        """Go on from the checkpoint where there is a good one, and tell what an earlier run has left damaged.

        Returns:
            The solver that goes on.
        """
        saved, notice = begin.saved, begin.notice
        if saved is not None:
            try:
                solver.restore(saved[0] - scene.frames.start, saved[1])
            except XpbdError as fault:
                saved, notice = None, unfit(fault, scene.frames)
        if saved is None and scene.beginning is not None:
            raise cannot_go_on(scene.beginning)
        if notice is not None:
            print(notice, flush=True)
            # of this run alone, so not in the result
            self._status = replace(self._status, notices=(*self._status.notices, notice))
        if saved is None:
            return solver
        frame = saved[0]
        done = [number for number in scene.frames.kept() if number <= frame]
        cache.flush_later(done)
        self._is_lasting = True
        self._status = replace(self._status, resumed_after=frame)
        if done:
            self._status = replace(self._status, frame=done[-1], frames_done=len(done))
        for number in done:
            statistics = begin.statistics[number]
            self._note_shapes(statistics, solver.system, number, partial(_surface_of, cache, number))
            if solver.contact_counts() is not None:
                self._add_tunnelled(solver.system, statistics[:, len(STATISTICS) + TUNNELLED], number)
        print(f"Going on after frame {frame}.", flush=True)
        return solver

    def _save_checkpoint(self, solver: Solver, cache: FrameCache) -> None:
        """Keep the state, flushed to the disk with its frames where there is work to lose in a power cut.

        A bake of less than ``CHECKPOINT_SECONDS`` need not wait for the disk. A checkpoint that lasts is only replaced
        by another such.
        """
        if not solver.is_memoryless:
            # the state before it gives the same bytes again
            return
        before = time.perf_counter()
        self._is_lasting = self._is_lasting or before - self._solving_since > CHECKPOINT_SECONDS
        with self._watch.stage("write"):
            if self._is_lasting:
                cache.flush()
            frame = solver.system.scene.frames.start + solver.frame_index
            write_checkpoint(self._folder, frame, solver.checkpoint(), lasting=self._is_lasting)
        self._checkpoint_time = time.perf_counter()
        self._checkpoint_pause = max(CHECKPOINT_SECONDS, (self._checkpoint_time - before) / CHECKPOINT_SHARE)

    def _frames_per_second(self, solver: Solver) -> float:
        seconds = self._watch.seconds["solve"]
        return solver.frames_advanced / seconds if seconds > 0.0 else 0.0

    def _tell(self, state: State) -> None:
        self._status = replace(self._status, state=state, seconds=self._watch.seconds)
        before = time.perf_counter()
        write_status(self._folder, self._status)
        self._status_time = time.perf_counter()
        took = self._status_time - before
        self._status_pause = min(max(STATUS_SECONDS, took / STATUS_SHARE), SLOW_STATUS_SECONDS)

    def _fail(self, fault: Fault) -> None:
        self._status = replace(self._status, error=fault)
        try:
            self._tell("FAILED")
        except XpbdError as error:
            # the exit status and the log still tell the fault, which comes first
            print(f"The status could not be written. {error}", flush=True)


def _surface_of(cache: FrameCache, frame: int) -> np.ndarray:
    """Where the vertices of all bodies are at a frame that is kept [m]."""
    return cache.read(frame).positions


def _contact(solver: Solver, frame: int) -> np.ndarray | None:
    """What is told of contact in a frame: crossings in the first and the last, for they take time to count."""
    counts, frames = solver.contact_counts(), solver.system.scene.frames
    if counts is None:
        return None
    return contact_rows(counts, solver.crossings() if frame in {frames.start + frames.hidden, frames.end} else None)


def _result(
    system: System, device: str, statistics: tuple[str, ...], notices: tuple[Notice, ...], tangled: Tangled
) -> Result:
    bodies, first = [], 0
    turns = system.orientation_starts[:-1]
    # as they came, not as they are joined
    for body, model, counts, first_turn in zip(
        system.scene.bodies, system.models, _constraint_counts(system), turns, strict=True
    ):
        bodies.append(
            BodyResult(
                identifier=body.identifier,
                name=body.name,
                vertex_start=first,
                vertex_count=body.vertex_count,
                particle_count=len(model.positions),
                tetrahedron_count=len(model.tetrahedra),
                constraint_counts=counts,
                topology_hash=topology_hash(body.vertex_count, body.face_sizes, body.corners, body.loose_edges),
                orientation_start=int(first_turn),
                orientation_count=len(model.orientations),
            )
        )
        first += body.vertex_count
    origin = (float(system.origin[0]), float(system.origin[1]), float(system.origin[2]))
    settings = system.scene.settings
    return Result(
        origin,
        first,
        tuple(bodies),
        device,
        statistics,
        notices,
        settings.substeps,
        settings.iterations,
        tangled,
        system.spring_sweeps,
    )


def _constraint_counts(system: System) -> list[dict[str, int]]:
    """What is solved for each body, soft pins and attachments to others among it: by the first particle of each."""
    counts: list[dict[str, int]] = [{} for _ in system.models]
    for block in system.schedule.blocks:
        if block is None:
            continue
        firsts = block.indices[:, 0] if block.pools is None else block.pools.members[block.indices[:, FIRST_MEMBER]]
        owners = np.searchsorted(system.starts, firsts, side="right") - 1
        for owner, count in zip(*np.unique(owners, return_counts=True), strict=True):
            counts[owner][block.type.name] = int(count)
    return counts
