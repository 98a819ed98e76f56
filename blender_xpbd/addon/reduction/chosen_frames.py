# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames between which the straight line is near enough.

From each chosen frame the next one is as far away as the tolerance allows, which gives the fewest where a stretch
that can be spanned has no part that cannot.
"""

from __future__ import annotations

from .motion import Motion, ReductionStoppedError, Stop


def choose_frames(motion: Motion, tolerance: float, should_stop: Stop = lambda: False) -> list[int]:
    """Indices of frames such that lines between them pass all others within the tolerance [m].

    The first and the last frame are among them.

    Raises:
        ReductionStoppedError: when ``should_stop`` said so.
    """
    last = len(motion.frames) - 1
    chosen = [0]
    while chosen[-1] < last:
        chosen.append(_farthest(motion, chosen[-1], last, tolerance, should_stop))
    return chosen


def _farthest(motion: Motion, begin: int, last: int, tolerance: float, should_stop: Stop) -> int:
    """The farthest end of a line from ``begin`` that fits: by doubling, then by halving."""
    good, stride = begin + 1, 1
    bad = last + 1
    while good < last:
        end = min(good + stride, last)
        if not _fits(motion, begin, end, tolerance, should_stop):
            bad = end
            break
        good, stride = end, 2 * stride
    while bad - good > 1 and good < last:
        middle = (good + bad) // 2
        if _fits(motion, begin, middle, tolerance, should_stop):
            good = middle
        else:
            bad = middle
    return good


def _fits(motion: Motion, begin: int, end: int, tolerance: float, should_stop: Stop) -> bool:
    """Whether the line passes all frames between within the tolerance; the middle, mostly the farthest, comes first."""
    frames, coordinates = motion.frames, motion.coordinates
    centre = 0.5 * (begin + end)
    for index in sorted(range(begin + 1, end), key=lambda index: abs(index - centre)):
        if should_stop():
            raise ReductionStoppedError
        share = (frames[index] - frames[begin]) / (frames[end] - frames[begin])
        line = (1.0 - share) * coordinates[begin] + share * coordinates[end]
        if motion.distance(index, line) > tolerance:
            return False
    return True
