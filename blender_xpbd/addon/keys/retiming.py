# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked keys shown at other times: trimmed, faster or slower, earlier or later. Curves change, no key does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import bpy
import numpy as np

from ...scene.errors import XpbdError
from ..data.bake_record import ABSOLUTE, LARGEST_SHIFT, BakeRecord, read_record
from ..data.clip import FASTEST, SLOWEST, Clip, is_speed
from . import key_animation
from .clearing import check_clearing
from .hair_points import followed_points

_LIMITS = "LIMITS"
# how near a curve's point lies to the frame of the bake that it is of, after single precision
_ROUNDING = 1e-3


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
    return replace(record, cut_start=cuts[0], cut_end=cuts[1], shift=shift, speed=speed)


def check_retiming(obj: bpy.types.Object) -> None:
    """See that the bake of an object can be shown otherwise.

    Raises:
        XpbdError: E_NOTHING where there is none; as ``check_clearing``; E_DATA_SHARED where others use its action.
    """
    record = read_record(obj)
    if record is None:
        raise XpbdError("E_NOTHING", "The object has no baked keys: bake it first.", obj.name)
    check_clearing(obj)
    player = _player(obj, record)
    if player is not None:
        key_animation.check_action(player.data.shape_keys, obj.name)


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
        points = curve.keyframe_points
        places = np.zeros(2 * len(points), np.float32)
        points.foreach_get("co", places)
        baked = before.first + (places[::2].astype(np.float64) - before.start) * before.speed
        whole = np.round(baked)
        # keys of the bake stand at whole frames; what an artist has put between stays between
        baked = np.where(np.abs(baked - whole) < _ROUNDING, whole, baked)
        places[::2] = wanted.start + (baked - wanted.first) / wanted.speed
        points.foreach_set("co", places)
        curve.update()
        for modifier in [modifier for modifier in curve.modifiers if modifier.type == _LIMITS]:
            curve.modifiers.remove(modifier)
        if (wanted.first, wanted.last) != (record.start, record.end):
            limits = curve.modifiers.new(_LIMITS)
            limits.use_min_x = limits.use_max_x = True
            limits.min_x, limits.max_x = float(wanted.start), wanted.scene_frame(wanted.last)
    keys.update_tag()


def _curves(keys: bpy.types.Key, record: BakeRecord) -> Iterator[bpy.types.FCurve]:
    paths = {key_animation.value_path(name) for name in record.key_names()}
    if record.style == ABSOLUTE:
        paths.add(key_animation.EVALUATION_TIME)
    return (curve for curve in key_animation.curves_of(keys) if curve.data_path in paths)
