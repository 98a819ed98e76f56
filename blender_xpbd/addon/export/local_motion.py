# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked motion in the coordinates of its object, and in the world where the object is now.

Shape keys go with their object: one that was moved, or is a copy, shows its bake where it stands. So coordinates are
those of the object as it was baked.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

import bpy
import numpy as np
import numpy.typing as npt

from ..data.bake_record import BakeRecord
from ..data.clip import Clip
from ..data.properties import unit_scale_of
from ..keys.key_target import local_coordinates
from ..reading.motion import has_frame_handlers, may_move, world_matrix
from ..reduction.motion import Coordinates
from ..reduction.state_motion import StateMotion
from .baked_object import BakedObject
from .matrix_way import matrix_at

Floats = npt.NDArray[np.float64]

# a velocity between two states is mixed of theirs, each of which has a neighbour
_NEIGHBOURS = 2


class LocalMotion:
    """The states of a baked object, relative to the object.

    Attributes:
        baked: the object and its frames.
        clip: which of them are shown, and when.
        matrices: local to world in Blender units when it was baked, shape (frames or 1, 4, 4).
        unit_scale: metres per Blender unit then.
    """

    def __init__(self, context: bpy.types.Context, baked: BakedObject) -> None:
        """Find where the object was; records of earlier versions do not tell, so where it is now.

        Args:
            context: its scene was baked; its frame may change.
            baked: the object.
        """
        self.baked, self.clip = baked, baked.record.clip()
        noted = baked.record.matrices()
        record = baked.record
        self._parts = record.subframes + 1
        span = record.start, record.end
        now = object_matrices(context, baked, span, self._parts) if self._parts > 1 or noted is None else noted
        self.matrices = now[:: self._parts] if noted is None else noted
        # between frames it was where it is now, if that is so at frames
        here, there = _alike(now[:: self._parts], self.matrices)
        is_there = np.allclose(here, there, rtol=1e-6, atol=1e-6)
        self._fine = now if is_there else self.matrices
        self._parts = self._parts if is_there else 1
        self.unit_scale = unit_scale_of(context.scene) if noted is None else record.unit_scale
        self._seconds_per_frame = float(context.scene.render.fps_base) / float(context.scene.render.fps)
        self._states = StateMotion(baked.times, self._local_state)

    @property
    def samples_per_frame(self) -> int:
        """As many as were simulated, whatever the speed."""
        return self.baked.record.subframes + 1

    def times(self) -> list[float]:
        """The frames of the scene, with their parts where there are subframes, over which the motion goes."""
        parts = self.samples_per_frame
        count = parts * (self.clip.end - self.clip.start)
        return [self.clip.start + number / parts for number in range(count + 1)]

    def samples(self) -> Iterator[Coordinates]:
        """Local coordinates at each of ``times``, shape (vertices, 3), float32."""
        for time in self.times():
            yield self.coordinates(time).astype(np.float32)

    def coordinates(self, time: float) -> Floats:
        """Local ones at a frame of the scene, or between two, shape (vertices, 3)."""
        return self._states.at(self.clip.baked_frame(time))

    def velocities(self, time: float) -> Floats:
        """How fast these change [Blender units per second], shape (vertices, 3); 0 where the motion stands still."""
        return self._per_second(self._states, time)

    def placed(self, context: bpy.types.Context) -> PlacedMotion:
        """The same in the world, where the object is now; the scene's frame may change."""
        return PlacedMotion(self, context)

    def _per_second(self, states: StateMotion, time: float) -> Floats:
        baked = self.clip.baked_frame(time)
        if not self.clip.start <= time <= self.clip.scene_frame(self.clip.last):
            return np.zeros((self.baked.body.vertex_count, 3))
        velocities: Floats = states.rate(baked) * (self.clip.speed / self._seconds_per_frame)
        return velocities

    def _local_state(self, number: int) -> Floats:
        time = self.baked.times[number]
        matrix = matrix_at(self._fine, self._parts * (time - self.baked.record.start))
        return local_coordinates(self.baked.state(number), matrix, self.unit_scale)


