# SPDX-License-Identifier: GPL-3.0-or-later
"""Shape keys of a bake taken back: the object is as it was before."""

from __future__ import annotations

import bpy

from ...scene.errors import XpbdError
from ..data.bake_record import ABSOLUTE, BakeRecord, forget_record, read_record
from ..reading.mesh_reader import is_edited, own_keys
from . import key_animation
from .hair_points import followed_points, is_played_by_others, remove_points
from .muting import unmute


def clear_bake(obj: bpy.types.Object) -> bool:
    """Take a bake back: keys, curves, action and settings are as they were before it.

    Returns:
        Whether there was a bake.

    Raises:
        XpbdError: E_MODE_EDIT while the mesh is being edited; E_DATA_LINKED when it is linked.
    """
    record = read_record(obj)
    if record is None:
        return _clear_modifier(obj)
    check_clearing(obj)
    if record.points:
        _clear_hair(obj, record)
        return True
    was_pinned_later = obj.show_only_shape_key and obj.active_shape_key in own_keys(obj)
    if obj.data.shape_keys is not None:
        _clear_animation(obj.data.shape_keys, record)
        _clear_keys(obj, record, pinned=record.show_only and not was_pinned_later)
    obj.show_only_shape_key = record.show_only or was_pinned_later
    unmute(obj, record)
    forget_record(obj)
    return True


def _clear_hair(obj: bpy.types.Object, record: BakeRecord) -> None:
    """Remove the mesh of points, with its keys and their animation, unless a copy of the hair plays it too."""
    points = followed_points(obj, record.points)
    if points is not None and points.users <= 1 and not is_played_by_others(obj):
        clear_bake(points)
    remove_points(obj, record.points)
    forget_record(obj)


def check_clearing(obj: bpy.types.Object) -> None:
    """See that shape keys can be removed.

    Raises:
        XpbdError: E_MODE_EDIT while the mesh is being edited; E_DATA_LINKED when it is linked.
    """
    if is_edited(obj):
        raise XpbdError("E_MODE_EDIT", "The mesh is being edited: go back to Object Mode (Tab) first.", obj.name)
    if obj.data.library is not None or obj.library is not None:
        raise XpbdError("E_DATA_LINKED", "The object is linked from another file; clear the bake there.", obj.name)


def _clear_modifier(obj: bpy.types.Object) -> bool:
    """Remove the modifier that plays an exported file; whether there was one."""
    name = obj.xpbd.cache_modifier
    if not name:
        return False
    obj.xpbd.cache_modifier = ""
    modifier = obj.modifiers.get(name)
    if modifier is None or modifier.type != "MESH_CACHE":
        return False
    obj.modifiers.remove(modifier)
    return True


def _clear_animation(keys: bpy.types.Key, record: BakeRecord) -> None:
    paths = {key_animation.value_path(name) for name in record.key_names()}
    if record.style == ABSOLUTE:
        paths.add(key_animation.EVALUATION_TIME)
    key_animation.remove_animation(keys, paths, record.created_action, record.last_slot)
    animation = keys.animation_data
    unused = animation is not None and not (animation.action or animation.nla_tracks or animation.drivers)
    if record.created_animation and unused:
        keys.animation_data_clear()


def _clear_keys(obj: bpy.types.Object, record: BakeRecord, *, pinned: bool) -> None:
    """Remove our keys; the artist's active key stays active, unless another was ``pinned`` before the bake."""
    keys = obj.data.shape_keys
    active = obj.active_shape_key
    own = own_keys(obj)
    active_name = active.name if active and active in own and not pinned else ""
    if not own:
        obj.shape_key_clear()
        obj.active_shape_key_index = record.active_index
        return
    ours = record.key_names()
    for block in reversed(list(keys.key_blocks)):
        if block.name in ours:
            obj.shape_key_remove(block)
    keys.use_relative = record.use_relative
    keys.eval_time = record.eval_time
    obj.active_shape_key_index = keys.key_blocks.find(active_name) if active_name else record.active_index
