# SPDX-License-Identifier: GPL-3.0-or-later
"""F-curves of shape keys, in Blender's old actions (before 4.4) and in layered ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import bpy
import numpy as np

from ...scene.errors import XpbdError

EVALUATION_TIME = "eval_time"
_LINEAR = 1


def value_path(key_name: str) -> str:
    """The path, from the keys, of one key's value."""
    return f'key_blocks["{bpy.utils.escape_identifier(key_name)}"].value'


def check_action(keys: bpy.types.Key | None, object_name: str) -> None:
    """Refuse an action that others use too, or that a library owns: our curves would change it for them.

    Raises:
        XpbdError: E_DATA_LINKED or E_DATA_SHARED.
    """
    animation = keys.animation_data if keys else None
    action = animation.action if animation else None
    if action is None:
        return
    if action.library is not None or action.override_library is not None:
        raise XpbdError(
            "E_DATA_LINKED", "The shape keys' action is linked from another file: make it local first.", object_name
        )
    if has_shared_action(keys):
        raise XpbdError(
            "E_DATA_SHARED",
            "Others use the shape keys' action too: make it single-user in the Action Editor first.",
            object_name,
        )


def make_action_own(keys: bpy.types.Key | None) -> None:
    """Give shape keys a copy of an action that others use too, played as it was."""
    if keys is not None and has_shared_action(keys):
        _own_copy(keys.animation_data)


def has_shared_action(keys: bpy.types.Key | None) -> bool:
    """Whether others play the curves of shape keys too."""
    animation = keys.animation_data if keys else None
    return animation is not None and animation.action is not None and _is_shared(animation)


def is_animated(keys: bpy.types.Key, path: str) -> bool:
    """Whether a curve of the action, or a driver, moves the property."""
    animation = keys.animation_data
    if animation is None:
        return False
    driven = any(driver.data_path == path for driver in animation.drivers)
    curves = _curves(keys, create=False)
    return driven or (curves is not None and any(curve.data_path == path for curve in curves))


def curves_of(keys: bpy.types.Key) -> list[bpy.types.FCurve]:
    """The curves of their action."""
    return list(_curves(keys, create=False) or ())


def write_curves(keys: bpy.types.Key, wanted: Mapping[str, tuple[Sequence[float], Sequence[float]]]) -> None:
    """Make linear curves through the given values, held before and after; in place of those that are there.

    Args:
        keys: that are animated.
        wanted: by path, frames and values.
    """
    curves = _curves(keys, create=True)
    for curve in [curve for curve in curves if curve.data_path in wanted]:
        curves.remove(curve)
    for path, (frames, values) in wanted.items():
        curve = curves.new(path)
        points = curve.keyframe_points
        points.add(len(frames))
        points.foreach_set("co", np.column_stack((frames, values)).astype(np.float32).ravel())
        points.foreach_set("interpolation", np.full(len(frames), _LINEAR, np.int32))
        curve.extrapolation = "CONSTANT"
        curve.update()


def new_action(keys: bpy.types.Key, name: str) -> str:
    """Give the keys an action of their own and return its name."""
    animation = keys.animation_data or keys.animation_data_create()
    action = bpy.data.actions.new(name)
    animation.action = action
    return action.name


def remove_animation(keys: bpy.types.Key, paths: Iterable[str], created_action: str, last_slot: str) -> None:
    """Take our curves away, and the action if we made it and nobody has put it to another use.

    Args:
        keys: that the curves are for.
        paths: of the curves.
        created_action: the name that the action got when we made it, "" if it was there before.
        last_slot: what the animation data remembered before.
    """
    animation = keys.animation_data
    action = animation.action if animation else None
    if action is not None and _is_shared(animation):
        # The object was duplicated after the bake: the curves are those of the other one too
        if created_action:
            _unassign(animation, last_slot)
            return
        _own_copy(animation)
    removed = _remove_curves(keys, paths)
    is_ours = created_action and action is not None and (removed or action.name == created_action)
    if is_ours and not _curves(keys, create=False):
        slot = getattr(animation, "action_slot", None)
        _unassign(animation, last_slot)
        _remove_unless_used(action, slot)
    orphan = bpy.data.actions.get(created_action)
    if orphan is not None and orphan.users == 0 and not _moves_objects(orphan):
        bpy.data.actions.remove(orphan)


def _unassign(animation: bpy.types.AnimData, last_slot: str) -> None:
    animation.action = None
    if hasattr(animation, "last_slot_identifier"):
        animation.last_slot_identifier = last_slot


def _remove_unless_used(action: bpy.types.Action, slot: Any) -> None:
    """Remove an action, or only our slot of it (None for none) where it moves something else too.

    From Blender 4.4 on, keys that the artist gives the object after the bake go into the action of its shape keys.
    """
    if action.users - int(action.use_fake_user) == 0 and not _moves_objects(action):
        bpy.data.actions.remove(action)
    elif slot is not None:
        action.slots.remove(slot)


def _moves_objects(action: Any) -> bool:
    """Whether it has curves of something else than shape keys, played at present or not."""
    slots = [slot for slot in getattr(action, "slots", ()) if slot.target_id_type != "KEY"]
    strips = [strip for layer in action.layers for strip in layer.strips] if slots else []
    bags = [strip.channelbag(slot) for strip in strips for slot in slots]
    return any(len(bag.fcurves) > 0 for bag in bags if bag is not None)


def _own_copy(animation: bpy.types.AnimData) -> None:
    """Put a copy of the action in its place, played as it was."""
    slot = getattr(animation, "action_slot", None)
    identifier = slot.identifier if slot is not None else ""
    animation.action = animation.action.copy()
    if identifier:
        animation.action_slot = animation.action.slots[identifier]


def _remove_curves(keys: bpy.types.Key, paths: Iterable[str]) -> int:
    curves = _curves(keys, create=False)
    unwanted = set(paths)
    found = [curve for curve in curves or () if curve.data_path in unwanted]
    for curve in found:
        curves.remove(curve)
    return len(found)


def _is_shared(animation: bpy.types.AnimData) -> bool:
    """Whether others play the curves too: the whole action, or of a layered one the same slot.

    From Blender 4.4 on, keys of an object and of its shape keys go into one action, each in a slot of its own.
    """
    action = animation.action
    if not hasattr(action, "layers"):
        return bool(action.users - int(action.use_fake_user) > 1)
    slot = animation.action_slot
    return slot is not None and len(slot.users()) > 1


def _curves(keys: bpy.types.Key, *, create: bool) -> Any:
    animation = keys.animation_data
    action = animation.action if animation else None
    if action is None:
        return None
    if not hasattr(action, "layers"):
        return action.fcurves
    slot = animation.action_slot
    if slot is None:
        if not create:
            return None
        slot = action.slots.new(id_type=keys.id_type, name=keys.name)
        animation.action_slot = slot
    if not action.layers:
        if not create:
            return None
        action.layers.new("Layer").strips.new(type="KEYFRAME")
    bag = action.layers[0].strips[0].channelbag(slot, ensure=create)
    return bag.fcurves if bag is not None else None