class PlacedMotion:
    """Baked motion in the world [m]."""

    def __init__(self, motion: LocalMotion, context: bpy.types.Context) -> None:
        """Find where the object is now; the scene's frame may change."""
        clip = motion.clip
        self._motion, self._clip = motion, clip
        self._parts = motion.samples_per_frame
        span = _span_around(clip, motion.baked.record)
        self._since = span[0]
        self._now = object_matrices(context, motion.baked, span, self._parts)
        self._unit_scale = unit_scale_of(context.scene)
        then = (
            motion.matrices[clip.first - motion.baked.record.start :] if len(motion.matrices) > 1 else motion.matrices
        )
        now = self._now[:: self._parts]
        if len(now) > 1:
            now = now[clip.start - self._since : clip.end - self._since + 1]
        shown = then[: len(now)] if len(then) > 1 else then
        is_there = self._unit_scale == motion.unit_scale and np.array_equal(*_alike(now, shown))
        self._is_there = is_there and clip.is_whole
        self._states = StateMotion(motion.baked.times, motion.baked.state if self._is_there else self._state)

    def times(self) -> Sequence[float]:
        """Frames that are kept, and both ends; all of the motion's with subframes, or if it is not as simulated."""
        motion = self._motion
        if motion.samples_per_frame > 1 or not self._clip.is_whole:
            return motion.times()
        first, last = self._clip.first, self._clip.last
        return sorted({first, last, *(frame for frame in motion.baked.record.frames() if first < frame < last)})

    def positions(self, time: float) -> Floats:
        """At a frame of the scene, or between two [m], shape (vertices, 3)."""
        if self._is_there:
            return self._states.at(self._clip.baked_frame(time))
        return self._place(time, self._motion.coordinates(time))

    def velocities(self, time: float) -> Floats:
        """How fast these change [m/s], shape (vertices, 3)."""
        return self._motion._per_second(self._states, time)

    def _state(self, number: int) -> Floats:
        time = self._clip.scene_frame(self._motion.baked.times[number])
        return self._place(time, self._motion._local_state(number))

    def _place(self, time: float, local: Floats) -> Floats:
        since = min(max(self._parts * (time - self._since), 0.0), len(self._now) - 1.0)
        matrix = matrix_at(self._now, since)
        placed: Floats = self._unit_scale * (local @ matrix[:3, :3].T + matrix[:3, 3])
        return placed


def _span_around(clip: Clip, record: BakeRecord) -> tuple[int, int]:
    """The frames of the scene that a clip is shown at, and those of states around it that its velocities look at."""
    around = math.ceil(_NEIGHBOURS * record.step / clip.speed)
    first = max(clip.start - around, math.floor(clip.scene_frame(record.start)))
    last = min(clip.end + around, math.ceil(clip.scene_frame(record.end)))
    return min(first, clip.start), max(last, clip.end)


def _alike(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Both, where one matrix stands for those of all frames."""
    count = max(len(first), len(second))
    one, other = (np.broadcast_to(each, (count, 4, 4)) if len(each) == 1 else each for each in (first, second))
    return one, other


def object_matrices(context: bpy.types.Context, baked: BakedObject, span: tuple[int, int], parts: int = 1) -> Floats:
    """Local to world in Blender units, shape (times or 1, 4, 4); the scene's frame may change.

    Args:
        context: its scene has the object.
        baked: the object.
        span: the first and the last frame.
        parts: times from one frame to the next.
    """
    scene = context.scene
    place = partial(world_matrix, baked.obj)
    if not (may_move(baked.obj) or has_frame_handlers()):
        return place(context.evaluated_depsgraph_get())[None]
    matrices = []
    for number in range(parts * (span[1] - span[0]) + 1):
        frame, part = divmod(number, parts)
        scene.frame_set(span[0] + frame, subframe=part / parts)
        matrices.append(place(context.evaluated_depsgraph_get(), span[0] + frame))
    return np.array(matrices)
