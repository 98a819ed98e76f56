# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer points on the curves of blended keys: what the tolerance leaves over is spent on them.

A point weighs as much as six vertices of a key. A shape that moves vertices little may be off by more, so each curve
has a tolerance in inverse proportion to its shape's greatest displacement.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from .blended_keys import Blends
from .motion import Motion, ReductionStoppedError, Stop

# What one curve may be off at first, as a share of the tolerance, and how that shrinks while it is too much
_FIRST_SHARE = 0.25
_SHRINKING = 0.6
_TRIES = 7


def thin_curves(motion: Motion, blends: Blends, tolerance: float, should_stop: Stop = lambda: False) -> Blends:
    """The blends with as few points on their curves as were found to stay within the tolerance [m].

    Raises:
        ReductionStoppedError: when ``should_stop`` said so.
    """
    displacements = np.sqrt(np.einsum("kvx,kvx->kv", blends.offsets, blends.offsets).max(axis=1)).astype(np.float64)
    scale = float(np.linalg.norm(motion.to_world, 2, axis=(1, 2)).max())
    share = _FIRST_SHARE
    for _ in range(_TRIES):
        allowed = share * tolerance / np.maximum(scale * displacements, 1e-30)
        thinned = _thinned(motion, blends, allowed)
        if _is_within(motion, thinned, tolerance, should_stop):
            return thinned
        share *= _SHRINKING
    return blends


def _thinned(motion: Motion, blends: Blends, allowed: npt.NDArray[np.float64]) -> Blends:
    """Each curve off by no more than what it is allowed."""
    frames = np.array(motion.frames, np.float32)
    points, values = np.zeros_like(blends.points), np.empty_like(blends.values)
    for index, (curve, tolerance) in enumerate(zip(blends.values.T, allowed.tolist(), strict=True)):
        kept = _line_ends(motion.frames, curve.tolist(), tolerance)
        points[kept, index] = True
        values[:, index] = _line(frames, frames[kept], curve[kept])
    return replace(blends, values=values, points=points)


def _line_ends(frames: tuple[int, ...], values: list[float], tolerance: float) -> list[int]:
    """Indices of values between which lines pass all others within the tolerance.

    From each, the slopes that pass all values so far narrow down; the last value that was reached by such a slope is
    the next (Williams 1978, An efficient algorithm for the piecewise linear approximation of planar curves).
    """
    last = len(values) - 1
    ends = [0]
    while ends[-1] < last:
        begin = ends[-1]
        farthest = begin + 1
        lowest, highest = -np.inf, np.inf
        for index in range(begin + 1, last + 1):
            run, rise = frames[index] - frames[begin], values[index] - values[begin]
            if lowest <= rise / run <= highest:
                farthest = index
            lowest, highest = max(lowest, (rise - tolerance) / run), min(highest, (rise + tolerance) / run)
            if lowest > highest:
                break
        ends.append(farthest)
    return ends


def _line(
    frames: npt.NDArray[np.float32], at: npt.NDArray[np.float32], values: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """Blender's linear interpolation between points, in its single precision and order of operations."""
    if len(at) == 1:
        return np.repeat(values, len(frames))
    before = np.clip(np.searchsorted(at, frames, side="right") - 1, 0, len(at) - 2)
    change, duration = values[before + 1] - values[before], at[before + 1] - at[before]
    line: npt.NDArray[np.float32] = change * (frames - at[before]) / duration + values[before]
    # at a point itself Blender takes its value
    line[np.searchsorted(frames, at)] = values
    return line


def _is_within(motion: Motion, blends: Blends, tolerance: float, should_stop: Stop) -> bool:
    shapes = blends.offsets.reshape(len(blends.offsets), -1)
    for index, row in enumerate(blends.values):
        if should_stop():
            raise ReductionStoppedError
        if motion.distance(index, (row @ shapes).reshape(-1, 3) + motion.reference) > tolerance:
            return False
    return True
