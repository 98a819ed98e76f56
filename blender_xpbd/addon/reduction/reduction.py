# SPDX-License-Identifier: GPL-3.0-or-later
"""Which keys an object gets for a tolerance: chosen frames or blends, whichever are smaller in the file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from .blended_keys import Blends, blend_frames
from .chosen_frames import choose_frames
from .motion import Coordinates, Motion, ReductionStoppedError, Stop
from .playback import play_absolute, play_blends, play_ramps
from .thin_curves import thin_curves

# What Blender's file format spends [bytes]: a vertex of a key; a key; a curve; a point of a curve
VERTEX_BYTES = 12
KEY_BYTES = 240
CURVE_BYTES = 160
POINT_BYTES = 72


@dataclass(frozen=True)
class Style:
    """How keys may be played.

    Attributes:
        is_absolute: chosen frames are absolute keys; else relative ones.
        may_blend: they may be given up for relative keys of shapes.
    """

    is_absolute: bool
    may_blend: bool


@dataclass(frozen=True)
class Reduction:
    """The keys of one object.

    Attributes:
        frame_count: frames that they reproduce.
        chosen: indices of the frames that are keys; of all frames where blends are the keys.
        blends: the keys in their place, or None.
        error: greatest distance of a vertex at a frame from where it was simulated [m].
        size: of keys and curves in the file [bytes].
        full_size: the same with a key for every frame.
    """

    frame_count: int
    chosen: tuple[int, ...]
    blends: Blends | None
    error: float
    size: int
    full_size: int

    @property
    def key_count(self) -> int:
        """Keys that are written."""
        return len(self.chosen) if self.blends is None else len(self.blends.offsets)


def every_frame(frame_count: int, vertex_count: int, style: Style) -> Reduction:
    """A key for each frame, which is exact."""
    size = frames_size(frame_count, vertex_count, style)
    return Reduction(frame_count, tuple(range(frame_count)), None, 0.0, size, size)


def reduce_motion(motion: Motion, tolerance: float, style: Style, should_stop: Stop = lambda: False) -> Reduction:
    """The smallest keys whose greatest error, as Blender plays them, is within the tolerance.

    Args:
        motion: what they reproduce.
        tolerance: greatest distance of any vertex at any frame [m].
        style: what is possible.
        should_stop: asked now and then; True ends it.

    Raises:
        ReductionStoppedError: when ``should_stop`` said so.
    """
    count, vertices = len(motion.frames), motion.vertex_count
    full = every_frame(count, vertices, style)
    aim = tolerance - motion.rounding()
    if count < 3 or aim <= 0.0:
        return full
    found = [full]
    chosen = choose_frames(motion, aim, should_stop)
    played = play_absolute(motion, chosen) if style.is_absolute else play_ramps(motion, chosen)
    size = frames_size(len(chosen), vertices, style)
    found.append(Reduction(count, tuple(chosen), None, _error(motion, played, should_stop), size, full.size))
    if style.may_blend:
        blends = thin_curves(motion, blend_frames(motion, aim, should_stop), aim, should_stop)
        played = play_blends(motion.reference, motion.reference + blends.offsets, blends.values)
        size = blends_size(len(blends.offsets), int(blends.points.sum()), vertices)
        found.append(Reduction(count, full.chosen, blends, _error(motion, played, should_stop), size, full.size))
    # single precision may spoil what was within the tolerance before it was rounded
    return min((option for option in found if option.error <= tolerance), key=lambda option: option.size)


def frames_size(key_count: int, vertex_count: int, style: Style) -> int:
    """Bytes of keys that are frames: one curve plays absolute ones, each relative one has its own."""
    curves = CURVE_BYTES + 2 * POINT_BYTES if style.is_absolute else key_count * (CURVE_BYTES + 3 * POINT_BYTES)
    return key_count * (KEY_BYTES + VERTEX_BYTES * vertex_count) + curves


def blends_size(key_count: int, point_count: int, vertex_count: int) -> int:
    """Bytes of blended keys, each with a curve; the points are those of all curves."""
    return key_count * (KEY_BYTES + VERTEX_BYTES * vertex_count + CURVE_BYTES) + POINT_BYTES * point_count


def _error(motion: Motion, played: Iterable[Coordinates], should_stop: Stop) -> float:
    greatest = 0.0
    for index, shape in enumerate(played):
        if should_stop():
            raise ReductionStoppedError
        greatest = max(greatest, motion.distance(index, np.asarray(shape)))
    return greatest
