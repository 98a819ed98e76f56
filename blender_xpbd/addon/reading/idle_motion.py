# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an object is moved, told without playing the frames: by keys, drivers, constraints or a rigid body.

``motion.may_move`` says yes where anything might; this says no where it is not known, for an artist is told of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy

from .mesh_reader import own_keys
from .motion import animated_paths, has_animation

# paths of what places an object, but for "delta_" before them
_PLACES = frozenset(("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale"))
# parents by one vertex, or by three, which go where the mesh goes; and parents that deform
VERTEX_PARENTS = frozenset(("VERTEX", "VERTEX_3"))
_SHAPING_PARENTS = frozenset(("ARMATURE", "LATTICE"))
# how modifiers call what they follow
_MODIFIER_OBJECTS = ("object", "target", "object_from", "object_to", "origin", "auxiliary_target")
# objects of which no vertex, point or bone can move; and what moves others along a curve, not the curve
_WITHOUT_SHAPE, _ALONG_PATH = frozenset(("EMPTY", "CAMERA", "LIGHT", "LIGHT_PROBE", "SPEAKER")), {"eval_time"}
# constraints that read a motion from elsewhere than an object
_READ_MOTION = frozenset(("TRANSFORM_CACHE", "FOLLOW_TRACK", "OBJECT_SOLVER"))


def is_moved(obj: bpy.types.Object) -> bool:
    """Whether something moves an object, or a parent of it."""
    return _is_moved(obj, set())


def is_reshaped(obj: bpy.types.Object) -> bool:
    """Whether something moves the shape of an object within it: keys, drivers, bones, or what its modifiers follow."""
    return _is_reshaped(obj, set())


def _is_moved(obj: bpy.types.Object, seen: set[int]) -> bool:
    """As ``is_moved``; ``seen`` has the ``session_uid`` of those that were asked already, for circles."""
    if obj.session_uid in seen:
        return False
    seen.add(obj.session_uid)
    paths = animated_paths(obj, with_muted=False)
    if any(path.removeprefix("delta_") in _PLACES or path.startswith("constraints[") for path in paths):
        return True
    body = obj.rigid_body
    if body is not None and body.type == "ACTIVE" and body.enabled and not body.kinematic:
        return True
    if any(_moves(constraint, seen) for constraint in obj.constraints):
        return True
    return obj.parent is not None and _is_carried(obj, obj.parent, seen)


def _is_carried(obj: bpy.types.Object, parent: bpy.types.Object, seen: set[int]) -> bool:
    """Whether the parent of an object moves it, or a bone or vertices of the parent do."""
    if _is_moved(parent, seen) or (obj.parent_type == "BONE" and _is_posed(parent)):
        return True
    return obj.parent_type in VERTEX_PARENTS and _is_reshaped(parent, set())


def _is_reshaped(obj: bpy.types.Object, seen: set[int]) -> bool:
    """As ``is_reshaped``; ``seen`` as of ``_is_moved``."""
    if obj.session_uid in seen:
        return False
    seen.add(obj.session_uid)
    if obj.type in _WITHOUT_SHAPE:
        return False
    keys = getattr(obj.data, "shape_keys", None)
    if animated_paths(obj.data, with_muted=False) - _ALONG_PATH or (keys and animated_paths(keys, with_muted=False)):
        return True
    if obj.parent is not None and obj.parent_type in _SHAPING_PARENTS and _may_shape(obj.parent, seen):
        return True
    own = animated_paths(obj, with_muted=False)
    return (
        _is_posed(obj)
        or any(path.startswith("modifiers[") for path in own)
        or any(
            _may_shape(target, seen)
            for modifier in obj.modifiers
            if modifier.show_viewport
            for target in modifier_objects(modifier)
        )
    )


def _may_shape(target: bpy.types.Object, seen: set[int]) -> bool:
    """Whether what an object's shape follows is moved, or reshaped itself."""
    return _is_moved(target, set()) or _is_reshaped(target, seen)


def has_moving_keys(obj: bpy.types.Object) -> bool:
    """Whether the artist's own shape keys are animated or driven, and not muted; those of a bake do not count."""
    own = own_keys(obj)
    if len(own) < 2:
        return False
    paths = animated_paths(obj.data.shape_keys, with_muted=False, with_still=False)
    names = [bpy.utils.escape_identifier(block.name) for block in own if not block.mute]
    return any(f'key_blocks["{name}"].value' in paths for name in names)


def modifier_objects(modifier: bpy.types.Modifier) -> Iterator[bpy.types.Object]:
    """The objects that a modifier names, as its armature, lattice or target."""
    for name in _MODIFIER_OBJECTS:
        target = getattr(modifier, name, None)
        if isinstance(target, bpy.types.Object):
            yield target


def _moves(constraint: Any, seen: set[int]) -> bool:
    """Whether a constraint that acts follows something that is moved."""
    if constraint.mute or constraint.influence == 0.0:
        return False
    return constraint.type in _READ_MOTION or any(
        _is_moved(target, seen) or (bool(bone) and _is_reshaped(target, set())) or _is_path(constraint, target)
        for target, bone in _targets(constraint)
    )


def followed_groups(obj: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """The meshes of which an object's constraints follow a vertex group, or the surface."""
    for constraint in obj.constraints:
        if not constraint.mute and constraint.influence > 0.0:
            is_surface = constraint.type == "SHRINKWRAP"
            yield from (one for one, group in _targets(constraint) if one.type == "MESH" and (group or is_surface))


def _targets(constraint: Any) -> Iterator[tuple[bpy.types.Object, str]]:
    """What a constraint follows: objects, and the bone or the vertex group of each or ""."""
    for one in (constraint, *getattr(constraint, "targets", ())):
        target = getattr(one, "target", None)
        if target is not None:
            yield target, getattr(one, "subtarget", "")


def _is_posed(obj: bpy.types.Object) -> bool:
    """Whether bones of an armature are animated."""
    paths = animated_paths(obj, with_muted=False)
    return obj.type == "ARMATURE" and any(path.startswith("pose.") for path in paths)


def _is_path(constraint: Any, target: bpy.types.Object) -> bool:
    """Whether an object goes along a curve as the curve's own time says; scripts and files may name any target."""
    if constraint.type != "FOLLOW_PATH" or target.type != "CURVE":
        return False
    return not constraint.use_fixed_location and has_animation(target.data)
