# SPDX-License-Identifier: GPL-3.0-or-later
"""The bake: the one generator that a window advances on a timer and a script exhausts.

From a script::

    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    summary = run_bake(bpy.context, BakeOptions(objects=("Suzanne",), frame_start=1, frame_end=100))
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path

import bpy

from ...jobs.cache_contents import jobs_size
from ...jobs.changes import told
from ...jobs.job import write_job
from ...scene.errors import Notice, XpbdError
from ...scene.scene import Scene
from ..data.bake_options import BakeOptions
from ..data.bake_record import BakeRecord
from ..data.data_lookup import scene_by_uid
from ..data.extension import worker_python_path
from ..data.migration import bring_up_to_date, newer_notices
from ..measures.open_seams import open_seams
from ..measures.thinness import caged_bodies, thinness_notice
from ..process import compiling_ahead, waiting_worker
from ..process.cache_folder import cache_folder, claim
from ..process.worker_process import WorkerProcess
from ..process.worker_python import WorkerPython, search_python
from .bake_output import ALL_FRAMES, BakeOutput
from .begun import begun
from .continuation import former_job, go_on_from, job_changes, take_unsaved
from .loop import seam_of
from .pace import kernels_of, note_pace
from .pause import Pause
from .pose_error import pose_errors
from .progress import READING, REDUCING, SOLVING, STARTING, TAKING_OUT, WAITING, WRITING, Progress
from .region import job_before, left_out, region_seam, regional, shown_job, taken_back, whole_bake, with_its_bake
from .report import BakeSummary
from .report_text import cancelled_text, report_after
from .scene_reader import Reading, read_scene
from .shown_times import show_at, shown_times
from .silence import Silence
from .space import space_notices

# What one step may take while a window waits for it
SLICE_SECONDS = 0.03
# Cancel must be done within 2 s; the worker has 1 s of them
CLOSING_SECONDS = 0.5
# The first and, where the scene asks for it, three more when it blows up
MOST_TRIES = 4
MOST_SUBSTEPS = 10_000


def bake(context: bpy.types.Context, options: BakeOptions | None = None) -> Generator[Progress, None, BakeSummary]:
    """Bake the context's scene into shape keys, step by step.

    No step takes longer than some 40 ms, but for the first, for jellies of many vertices, each of which is measured in
    one step, and for frames that Blender itself is slow to evaluate.
    Between two steps anything may happen to Blender's data. Closing the generator cancels: within 2 s the worker has
    stopped, and the frames that were done are keys. A region whose taking back has begun to write keys is taken back
    whole first, however long that takes. The same happens when the add-on is disabled or another file is opened; the
    next step then raises E_INTERRUPTED.

    Args:
        context: its scene is baked.
        options: wishes that go before the scene's settings.

    Returns:
        What was done; ``Scene.xpbd.report`` has it too, as JSON, also after an error or a cancel.

    Raises:
        XpbdError: what went wrong. Frames that were done before are keys all the same.
    """
    return BakeSession(context, options or BakeOptions()).run(context)


def run_bake(
    context: bpy.types.Context,
    options: BakeOptions | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> BakeSummary:
    """Bake the context's scene into shape keys, and return when it is done.

    Args:
        context: its scene is baked.
        options: wishes that go before the scene's settings.
        on_progress: called after each step.
        should_stop: asked after each step; True cancels.

    Returns:
        What was done.

    Raises:
        XpbdError: what went wrong; E_INTERRUPTED when ``should_stop`` said so.
    """
    session = BakeSession(context, options or BakeOptions())
    steps, pause = session.run(context), Pause()
    try:
        while True:
            progress = next(steps)
            if on_progress is not None:
                on_progress(progress)
            if should_stop is not None and should_stop():
                steps.close()
                raise XpbdError("E_INTERRUPTED", cancelled_text(session.summary.to_json()))
            if progress.stage in {STARTING, SOLVING, REDUCING}:
                time.sleep(pause.seconds(progress))
    except StopIteration as end:
        summary: BakeSummary = end.value
        return summary


class BakeSession:
    """One bake: what is open while it runs."""

    def __init__(self, context: bpy.types.Context, options: BakeOptions) -> None:
        """Nothing is started or changed yet."""
        self.summary = BakeSummary(whole=options.is_whole)
        self._options = options
        self._scene_uid = context.scene.session_uid
        self._begin = time.perf_counter()
        self._worker: WorkerProcess | None = None
        self._kernels = ""
        self._output: BakeOutput | None = None
        self._former: Path | None = None
        self._taken_back: Path | None = None
        self._times: dict[int, BakeRecord] = {}
        self._rate = _Rate()
        self._silence = Silence()
        self._steps: Generator[Progress, None, None] | None = None
        self._interruption: XpbdError | None = None

    def run(self, context: bpy.types.Context) -> Generator[Progress, None, BakeSummary]:
        """The whole bake; see ``bake``."""
        if not hasattr(context.scene, "xpbd"):
            raise XpbdError("E_INTERRUPTED", "The add-on is disabled: enable it, and bake again.")
        self._steps = self._all_steps(context)
        _running.append(self)
        try:
            for progress in self._steps:
                yield progress
                if self._interruption is not None:
                    raise self._interruption
        except XpbdError as error:
            self.summary.fail(error)
            raise
        finally:
            self._end()
        return self.summary

    @property
    def may_stop(self) -> bool:
        """Whether a cancel leaves something whole: with half of the bake before there is no region to take back."""
        return self._taken_back is None or self._output is None or not self._output.frames_written

    def interrupt(self, reason: str) -> None:
        """End it between two steps, from outside: what is done is kept, and the next step raises E_INTERRUPTED."""
        self._interruption = XpbdError("E_INTERRUPTED", reason)
        self.summary.fail(self._interruption)
        self._end()

    def _end(self) -> None:
        """Close everything, the first time; later the add-on, or the file, may be gone."""
        steps, self._steps = self._steps, None
        if steps is not None:
            _running.remove(self)
            self._drain(steps)
            steps.close()
            self._close()

    def _drain(self, steps: Generator[Progress, None, None]) -> None:
        """Go on to the end where nothing may be left half done; not with what has to wait for the artist."""
        pause = Pause()
        try:
            while not self.may_stop and (progress := next(steps, None)) is not None and progress.stage != WAITING:
                if progress.stage == REDUCING:
                    time.sleep(pause.seconds(progress))
        except XpbdError as fault:
            self._note(fault)

    def _all_steps(self, context: bpy.types.Context) -> Generator[Progress, None, None]:
        yield Progress(READING, message="Reading the scene")
        self._options.check()
        bring_up_to_date()
        reading = yield from self._read(context)
        python = yield from self._python(self._options.worker_python or worker_python_path(context))
        scene = scene_by_uid(self._scene_uid)
        if scene is None:
            raise XpbdError("E_INTERRUPTED", "The scene was deleted while it was being read.")
        folder, notice = cache_folder(scene, self._options.cache)
        space = space_notices(reading.scene, folder, has_fewer_keys=reading.key_tolerance > 0.0)
        for warning in (*reading.notices, *newer_notices(scene), *((notice,) if notice else ()), *space):
            self.summary.add_notice(warning)
        self._former = former_job(reading.targets, folder)
        if self._options.from_frame is not None or self._options.loop is not None:
            source, self._former = self._former, None
            reading = begun(reading, source, self._options, folder, self.summary)
        elif self._options.region is not None or self._options.take_back_region:
            # what is drawn differs on purpose: it is not told as changed
            self._former = None
            reading = self._of_region(reading, shown_job(reading.targets, folder), scene)
        self._former = whole_bake(self._former)
        started = time.perf_counter()
        tries = MOST_TRIES if scene.xpbd.retry_diverged else 1
        for left in reversed(range(tries)):
            error = yield from self._solve(context, reading, python, folder)
            finer = self._finer(reading, error) if left else None
            if finer is None:
                break
            reading = finer
        self.summary.seconds["solving"] = time.perf_counter() - started
        if error is not None:
            raise error
        show_at(self._times)
        self.summary.complete = True
        note_pace(reading.scene, self.summary)
        self._measure(reading)
        yield Progress(
            WRITING,
            frame=self._output.newest_frame if self._output else None,
            frames_done=self.summary.frames,
            frames_total=len(reading.scene.frames.kept()),
            seconds_left=0.0,
            message="Done",
        )

    def _measure(self, reading: Reading) -> None:
        """Tell how near the whole bake comes to what was asked of it: poses, seams, a loop, a region."""
        if not self._options.take_back_region:
            # poses of the scene as it is now; that bake may have been brought into others
            for pose_error, pose_notice in pose_errors(Path(self.summary.cache), reading.scene, self._options.loop):
                self.summary.add_pose_error(pose_error, pose_notice)
            if self._options.region is None:
                for notice in open_seams(Path(self.summary.cache), reading.scene):
                    self.summary.add_notice(notice)
        if self._options.loop is not None:
            seam = seam_of(Path(self.summary.cache), reading.scene.frames)
            self.summary.add_seam(self._options.loop, seam)
        if (wish := self._options.region) is not None and (region := reading.scene.region) is not None:
            told = f"{wish.object_name}: {wish.group}, frames {region.first} to {region.last}"
            self.summary.add_region(told, region_seam(Path(self.summary.cache), region, reading.scene.frames))

    def _claim(self) -> None:
        """Let the cache say whose it is, where it was not chosen for this bake alone."""
        scene = scene_by_uid(self._scene_uid)
        if scene is not None and self._options.cache is None:
            claim(scene)

    def _of_region(self, reading: Reading, job: Path, scene: bpy.types.Scene) -> Reading:
        """What was read, for a region of a job, or for the job before it."""
        self._times = shown_times(reading.targets)
        self.summary.taken_back = self._options.take_back_region
        wish = self._options.region
        if wish is not None:
            found = regional(reading, wish, job, (scene.xpbd.region_border, scene.xpbd.region_blend))
            for notice in left_out(found, job):
                self.summary.add_notice(notice)
            return found
        self._taken_back = job_before(job)
        return taken_back(reading, self._taken_back)

    def _solve(
        self, context: bpy.types.Context, reading: Reading, python: WorkerPython, folder: Path
    ) -> Generator[Progress, None, XpbdError | None]:
        """Solve the scene, or take what the cache has, and write the keys; return what went wrong."""
        job = self._taken_back or write_job(folder, reading.scene)
        self._claim()
        self.summary.cache = str(job)
        take_unsaved(job)
        former, self._former = self._former, None
        if former is not None:
            found = job_changes(former, job)
            self.summary.stale = told(found, only=self._options.only)
            go_on_from(former, job, found, reading.scene)
        output = self._output = BakeOutput(job, reading, self.summary, per_frame=self._options.per_frame)
        if output.is_complete():
            self.summary.from_cache = True
        else:
            # a region stays shown, and can be taken back, until all of the bake before it is there again
            output.is_held_back = self._taken_back is not None
            self._kernels = kernels_of(reading.scene)
            for _ in compiling_ahead.settle(self._kernels):
                yield Progress(STARTING, frames_total=output.frames_total, message="Compiling the solver")
            self._worker = WorkerProcess(python, job, waiting_worker.take(python, self._kernels))
        yield Progress(STARTING, frames_total=output.frames_total, message="Starting the solver")
        error = yield from self._collect(output)
        yield from self._wait_for_editing(output)
        if error is None:
            yield from self._take_deformers_out(context, output)
            yield from self._reduce(output)
        output.finish()
        errors = [fault for fault in (error, output.error) if fault is not None]
        return XpbdError.joined(errors) if errors else None

    def _finer(self, reading: Reading, error: XpbdError | None) -> Reading | None:
        """What to try after the simulation blew up, None where that is of no use."""
        settings, result = reading.scene.settings, self._output.result if self._output else None
        # a quality has chosen others than the settings say
        settings = replace(settings, quality="FIXED") if result is None else result.fixed(settings)
        used = settings.substeps
        if error is None or error.code != "E_DIVERGED" or 2 * used > MOST_SUBSTEPS:
            return None
        text = (
            f"The simulation blew up at frame {error.frame} with {used} substeps; it was tried again with {2 * used}."
        )
        self.summary.start_again(Notice("W_RETRIED", text, error.object_name))
        return replace(reading, scene=replace(reading.scene, settings=replace(settings, substeps=2 * used)))

    def _close(self) -> None:
        """End the worker if it runs, keep what is done, and leave the report with the scene."""
        if self._worker is not None:
            self._worker.cancel()
            self._release_worker()
        if self._output is not None and not self._output.is_finished:
            self._save_what_is_done(self._output)
        if self.summary.cache:
            self._note_cache_size(Path(self.summary.cache).parent)
        self.summary.seconds["total"] = time.perf_counter() - self._begin
        scene = scene_by_uid(self._scene_uid)
        if scene is not None:
            scene.xpbd.report = report_after(scene.xpbd.report, self.summary.to_json())

    def _note_cache_size(self, folder: Path) -> None:
        try:
            self.summary.cache_bytes = jobs_size(folder)
        except XpbdError as fault:
            self._note(fault)

    def _release_worker(self) -> None:
        """Keep the worker for the next bake, if it waits for one; else end it."""
        worker, self._worker = self._worker, None
        if worker is not None:
            waiting_worker.give_back(worker.let_go(), self._kernels)

    def _save_what_is_done(self, output: BakeOutput) -> None:
        try:
            if self._taken_back is None:
                output.write(CLOSING_SECONDS, ALL_FRAMES)
            elif output.frames_written:
                output.finish()
                show_at(self._times)
        except XpbdError as fault:
            # What cannot be read now was reported before, or is solved again by the next bake
            self._note(fault)
        finally:
            if not output.is_finished:
                output.finish()
            if output.error is not None:
                self._note(output.error)

    def _note(self, fault: XpbdError) -> None:
        """Tell of a fault that was found while the bake was ending, unless another has ended it."""
        if not self.summary.error:
            self.summary.fail(fault)

    def _read(self, context: bpy.types.Context) -> Generator[Progress, None, Reading]:
        start = time.perf_counter()
        self._options = with_its_bake(context.scene, self._options)
        reader = read_scene(context, self._options)
        try:
            while True:
                step = next(reader)
                yield Progress(
                    READING,
                    frames_done=step.frames_done,
                    frames_total=step.frames_total,
                    message="Following animated objects",
                )
        except StopIteration as end:
            reading: Reading = end.value
        finally:
            reader.close()
        frames = reading.scene.frames
        self.summary.objects = [target.name for target in reading.targets]
        self.summary.frame_start, self.summary.frame_end = frames.start, frames.end
        self.summary.frame_step = frames.step
        self.summary.vertices = sum(body.vertex_count for body in reading.scene.bodies)
        yield from self._tell_thin(reading.scene)
        self.summary.seconds["reading"] = time.perf_counter() - start
        return reading

    def _tell_thin(self, scene: Scene) -> Generator[Progress, None, None]:
        """Tell which jellies are thin for their cells; to measure one takes about as long as a step may."""
        caged = caged_bodies(scene)
        for number, body in enumerate(caged, 1):
            yield Progress(READING, frames_done=number, frames_total=len(caged), message="Measuring jelly")
            notice = thinness_notice(body, scene.gravity)
            if notice is not None:
                self.summary.add_notice(notice)

    def _python(self, preference: str) -> Generator[Progress, None, WorkerPython]:
        search = search_python(preference)
        while True:
            try:
                next(search)
            except StopIteration as end:
                found: WorkerPython = end.value
                return found
            yield Progress(STARTING, message="Looking for the solver's Python")

    def _collect(self, output: BakeOutput) -> Generator[Progress, None, XpbdError | None]:
        """Write frames as they come, until all that will come are written; return what the worker died of."""
        error: XpbdError | None = None
        while True:
            ended = True
            status = None
            if self._worker is not None:
                try:
                    ended = self._worker.poll()
                except XpbdError as fault:
                    error = fault
                status = self._worker.status()
                output.take_status(status)
                if ended or error is not None:
                    self._release_worker()
                    ended = True
            newest = ALL_FRAMES if ended else status.frame if status is not None else None
            if ended and error is None and output.is_held_back:
                output.is_held_back = output.missing() is not None
            behind = output.write(SLICE_SECONDS, newest)
            if ended and not behind:
                return error or output.missing()
            output.require_targets()
            yield self._progress(output, solving=not ended)

    def _wait_for_editing(self, output: BakeOutput) -> Generator[Progress, None, None]:
        # what could not be written during the editing is written after it, slice by slice
        while (modes := output.blocked()) or output.write(SLICE_SECONDS, ALL_FRAMES):
            wishes = " and ".join(f"{mode} of {', '.join(names)}" for mode, names in modes.items())
            yield Progress(
                WAITING if modes else WRITING,
                # as while it was solved: the bar would fall back to where the editing began
                frames_done=output.frames_solved,
                frames_total=output.frames_total,
                message=f"Waiting: leave {wishes}" if modes else "Writing the keys",
            )
            output.write(SLICE_SECONDS, ALL_FRAMES)

    def _take_deformers_out(self, context: bpy.types.Context, output: BakeOutput) -> Generator[Progress, None, None]:
        for done, _ in enumerate(output.take_deformers_out(context), 1):
            yield Progress(
                WRITING,
                frames_done=done,
                frames_total=output.frames_total,
                message=TAKING_OUT,
            )
        # an undo meanwhile has taken back what was written
        yield from self._wait_for_editing(output)

    def _reduce(self, output: BakeOutput) -> Generator[Progress, None, None]:
        for _ in output.reduce_keys():
            yield Progress(
                REDUCING,
                frames_done=output.frames_written,
                frames_total=output.frames_total,
                message="Looking for fewer keys",
            )
        # an undo meanwhile has taken back what was written
        yield from self._wait_for_editing(output)

    def _progress(self, output: BakeOutput, *, solving: bool) -> Progress:
        done, total = output.frames_solved, output.frames_total
        rate = self._rate.update(done)
        return Progress(
            (SOLVING if done else STARTING) if solving else WRITING,
            frame=output.newest_frame,
            frames_done=done,
            frames_total=total,
            frames_per_second=rate,
            seconds_left=(total - done) / rate if rate > 0.0 else None,
            message=self._silence.words(done, rate) or ("Solving" if done > 1 else "Building the simulation"),
        )


_running: list[BakeSession] = []


def interrupt_all(reason: str) -> None:
    """End all bakes that go on, whoever drives them: they cannot go on without the add-on, or in another file."""
    for session in tuple(_running):
        session.interrupt(reason)


class _Rate:
    """Frames per second since the first frames were seen."""

    def __init__(self) -> None:
        self._first: tuple[float, int] | None = None

    def update(self, done: int) -> float:
        """Take the number of frames done; return the rate, 0 while it is unknown."""
        now = time.perf_counter()
        if self._first is None:
            if done:
                self._first = (now, done)
            return 0.0
        seconds = now - self._first[0]
        return (done - self._first[1]) / seconds if seconds > 0.0 else 0.0
