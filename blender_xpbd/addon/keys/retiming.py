# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked keys shown at other times: trimmed, faster or slower, earlier or later. Curves change, no key does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.errors import XpbdError
from ..data.bake_record import ABSOLUTE, LARGEST_SHIFT, BakeRecord, read_record
from ..data.clip import FASTEST, SLOWEST, Clip, is_speed
from . import key_animation
from .clearing import check_clearing
from .hair_points import followed_points

Floats = npt.NDArray[np.float64]

_LIMITS = "LIMITS"
# by which our modifier is told from an artist's
_LIMITS_NAME = "XPBD Trim"
_BEZIER = 2
# how near a curve's point lies to the frame of the bake that it is of, near the beginning of the timeline [frames]
_ROUNDING = 1e-3
# of points; some less than whole frames have at the highest speed. At 0.01 Blender makes one of two [frames]
_CLOSEST = 0.019
# of single precision, from one frame of the bake to the next: points are rounded by half a spacing, at most an eighth
_SPACINGS = 4.0


def retimed(record: BakeRecord, cuts: tuple[int, int], shift: int, speed: float) -> BakeRecord:
    """A record of the same bake, shown otherwise.

    Args:
        record: of a bake.
        cuts: so many frames of its beginning and of its end are not shown.
        shift: by so many frames what is shown begins later than it was simulated.
        speed: as that of ``Clip``.

    Raises:
        XpbdError: E_PARAM, where nothing would be left, or for a shift or a speed that is out of range.
    """
    if min(cuts) < 0 or sum(cuts) > record.end - record.start:
        text = f"Of {record.end - record.start + 1} frames at least one must stay: trim fewer."
        raise XpbdError("E_PARAM", text, record.body)
    if abs(shift) > LARGEST_SHIFT:
        raise XpbdError("E_PARAM", f"The offset must be between -{LARGEST_SHIFT} and {LARGEST_SHIFT}.", record.body)
    if not is_speed(speed):
        raise XpbdError("E_PARAM", f"The speed must be between {SLOWEST:g} and {FASTEST:g}.", record.body)
    wanted = replace(record, cut_start=cuts[0], cut_end=cuts[1], shift=shift, speed=speed)
    farthest = max(abs(wanted.clip().scene_frame(frame)) for frame in (record.start, record.end))
    fastest = 1.0 / (_SPACINGS * _spacing(farthest))
    if speed > fastest:
        text = f"So far along the timeline Blender tells frames apart up to a speed of {fastest:g}: choose a lower one."
        raise XpbdError("E_PARAM", text, record.body)
    return wanted


def check_retiming(obj: bpy.types.Object, cuts: tuple[int, int], shift: int, speed: float) -> None:
    """See that the bake of an object can be shown otherwise; arguments as of ``retimed``.

    Raises:
        XpbdError: E_NOTHING where there is none; as ``check_clearing`` and ``retimed``; E_DATA_SHARED where others use
            its action; E_PARAM where keys would come so close that Blender makes one of them.
    """
    record = read_record(obj)
    if record is None:
        raise XpbdError("E_NOTHING", "The object has no baked keys: bake it first.", obj.name)
    check_clearing(obj)
    wanted = retimed(record, cuts, shift, speed).clip()
    player = _player(obj, record)
    if player is not None:
        key_animation.check_action(player.data.shape_keys, obj.name)
        own = read_record(player)
        if player.data.shape_keys is not None and own is not None:
            _check_distances(player.data.shape_keys, own, wanted)


def retime(obj: bpy.types.Object, cuts: tuple[int, int], shift: int, speed: float) -> None:
    """Show the bake of an object that has passed ``check_retiming`` otherwise; arguments as of ``retimed``.

    What shares its mesh shows the same.
    """
    record = read_record(obj)
    if record is None:
        return
    wanted = retimed(record, cuts, shift, speed)
    player = _player(obj, record)
    keys = None if player is None else player.data.shape_keys
    own = None if player is None else read_record(player)
    if keys is not None and own is not None:
        _move_curves(keys, own, wanted.clip())
    for other in list(bpy.data.objects):
        theirs = read_record(other) if other.data in (obj.data, getattr(player, "data", None)) else None
        if theirs is not None and theirs.bake == record.bake:
            retimed(theirs, cuts, shift, speed).store(other)


