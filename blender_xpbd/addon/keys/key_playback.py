# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves that play baked keys: linear from key to key, held before the first and after the last."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import bpy
import numpy as np
import numpy.typing as npt

from ..data.bake_record import BakeRecord
from ..reduction.blended_keys import Blends
from . import key_animation

# Between two points so many keys apart Blender's single precision still meets every key's time exactly
_KEYS_PER_POINT = 800


def play_absolute(keys: bpy.types.Key, frames: Sequence[int], times: Sequence[float], current_frame: float) -> None:
    """One curve on the evaluation time: two points where time runs evenly, else one for each key.

    Args:
        keys: that are played.
        frames: that have a key, ascending.
        times: where these keys stand.
        current_frame: of the scene, which is shown.
    """
    points = _points(np.array(frames, np.float32), np.array(times, np.float32))
    wanted = [frames[index] for index in points], [times[index] for index in points]
    key_animation.write_curves(keys, {key_animation.EVALUATION_TIME: wanted})
    keys.eval_time = float(np.interp(current_frame, frames, times))


def play_relative(keys: bpy.types.Key, record: BakeRecord, frames: Sequence[int], current_frame: float) -> None:
    """A curve for each key, 0–1–0 from the key before it to the one after it."""
    blocks = {block.name: block for block in keys.key_blocks}
    curves = {}
    for index, frame in enumerate(frames):
        name = record.key_name(frame)
        around = frames[max(index - 1, 0) : index + 2]
        values = [1.0 if other == frame else 0.0 for other in around]
        curves[key_animation.value_path(name)] = around, values
        blocks[name].value = float(np.interp(current_frame, around, values))
    key_animation.write_curves(keys, curves)


def play_blends(
    keys: bpy.types.Key,
    names: Sequence[str],
    frames: Sequence[int],
    blends: Blends,
    current_frame: float,
) -> None:
    """A curve for each key, from −1 to 1.

    Args:
        keys: that are played.
        names: of the keys.
        frames: ascending.
        blends: what the keys are.
        current_frame: of the scene, which is shown.
    """
    blocks = {block.name: block for block in keys.key_blocks}
    numbers = np.array(frames)
    curves = {}
    for name, values, points in zip(names, blends.values.T, blends.points.T, strict=True):
        blocks[name].slider_min, blocks[name].slider_max = -1.0, 1.0
        blocks[name].value = float(np.interp(current_frame, numbers, values))
        curves[key_animation.value_path(name)] = numbers[points].tolist(), values[points].tolist()
    key_animation.write_curves(keys, curves)


def _points(frames: npt.NDArray[np.float32], times: npt.NDArray[np.float32]) -> list[int]:
    """Indices of the fewest points through which Blender's linear curve meets all times to the last bit."""
    last = len(frames) - 1
    few = sorted({*range(0, last, _KEYS_PER_POINT), last})
    for begin, end in pairwise(few):
        change, duration = times[end] - times[begin], frames[end] - frames[begin]
        line = change * (frames[begin : end + 1] - frames[begin]) / duration + times[begin]
        if not np.array_equal(line, times[begin : end + 1]):
            return list(range(last + 1))
    return few
