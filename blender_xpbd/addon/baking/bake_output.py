# SPDX-License-Identifier: GPL-3.0-or-later
"""From the job folder into the bodies' shape keys, as far as the worker has come."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from weakref import WeakValueDictionary

import bpy
import numpy as np
import numpy.typing as npt

from ...jobs.files import is_there
from ...jobs.frames import MAXIMUM_FRAME, FrameCache, FrameData
from ...jobs.result import RESULT_FILE, Result, read_result
from ...jobs.status import Status, read_status
from ...jobs.subframes import SubframeCache
from ...scene.errors import Notice, XpbdError
from ..data.bake_record import read_record
from ..data.data_lookup import scene_by_uid
from ..keys.body_frame import BodyFrame
from ..keys.shape_key_writer import ShapeKeyWriter
from .body_kinds import blender_kind
from .deformer_pass import take_deformers_out
from .key_reduction import KeyTask, find_reductions
from .report import BakeSummary
from .scene_reader import Reading

Floats = npt.NDArray[np.float64]

ALL_FRAMES = MAXIMUM_FRAME
# what goes on, by the identifiers of the bakes
_open_outputs: WeakValueDictionary[str, BakeOutput] = WeakValueDictionary()


@dataclass(frozen=True)
class _Published:
    """What the worker has said of its frames, and they themselves."""

    result: Result
    cache: FrameCache


# what the run that solved it found damaged is mended, and what it compiled is not needed
_OF_ITS_RUN = frozenset({"W_CACHE_DAMAGED", "W_KERNELS"})


class BakeOutput:
    """Reads frames of one job and writes them to its objects; finds both anew at every call."""

    def __init__(self, job: Path, reading: Reading, summary: BakeSummary, *, per_frame: bool = False) -> None:
        """Prepare; nothing is written.

        Args:
            job: the job folder.
            reading: what was read.
            summary: is kept up to date.
            per_frame: keep the statistics of each frame in the summary.
        """
        bake = secrets.token_hex(8)
        _open_outputs[bake] = self
        self._job = job
        self._scene_uid = reading.scene_uid
        self._frames = reading.scene.frames
        self._kept = self._frames.kept()
        self._summary = summary
        self._keeps_frames = per_frame
        self._key_tolerance = reading.key_tolerance
        pairs = zip(reading.scene.bodies, reading.targets, strict=True)
        self._writers = {
            index: blender_kind(body.role).result.writer(target, bake, job)
            for index, (body, target) in enumerate(pairs)
        }
        self._counts = [body.vertex_count for body in reading.scene.bodies]
        self._published: _Published | None = None
        self._measured: set[int] = set()
        self._unchecked: set[int] = set()
        self._status: Status | None = None
        self.error: XpbdError | None = None
        self.is_finished = False
        # nothing is written, whatever is there
        self.is_held_back = False

    @property
    def result(self) -> Result | None:
        """What the worker built, as far as it was read."""
        return None if self._published is None else self._published.result

    @property
    def frames_total(self) -> int:
        """Frames that are to be kept."""
        return len(self._kept)

    @property
    def frames_solved(self) -> int:
        """Frames that the worker has published."""
        return max(self._status.frames_done if self._status else 0, self.frames_written)

    @property
    def frames_written(self) -> int:
        """Frames that are keys."""
        return max((len(writer.written) for writer in self._writers.values()), default=0)

    @property
    def newest_frame(self) -> int | None:
        """The newest frame that is a key."""
        return max((writer.written[-1] for writer in self._writers.values() if writer.written), default=None)

    def is_complete(self) -> bool:
        """Whether the folder holds the whole result already.

        Raises:
            XpbdError: E_IO, when the system cannot read it.
        """
        try:
            status = read_status(self._job)
            published = self._open() if status is not None and status.state == "COMPLETE" else None
        except XpbdError as fault:
            if fault.code != "E_CACHE":
                raise
            return False
        if published is None or not self._is_whole(published):
            self._published = None
            return False
        if status is not None:
            notices = tuple(notice for notice in status.notices if notice.code not in _OF_ITS_RUN)
            self.take_status(replace(status, notices=notices))
        return True

    def _is_whole(self, published: _Published) -> bool:
        states = SubframeCache(self._job, self._frames, published.result.vertex_count)
        return all(published.cache.verify(frame) for frame in self._kept) and states.are_whole(self._frames.end)

    def take_status(self, status: Status | None) -> None:
        """Take what the worker says."""
        if status is None:
            return
        self._status = status
        for notice in status.notices:
            self._summary.add_notice(notice)
        self._summary.device = status.device or self._summary.device
        self._summary.solver_fps = status.solver_fps
        self._summary.resumed_after = status.resumed_after
        for stage, seconds in status.seconds.items():
            self._summary.seconds[f"worker_{stage}"] = seconds

    def write(self, seconds: float, newest: int | None) -> bool:
        """Write frames for some time.

        Args:
            seconds: after which to stop.
            newest: the last frame that may be read, for a running worker may replace later ones of an earlier run;
                None for no frame yet, ALL_FRAMES when it has ended.

        Returns:
            Whether there is more to write now.

        Raises:
            XpbdError: E_IO or E_CACHE, when what the worker wrote cannot be read.
        """
        start = time.perf_counter()
        published = None if newest is None or self.is_held_back else self._open()
        if newest is None or published is None:
            return False
        behind = True
        self._unchecked = set(self._writers)
        while behind and time.perf_counter() < start + seconds:
            behind = self._write_next(published, newest)
        self._summary.seconds["writing"] = self._summary.seconds.get("writing", 0.0) + time.perf_counter() - start
        return behind

    def require_targets(self) -> None:
        """See that there is still an object to write to.

        Raises:
            XpbdError: the first fault where all have failed, E_INTERRUPTED where all are deleted.
        """
        for index, writer in list(self._writers.items()):
            if writer.find() is None:
                self._forget(index)
        if not self._writers:
            raise self.error or XpbdError(
                "E_INTERRUPTED",
                "Every object of the bake was deleted, so it was stopped; what is solved waits in the cache.",
            )

    def blocked(self) -> dict[str, list[str]]:
        """Names of the objects that are being edited and whose keys are not done yet, by the mode that they are in."""
        modes: dict[str, list[str]] = {}
        count = self._published_count(self._published) if self._published is not None else 0
        for writer in self._writers.values():
            obj, mode = writer.find(), writer.blocking_mode()
            is_done = len(writer.written) >= count and writer.reduction().key_count == len(writer.written)
            if obj is not None and mode and not is_done:
                modes.setdefault(mode, []).append(obj.name)
        return modes

    def take_deformers_out(self, context: bpy.types.Context) -> Generator[None, None, None]:
        """Mend the keys of what has deformers, in steps."""
        writers = {
            index: writer
            for index, writer in self._writers.items()
            if isinstance(writer, ShapeKeyWriter) and writer.target.has_deformers and writer.is_intact()
        }
        if not writers or self._published is None:
            return
        start = time.perf_counter()
        for notice in (yield from take_deformers_out(context, writers, self._positions)):
            self._summary.add_notice(notice)
        self._summary.seconds["deformers"] = time.perf_counter() - start

    def _positions(self, index: int, frame: int) -> Floats:
        """Of a body at a frame that is published, in the world [m], shape (vertices, 3)."""
        published = self._published
        if published is None:
            raise LookupError("nothing is published")
        body = published.result.bodies[index]
        mine = _read(published.cache, frame).positions[body.vertex_start : body.vertex_start + body.vertex_count]
        return mine.astype(np.float64) + np.array(published.result.origin)

    def reduce_keys(self) -> Generator[None, None, None]:
        """Find fewer keys, where they are wanted, for ``finish`` to write; in steps."""
        motions = {index: writer.motion() for index, writer in self._writers.items()}
        tasks = {
            index: KeyTask(motion, self._writers[index].key_style())
            for index, motion in motions.items()
            if motion is not None
        }
        if not tasks:
            return
        start = time.perf_counter()
        reductions = yield from find_reductions(tasks, self._key_tolerance)
        self._summary.seconds["reducing"] = time.perf_counter() - start
        for index, reduction in reductions.items():
            if index in self._writers:
                self._writers[index].reduce(reduction)

    def finish(self) -> None:
        """Animate the keys, and tell how many there are."""
        self.is_finished = True
        current_frame = self._current_frame()
        for index, writer in list(self._writers.items()):
            if writer.find() is None:
                self._forget(index)
            elif writer.is_intact() and (writer.blocking_mode() or self._attempt(index, writer.check_topology)):
                # What is edited in a mode that still lasts is an edit after the bake
                writer.finish(current_frame)
        self._summary.add_keys([writer.reduction() for writer in self._writers.values() if writer.written])
        self._summary.frames = self.frames_written
        if self._published is not None:
            # fewer than there are keys, where the cache was deleted meanwhile
            self._summary.frames_waiting = max(self._published_count(self._published) - self.frames_written, 0)

    def missing(self) -> XpbdError | None:
        """The fault of a job whose worker ended well but whose files were deleted meanwhile; None where all are there.

        Raises:
            XpbdError: E_CACHE or E_IO, when what the worker wrote cannot be read.
        """
        published = self._open()
        count = 0 if published is None else self._published_count(published)
        if count == len(self._kept):
            return None
        text = f"The file of this frame is missing in {self._job}: it was deleted during the bake. Bake again."
        return XpbdError("E_IO", text, frame=self._kept[count])

    def _published_count(self, published: _Published) -> int:
        """How many frames the cache holds before the first that is missing."""
        there = set(published.cache.available())
        return next((index for index, frame in enumerate(self._kept) if frame not in there), len(self._kept))

    def _current_frame(self) -> float:
        scene = scene_by_uid(self._scene_uid)
        return 0.0 if scene is None else scene.frame_current_final

    def _open(self) -> _Published | None:
        """How frames are laid out; None while that is unknown."""
        if self._published is None and is_there(self._job / RESULT_FILE):
            result = read_result(self._job)
            if [body.vertex_count for body in result.bodies] != self._counts:
                raise XpbdError("E_CACHE", f"{self._job} holds the result of other meshes: delete that folder.")
            cache = FrameCache(
                self._job,
                result.vertex_count,
                len(result.bodies),
                len(result.statistics),
                result.orientation_count,
            )
            self._published = _Published(result, cache)
            self._summary.add_result(result)
        return self._published

    def _write_next(self, published: _Published, newest: int) -> bool:
        """Write the next frame to the bodies that are furthest behind; False if there is nothing to write now."""
        positions = {
            index: position for index in list(self._writers) if (position := self._position(index)) is not None
        }
        position = min(positions.values(), default=len(self._kept))
        if position >= len(self._kept):
            return False
        frame = self._kept[position]
        if frame > newest or not is_there(published.cache.path(frame)):
            return False
        data = _read(published.cache, frame)
        if frame not in self._measured:
            self._measured.add(frame)
            result = published.result
            names = [body.name for body in result.bodies]
            self._summary.add_statistics(result.statistics, data.statistics)
            self._summary.add_contact(frame, names, result.statistics, data.statistics)
            if self._keeps_frames:
                self._summary.keep_frame(frame, names, result.statistics, data.statistics)
        for index in [index for index, its in positions.items() if its == position]:
            if self._prepare(index, position):
                self._add(index, published.result, data)
        return True

    def _prepare(self, index: int, position: int) -> bool:
        """Make a body ready for its next frame; whether it is."""
        writer = self._writers[index]
        if position == 0:
            self._unchecked.discard(index)
            return self._attempt(index, writer.begin)
        if index not in self._unchecked:
            return True
        # Within a slice nobody else runs: once in each is enough
        self._unchecked.discard(index)
        return self._attempt(index, writer.resume)

    def _position(self, index: int) -> int | None:
        """How many frames a body has; 0 again after an undo, None while it can take none."""
        writer = self._writers[index]
        obj = writer.find()
        if obj is None:
            self._forget(index)
            return None
        if self._is_held(obj):
            self._attempt(index, partial(_give_way, writer.target.name))
            return None
        if writer.blocking_mode():
            return None
        return len(writer.written) if writer.written and writer.is_intact() else 0

    def _is_held(self, obj: bpy.types.Object) -> bool:
        """Whether another bake that goes on writes to an object: each would begin anew for ever."""
        record = read_record(obj)
        other = None if record is None else _open_outputs.get(record.bake)
        return other is not None and other is not self and not other.is_finished

    def _add(self, index: int, result: Result, data: FrameData) -> None:
        writer = self._writers[index]
        body = result.bodies[index]
        mine = data.positions[body.vertex_start : body.vertex_start + body.vertex_count]
        world = mine.astype(np.float64) + np.array(result.origin)
        last = body.orientation_start + body.orientation_count
        turns = data.orientations[body.orientation_start : last].astype(np.float64)
        self._attempt(index, lambda: writer.add_frame(data.frame, BodyFrame(world, turns)))

    def _attempt(self, index: int, action: Callable[[], None]) -> bool:
        """Do something for one body; if that fails, its keys are taken back and the others go on."""
        try:
            action()
        except XpbdError as fault:
            self.error = XpbdError.joined([self.error, fault]) if self.error is not None else fault
            writer = self._writers.pop(index)
            # Keys of one mesh on another are of no use, and may have come into disorder with its vertices
            writer.take_back()
            return False
        return True

    def _forget(self, index: int) -> None:
        name = self._writers.pop(index).target.name
        self._summary.add_notice(Notice("W_OBJECT_GONE", "The object was deleted during the bake.", name))


def _give_way(name: str) -> None:
    raise XpbdError("E_LOCKED", "Another bake, which goes on, writes to this object: wait for it, or end it.", name)


def _read(cache: FrameCache, frame: int) -> FrameData:
    """A frame; where it is damaged, the fault says what to do."""
    try:
        return cache.read(frame)
    except XpbdError as fault:
        if fault.code != "E_CACHE":
            raise
        raise XpbdError("E_CACHE", f"{fault.message} Bake again, and it is computed anew.", frame=frame) from fault