def _player(obj: bpy.types.Object, record: BakeRecord) -> bpy.types.Object | None:
    """What has the keys: the object, or of hair the mesh of its points."""
    return followed_points(obj, record.points) if record.points else obj


def _move_curves(keys: bpy.types.Key, record: BakeRecord, wanted: Clip) -> None:
    before = record.clip()
    for curve in _curves(keys, record):
        places = _read(curve, "co")
        moved = places.copy()
        moved[:, 0] = _moved(places[:, 0], before, wanted)
        _move_handles(curve, moved[:, 0] - places[:, 0] * (before.speed / wanted.speed), before.speed / wanted.speed)
        curve.keyframe_points.foreach_set("co", moved.astype(np.float32).ravel())
        curve.update()
        for modifier in [modifier for modifier in curve.modifiers if modifier.name == _LIMITS_NAME]:
            curve.modifiers.remove(modifier)
        if (wanted.first, wanted.last) != (record.start, record.end):
            limits = curve.modifiers.new(_LIMITS)
            limits.name = _LIMITS_NAME
            limits.use_min_x = limits.use_max_x = True
            limits.min_x, limits.max_x = float(wanted.start), wanted.scene_frame(wanted.last)
    keys.update_tag()


def _check_distances(keys: bpy.types.Key, record: BakeRecord, wanted: Clip) -> None:
    """Refuse what would bring keys that an artist has put between those of frames too close to these."""
    for curve in _curves(keys, record):
        times = _read(curve, "co")[:, 0]
        gaps, moved = np.diff(times), np.diff(_moved(times, record.clip(), wanted))
        if np.any((moved < _CLOSEST) & (moved < gaps)):
            text = "At that speed keys that stand between frames would come too close to others: choose a lower one."
            raise XpbdError("E_PARAM", text, record.body)


def _move_handles(curve: bpy.types.FCurve, shifts: Floats, factor: float) -> None:
    """Let handles keep their share of the way from point to point; where all is straight nothing is done.

    Args:
        curve: whose points have not moved yet.
        shifts: for each point, what a time times the factor lacks of where it goes.
        factor: how much longer the curve becomes.
    """
    points = curve.keyframe_points
    interpolations = np.zeros(len(points), np.int32)
    points.foreach_get("interpolation", interpolations)
    if not np.any(interpolations == _BEZIER):
        return
    for side in ("handle_left", "handle_right"):
        handles = _read(curve, side)
        handles[:, 0] = handles[:, 0] * factor + shifts
        points.foreach_set(side, handles.astype(np.float32).ravel())


def _moved(times: Floats, before: Clip, wanted: Clip) -> Floats:
    """When points of a curve are to be shown: by the frames of the bake that they are of."""
    baked = before.first + (times - before.start) * before.speed
    whole = np.round(baked)
    # keys of the bake stand at whole frames; what an artist has put between stays between
    rounding = max(_ROUNDING, _spacing(float(np.abs(times).max(initial=0.0))) * before.speed)
    baked = np.where(np.abs(baked - whole) < rounding, whole, baked)
    return wanted.start + (baked - wanted.first) / wanted.speed


def _read(curve: bpy.types.FCurve, attribute: str) -> Floats:
    """Places of the points or of their handles, shape (points, 2)."""
    values = np.zeros(2 * len(curve.keyframe_points), np.float32)
    curve.keyframe_points.foreach_get(attribute, values)
    return values.astype(np.float64).reshape(-1, 2)


def _spacing(time: float) -> float:
    """From a time to the next that single precision can hold [frames]."""
    return float(np.spacing(np.float32(abs(time))))


def _curves(keys: bpy.types.Key, record: BakeRecord) -> Iterator[bpy.types.FCurve]:
    paths = {key_animation.value_path(name) for name in record.key_names()}
    if record.style == ABSOLUTE:
        paths.add(key_animation.EVALUATION_TIME)
    return (curve for curve in key_animation.curves_of(keys) if curve.data_path in paths)
