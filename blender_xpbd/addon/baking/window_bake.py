# SPDX-License-Identifier: GPL-3.0-or-later
"""The one bake that runs in a window: advanced in short slices, so that Blender stays alive between them."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any

import bpy

from ...scene.errors import XpbdError
from ..data.bake_options import BakeOptions
from ..data.bake_record import remove_orphans
from ..data.bake_status import STATUS
from ..data.data_lookup import object_by_uid
from ..deformers.probe import remove_lost_probes
from ..keys.clearing import clear_bake
from ..keys.half_baked import half_baked
from .bake import BakeSession, interrupt_all
from .progress import READING, REDUCING, SOLVING, STARTING, TAKING_OUT, WAITING, WRITING, Progress
from .progress_bar import time_text
from .report import BakeSummary
from .report_text import summary_error

# What a slice may take at least and at most; one step of the bake may take nearly as much as the least
SLICE_SECONDS, MOST_SLICE_SECONDS = 0.04, 0.2
# While the solver runs, a window that is slow to draw gets a quarter of the time: without a graphics card it is drawn
# on the solver's cores. With one it comes back within QUICK_SECONDS [s]
REST_PER_DRAWING = 3.0
QUICK_SECONDS, MOST_REST_SECONDS = 0.06, 1.0


class WindowBake:
    """A bake in a window; ``STATUS`` tells the panels how it stands."""

    def __init__(self, context: bpy.types.Context, options: BakeOptions | None = None) -> None:
        """Nothing is read or started before the first slice."""
        session = self._session = BakeSession(context, options or BakeOptions())
        self.summary = session.summary
        self.scene_uid = context.scene.session_uid
        self.is_whole = (options or BakeOptions()).is_whole
        self._steps: Generator[Progress, None, BakeSummary] | None = session.run(context)
        self._records_before = {obj.session_uid: obj.xpbd.bake_record for obj in bpy.data.objects}
        self.stop_wanted = False
        self._left_at = time.perf_counter()
        self._rests_until: float | None = None
        self._is_solving = False
        STATUS.reset()
        STATUS.is_baking = True
        STATUS.status = "Reading the scene"

    def advance(self) -> BakeSummary | None:
        """Go on for a slice of time.

        Returns:
            What was done, once it is all done; None before.

        Raises:
            XpbdError: what went wrong; the bake is over then.
        """
        now = time.perf_counter()
        if self._rests(now):
            return None
        limit = now + slice_seconds(now - self._left_at)
        try:
            while self._steps is not None:
                progress = next(self._steps)
                _show(progress)
                self._is_solving = progress.stage == SOLVING
                # Only these stages are work of this process; in the others the worker is waited for
                if progress.stage not in {READING, WRITING} or time.perf_counter() > limit:
                    return None
        except StopIteration as end:
            self._end()
            summary: BakeSummary = end.value
            return summary
        except XpbdError as error:
            self._end()
            STATUS.message = STATUS.bake_fault = str(error)
            raise
        except BaseException:
            self._end()
            raise
        finally:
            self._left_at, self._rests_until = time.perf_counter(), None
        return None

    @property
    def may_stop(self) -> bool:
        """Whether the artist may cancel it: not where a region is being taken back and keys are written already."""
        return self._session.may_stop

    def stop(self) -> None:
        """End the worker, and keep the frames that are done.

        Takes up to 2 s; where it may not be stopped, as long as the rest of the bake.
        """
        if self._steps is not None:
            steps, self._steps = self._steps, None
            try:
                steps.close()
            finally:
                self._end()

    def take_back(self) -> None:
        """Remove what the bake has added so far; its next step adds it again.

        An undo keeps data-blocks that are equal in its two last steps as they are now, and frees those that are in
        neither: a mesh would be left with freed shape keys.
        """
        # clearing hair removes the object of its points: no reference may be touched after it
        for uid in [obj.session_uid for obj in bpy.data.objects]:
            obj = object_by_uid(uid)
            record = "" if obj is None else obj.xpbd.bake_record
            if (
                obj is not None
                and record
                and record != self._records_before.get(obj.session_uid, "")
                and obj.mode != "EDIT"
            ):
                clear_bake(obj)

    def _rests(self, now: float) -> bool:
        """Whether the solver is left alone, after a window that was slow to draw."""
        if self._rests_until is None:
            self._rests_until = now + (rest_seconds(now - self._left_at) if self._is_solving else 0.0)
        return now < self._rests_until

    def _end(self) -> None:
        self._steps = None
        STATUS.is_baking = False
        STATUS.seconds_left = -1.0
        if _current is self:
            _forget()


def slice_seconds(window_seconds: float) -> float:
    """What a slice may take after the window had its time: as long, so that a scene slow to draw is soon read.

    Args:
        window_seconds: since the slice before, in which the window was drawn [s].
    """
    return min(max(window_seconds, SLICE_SECONDS), MOST_SLICE_SECONDS)


def rest_seconds(window_seconds: float) -> float:
    """How long nothing new is shown while the solver runs, so that drawing leaves it its cores.

    Args:
        window_seconds: in which the window was drawn [s].
    """
    return min(REST_PER_DRAWING * window_seconds, MOST_REST_SECONDS) if window_seconds > QUICK_SECONDS else 0.0


_current: WindowBake | None = None


def current() -> WindowBake | None:
    """The bake that runs, or None."""
    return _current


def start(context: bpy.types.Context, options: BakeOptions | None = None) -> WindowBake:
    """Begin a bake in the window.

    Raises:
        XpbdError: E_LOCKED while another runs.
    """
    global _current  # noqa: PLW0603 - one window manager, one bake
    if _current is not None:
        raise XpbdError("E_LOCKED", "A bake is running already: wait for it, or cancel it.")
    _current = WindowBake(context, options)
    return _current


def stop() -> None:
    """End the bake that runs, if any, and keep its frames."""
    if _current is not None:
        _current.stop()


def _forget() -> None:
    global _current  # noqa: PLW0603
    _current = None


def _show(progress: Progress) -> None:
    STATUS.progress = progress.fraction
    STATUS.frames_per_second = progress.frames_per_second
    STATUS.seconds_left = -1.0 if progress.seconds_left is None else progress.seconds_left
    if progress.frame is not None:
        STATUS.newest_frame = progress.frame
    STATUS.status = status_text(progress)
    STATUS.is_waiting = progress.stage == WAITING


def status_text(progress: Progress) -> str:
    """What the progress bar says."""
    if not progress.frames_done or progress.stage in {STARTING, WAITING, REDUCING}:
        return progress.message
    parts = [f"{progress.frames_done} / {progress.frames_total}"]
    if progress.frames_per_second > 0.0:
        parts.append(f"{progress.frames_per_second:.3g} fps")
    if progress.seconds_left is not None:
        parts.append(f"{time_text(progress.seconds_left)} left")
    # what is counted are no frames of the simulation, or it tells more than their number
    is_other = progress.stage == READING or progress.message == TAKING_OUT
    if is_other or (progress.stage == SOLVING and progress.message != "Solving"):
        parts.append(progress.message)
    return " · ".join(parts)


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _stop_before_load(*_arguments: object) -> None:
    stop()
    interrupt_all("Another file was opened, so the bake was stopped; what is solved waits in the cache.")
    STATUS.reset()


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _take_back_before_undo(*_arguments: object) -> None:
    if _current is not None:
        _current.take_back()


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _tidy_after_undo(*_arguments: object) -> None:
    remove_orphans()
    if not (STATUS.is_baking or STATUS.is_playing):
        # a step that was kept in the middle of a bake has them
        remove_lost_probes()
    # the bake that has failed is undone, and its report with it
    reported = {summary_error(scene.xpbd.report) for scene in bpy.data.scenes}
    if STATUS.message == STATUS.bake_fault and STATUS.message not in reported:
        STATUS.message = STATUS.bake_fault = ""
    _tell_half_baked()


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _tell_half_baked(*_arguments: object) -> None:
    faults = [] if STATUS.is_baking else half_baked()
    if faults:
        # goes with the state that it is about, at the next undo
        STATUS.message = STATUS.bake_fault = str(XpbdError.joined(faults))


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _remove_lost_copies(*_arguments: object) -> None:
    remove_lost_probes()


def register() -> None:
    """Watch for undo, and for another file being opened: a bake belongs to its file."""
    for handlers, handler in _handlers():
        handlers.append(handler)


def unregister() -> None:
    """End the bakes that run, a script's too, and watch no more."""
    stop()
    interrupt_all("The add-on was disabled, so the bake was stopped: enable it, and bake again to go on from there.")
    STATUS.reset()
    for handlers, handler in _handlers():
        handlers.remove(handler)


def _handlers() -> tuple[tuple[Any, Any], ...]:
    handlers = bpy.app.handlers
    return (
        (handlers.load_pre, _stop_before_load),
        (handlers.load_post, _remove_lost_copies),
        (handlers.load_post, _tell_half_baked),
        (handlers.undo_pre, _take_back_before_undo),
        (handlers.redo_pre, _take_back_before_undo),
        (handlers.undo_post, _tidy_after_undo),
        (handlers.redo_post, _tidy_after_undo),
    )
