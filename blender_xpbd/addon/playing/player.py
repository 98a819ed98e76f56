# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that is played: inputs go to the worker, frames come back. It needs no window; one drives it by a timer.

Between two calls anything may happen to Blender's data: nothing of it is held but session numbers.
"""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ...jobs.files import is_there
from ...jobs.frames import FrameCache
from ...jobs.job import write_job
from ...jobs.play_inputs import PlayInputs
from ...jobs.result import RESULT_FILE, Result, read_result
from ...scene.body_kinds import body_kind
from ...scene.errors import XpbdError
from ...scene.play import Grab, PlayInput, grabbed_patch
from ..baking.scene_reader import Reading, read_scene
from ..data.bake_options import BakeOptions
from ..data.data_lookup import scene_by_uid
from ..data.frame_range import baked_range
from ..data.properties import unit_scale_of
from ..keys.key_target import KeyTarget
from ..measures.solid_measures import fans
from ..process import compiling_ahead, waiting_worker
from ..process.cache_folder import cache_folder, claim, note_unkept
from ..process.worker_process import WorkerProcess
from ..process.worker_python import search_python
from . import display
from .hand import GRAB_SHARE, Hit, grab_frequency, nearest_hit, nearest_point
from .pace import Pace
from .parameters import LiveParameters
from .range import playing_range

Floats = npt.NDArray[np.float64]

READING, STARTING, PLAYING = "READING", "STARTING", "PLAYING"
# kernels of what is played, which are others than those of a bake
PLAYED = "played"
# how far ahead of the frames that are shown inputs may be given: more would make the hand lag
_MOST_AHEAD = 1
_SLICE_SECONDS = 0.03


@dataclass
class _Held:
    """What the hand holds: the grab, and from the point that was hit to the middle of its patch [m]."""

    grab: Grab
    offset: Floats


class Player:
    """One run after the other of one scene.

    Attributes:
        state: READING, STARTING or PLAYING.
        scene_uid: of the scene that is played.
        acceleration: of all bodies besides gravity [m/s²], shape (3,): a push, or wind.
        pull, pull_point: of all bodies to a point [1/s²], [m].
        is_paused: no frame is asked for.
        frame: that is shown.
        pace: the clock, and the substeps.
        latencies: from an input to the frame that shows it [s], of the newest frames.
        shown_times: when the newest frames were shown [s].
        fault: what has ended the worker of a run that has frames, which can be kept; None while it goes on.
        refusal: why the run was not kept, until another wish; "" for nothing.
        unshown: names of the objects that cannot be shown before they are kept: no meshes, or gone.
    """

    def __init__(
        self,
        context: bpy.types.Context,
        options: BakeOptions | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Begin to read; nothing is started or changed."""
        self._options = replace(options or BakeOptions(), frame_step=1, subframes=0)
        scene = context.scene
        self.scene_uid, self._unit_scale = scene.session_uid, unit_scale_of(scene)
        self._frame_before = (scene.frame_current, scene.frame_subframe)
        self._clock = clock
        self._steps: Generator[None, None, None] | None = self._start(context)
        self._worker: WorkerProcess | None = None
        self._held: _Held | None = None
        self._target: Floats = np.zeros(3)
        self._positions: list[Floats] = []
        self._asked_at: dict[int, float] = {}
        self._has_begun_again = self._is_displayed = self._is_closed = False
        self.fault: XpbdError | None = None
        self.state = READING
        self.acceleration: Floats = np.zeros(3)
        self.pull, self.pull_point = 0.0, np.zeros(3)
        self.is_paused = False
        self.frame = self._asked = baked_range(scene, self._options)[0]
        self.pace = Pace(float(scene.render.fps_base) / float(scene.render.fps))
        self.latencies: list[float] = []
        self.shown_times: list[float] = []
        self.unshown: list[str] = []
        self.refusal = ""
        self._told = (0, 0.0)

    def _start(self, context: bpy.types.Context) -> Generator[None, None, None]:
        """Read the scene, find the worker's Python, start it."""
        frames = playing_range(context, self._options)
        self._options = replace(self._options, frame_start=frames[0], frame_end=frames[1])
        reader = read_scene(context, self._options)
        self._reading = yield from _steps(reader)
        scene = scene_by_uid(self.scene_uid)
        if scene is None:
            raise XpbdError("E_INTERRUPTED", "The scene was deleted while it was being read.")
        self._follows_time = frames[2]
        self._triangles = [fans(body.face_sizes, body.corners) for body in self._reading.scene.bodies]
        self._parameters = LiveParameters(scene, self._reading, self._unit_scale)
        self.state = STARTING
        python = yield from _steps(search_python(self._options.worker_python))
        folder, _ = cache_folder(scene, self._options.cache)
        self._session = folder / f"played_{secrets.token_hex(6)}"
        self._job = write_job(self._session, self._reading.scene)
        note_unkept(self._session)
        if self._options.cache is None:
            claim(scene)
        self._inputs = PlayInputs(self._job)
        self._run = self._inputs.begin_run()
        # what is played has kernels of its own
        compiling_ahead.stop()
        self._worker = WorkerProcess(python, self._job, waiting_worker.take(python, PLAYED), is_played=True)
        self._result: Result | None = None
        while self._result is None:
            self._require_worker()
            if is_there(self._job / RESULT_FILE):
                self._result = read_result(self._job)
            yield
        result = self._result
        bodies = self._reading.scene.bodies
        self.pace.begin(result.substeps, has_solids=any(body_kind(body.role).is_solid for body in bodies))
        self._cache = FrameCache(
            self._job, result.vertex_count, len(result.bodies), len(result.statistics), result.orientation_count
        )
        self._first = self._reading.scene.frames.start
        self.frame = self._asked = self._first
        while not self._is_published(self._first):
            self._require_worker()
            yield
        self.state = PLAYING

    @property
    def job(self) -> Path:
        """The job folder."""
        return self._job

    @property
    def last_frame(self) -> int:
        """After which there are no more frames."""
        return self._reading.scene.frames.end

    @property
    def reading(self) -> Reading:
        """What was read."""
        return self._reading

    @property
    def options(self) -> BakeOptions:
        """The wishes with which it was read."""
        return self._options

    @property
    def unit_scale(self) -> float:
        """Metres per Blender unit."""
        return self._unit_scale

    @property
    def is_held(self) -> bool:
        """Whether the hand holds something."""
        return self._held is not None

    @property
    def is_open(self) -> bool:
        """Whether the run can go on, or be kept."""
        return not self._is_closed

    @property
    def is_at_end(self) -> bool:
        """Whether the last frame is shown."""
        return self.state == PLAYING and self.frame == self.last_frame

    def advance(self) -> bool:
        """Go on for a moment: show what has come, ask for what is due.

        Returns:
            Whether another frame is shown than before.

        Raises:
            XpbdError: what went wrong. Where frames were played before, it becomes ``fault`` instead.
        """
        limit = time.perf_counter() + _SLICE_SECONDS
        while self._steps is not None and time.perf_counter() < limit:
            try:
                next(self._steps)
            except StopIteration:
                self._steps = None
            if self.state == STARTING:
                break
        if self.state != PLAYING:
            return False
        if self.fault is None:
            try:
                return self._go_on()
            except XpbdError as fault:
                if self.frame == self._first or self._has_begun_again:
                    raise
                self.fault = fault
                self.end_worker()
        return self._show_newest()

    def _go_on(self) -> bool:
        self._require_worker()
        was_shown = self._show_newest()
        now = self._clock()
        is_open = not self.is_paused and not self._has_begun_again
        if is_open and self.pace.is_due(now) and self._asked - self.frame <= _MOST_AHEAD:
            self._ask(now)
        return was_shown

    def step(self) -> None:
        """Ask for a single frame, while paused."""
        is_open = self.fault is None and self.is_paused and not self._has_begun_again
        if self.state == PLAYING and is_open and self._asked == self.frame:
            self._ask(self._clock())

    def restart(self) -> None:
        """Begin the run again from the first frame; what was done in it is no longer part of it."""
        if self.state == PLAYING and self.fault is None:
            self.let_go()
            self._run = self._inputs.begin_run()
            self._parameters.begin_again()
            self.pace.begin_again()
            self._asked = self.frame = self._first
            self._asked_at.clear()
            self._has_begun_again = True

    def take_hold(self, origin: Floats, direction: Floats) -> Floats | None:
        """Hold the surface that a ray hits first, as it is shown.

        Args:
            origin: of the ray in the world [m], shape (3,).
            direction: of the ray, shape (3,).

        Returns:
            The point that is hit [m], None where nothing is.
        """
        hits: list[tuple[Hit, int]] = []
        for number, positions in enumerate(self._positions):
            triangles = self._triangles[number]
            if len(triangles):
                hit = nearest_hit(origin, direction, positions, triangles)
            else:
                hit = nearest_point(origin, direction, positions)
            if hit is not None:
                hits.append((hit, number))
        if not hits:
            return None
        hit, number = min(hits, key=lambda pair: pair[0].distance)
        body = self._reading.scene.bodies[number]
        extent = float(np.ptp(body.positions, axis=0).max())
        grab = Grab(
            body.identifier, hit.corners, hit.weights, GRAB_SHARE * extent, grab_frequency(extent), (0.0, 0.0, 0.0)
        )
        vertices, weights = grabbed_patch(body, grab)
        point = origin + hit.distance * direction
        self._held = _Held(grab, weights @ self._positions[number][vertices] - point)
        self._target = point
        return point

    def drag_to(self, point: Floats) -> None:
        """Move the hand to a point in the world [m]."""
        self._target = np.array(point, np.float64)

    def let_go(self) -> None:
        """Hold nothing any more."""
        self._held = None

    def take_display_back(self) -> None:
        """Leave all objects as they were, until the next frame is shown; so before a save and an undo."""
        display.take_back_all()
        self._is_displayed = False

    def shown_positions(self) -> list[Floats]:
        """Of each body's vertices in the world [m], as they are shown."""
        return self._positions

    def end_worker(self) -> None:
        """Stop the worker; what it has published stays."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.cancel()
            waiting_worker.give_back(worker.let_go(), PLAYED)

    def end(self) -> None:
        """Stop, take back what was shown, and remove what was recorded."""
        self.close()
        if hasattr(self, "_session"):
            shutil.rmtree(self._session, ignore_errors=True)

    def close(self) -> None:
        """Stop, and take back what was shown; what was recorded stays."""
        self._is_closed = True
        steps, self._steps = self._steps, None
        if steps is not None:
            steps.close()
        self.end_worker()
        display.take_back_all()
        scene = scene_by_uid(self.scene_uid)
        if scene is not None and getattr(self, "_follows_time", False):
            scene.frame_set(self._frame_before[0], subframe=self._frame_before[1])

    def _ask(self, now: float) -> None:
        """Give the input of the next frame."""
        frame = self._asked + 1
        if frame > self.last_frame:
            return
        scene = scene_by_uid(self.scene_uid)
        if scene is None:
            raise XpbdError("E_INTERRUPTED", "The scene was deleted, so the run was stopped.")
        held = self._held
        grab = None if held is None else replace(held.grab, target=_vector(self._target + held.offset))
        substeps = self.pace.substeps if self.pace.is_coarser else 0
        given = PlayInput(
            frame,
            grab,
            _vector(self.acceleration),
            float(self.pull),
            _vector(self.pull_point),
            self._parameters.changes(scene, substeps),
        )
        self._inputs.publish(self._run, given)
        self._asked = frame
        self._asked_at[frame] = now
        self.pace.note_asked(now)

    def _show_newest(self) -> bool:
        """Show the newest frame that has come; whether there is one."""
        if self._has_begun_again:
            if not self._worker_has_begun_again():
                return False
            self._has_begun_again = False
            self._show(self._first)
            return True
        newest = self.frame
        while newest < self._asked and self._is_published(newest + 1):
            newest += 1
        if newest == self.frame:
            if not self._is_displayed:
                self._show(self.frame)
            return False
        self._note_speed()
        self._show(newest)
        return True

    def _show(self, frame: int) -> None:
        result: Any = self._result
        data = self._cache.read(frame)
        world = data.positions.astype(np.float64) + np.array(result.origin)
        self._positions = [world[body.vertex_start : body.vertex_start + body.vertex_count] for body in result.bodies]
        scene = scene_by_uid(self.scene_uid)
        if self._follows_time and scene is not None and scene.frame_current != frame:
            scene.frame_set(frame)
        self.unshown = [
            target.name
            for target, positions in zip(self._reading.targets, self._positions, strict=True)
            if not (isinstance(target, KeyTarget) and display.show(target, frame, positions))
        ]
        self._is_displayed = True
        now = self._clock()
        self.frame = frame
        self.shown_times = [*self.shown_times, now][-48:]
        if frame in self._asked_at:
            self.latencies = [*self.latencies, now - self._asked_at.pop(frame)][-48:]

    def _note_speed(self) -> None:
        status = self._worker.status() if self._worker is not None else None
        if status is None:
            return
        seconds = sum(status.seconds.get(stage, 0.0) for stage in ("solve", "measure", "write"))
        frames, before = self._told
        self._told = (status.frames_done, seconds)
        if status.frames_done > frames > 0:
            self.pace.note_frame((seconds - before) / (status.frames_done - frames))

    def _worker_has_begun_again(self) -> bool:
        """Whether the worker has left the run before: it removes its frames."""
        return self._cache.available() == [self._first]

    def _is_published(self, frame: int) -> bool:
        return is_there(self._cache.path(frame))

    def _require_worker(self) -> None:
        if self._worker is not None and self._worker.poll():
            raise XpbdError("E_WORKER", "The worker has ended although nobody asked it to: play again.")


def _steps(generator: Generator[Any, None, Any]) -> Generator[None, None, Any]:
    """Go through a generator, with a pause after each step; return what it returns."""
    try:
        while True:
            try:
                next(generator)
            except StopIteration as end:
                return end.value
            yield
    finally:
        generator.close()


def _vector(values: Floats) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
