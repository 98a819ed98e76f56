# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender plays from shape keys, in its own single precision and order of operations (key.cc)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from .motion import Coordinates, Motion

# A key's place is its evaluation time in hundredths
_TIME_PER_PLACE = np.float32(100.0)


def play_absolute(motion: Motion, chosen: Sequence[int]) -> Iterator[Coordinates]:
    """Absolute keys with linear interpolation, at the evaluation time of each frame.

    Args:
        motion: whose frames are the keys.
        chosen: indices of the frames that are keys, ascending; the first and the last are among them.
    """
    places = np.array(motion.times, np.float32) / _TIME_PER_PLACE
    for index, (before, after) in _neighbours(chosen, len(motion.frames)):
        if before == after:
            yield motion.coordinates[index]
            continue
        share = (places[index] - places[before]) / (places[after] - places[before])
        yield (np.float32(1.0) - share) * motion.coordinates[before] + share * motion.coordinates[after]


def play_ramps(motion: Motion, chosen: Sequence[int]) -> Iterator[Coordinates]:
    """Relative keys that ramp 0–1–0 from one chosen frame to the next."""
    frames = np.array(motion.frames, np.float32)
    for index, (before, after) in _neighbours(chosen, len(motion.frames)):
        if before == after:
            yield _add(motion.reference, motion.reference, motion.coordinates[index], np.float32(1.0))
            continue
        share = (frames[index] - frames[before]) / (frames[after] - frames[before])
        played = _add(motion.reference, motion.reference, motion.coordinates[before], np.float32(1.0) - share)
        yield _add(played, motion.reference, motion.coordinates[after], share)


def play_blends(reference: Coordinates, shapes: Coordinates, values: npt.NDArray[np.float32]) -> Iterator[Coordinates]:
    """Relative keys, shape (keys, vertices, 3), with a value of each at each frame, shape (frames, keys)."""
    differences = reference - shapes
    for row in values:
        played = reference.copy()
        for difference, value in zip(differences, row, strict=True):
            if value != 0.0:
                played -= value * difference
        yield played


def _add(played: Coordinates, reference: Coordinates, key: Coordinates, value: np.float32) -> Coordinates:
    return played - value * (reference - key)


def _neighbours(chosen: Sequence[int], count: int) -> Iterator[tuple[int, tuple[int, int]]]:
    """Each frame's index, with those of the keys before and after it; both are its own where it is a key."""
    places = np.searchsorted(chosen, np.arange(count))
    for index, place in enumerate(places.tolist()):
        after = chosen[place]
        yield index, (after if after == index else chosen[place - 1], after)
