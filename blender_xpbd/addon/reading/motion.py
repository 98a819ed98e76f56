# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an object may move over the frames, told without playing them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.errors import XpbdError
from ..data.data_lookup import scene_by_uid

Floats = npt.NDArray[np.float64]

# Below this ratio of the shortest to the longest axis a float32 matrix has no inverse worth the name
_SMALLEST_AXIS_RATIO = 1e-6


def may_move(obj: bpy.types.Object) -> bool:
    """Whether the object's world matrix may change from frame to frame.

    Animation, drivers, constraints, rigid bodies and all of these on parents count; parents that deform do too. May
    say yes where nothing moves, never no where something does.
    """
    current: bpy.types.Object | None = obj
    while current is not None:
        if has_animation(current) or current.rigid_body is not None or any(not c.mute for c in current.constraints):
            return True
        if current.parent is not None and current.parent_type not in {"OBJECT"}:
            return True
        current = current.parent
    return False


def may_deform(obj: bpy.types.Object) -> bool:
    """Whether the object's evaluated shape may depend on the frame."""
    keys = getattr(obj.data, "shape_keys", None)
    return bool(obj.modifiers) or has_animation(obj.data) or (keys is not None and has_animation(keys))


def has_animation(data: bpy.types.ID) -> bool:
    """Whether a data-block has an action, a track or a driver."""
    animation = data.animation_data
    return animation is not None and bool(animation.action or animation.nla_tracks or animation.drivers)


def has_frame_handlers() -> bool:
    """Whether Python of the file, or of an add-on, is called at each frame: it may move whatever it likes."""
    handlers: Any = bpy.app.handlers
    return bool(handlers.frame_change_pre or handlers.frame_change_post)


def animated_paths(data: bpy.types.ID, *, with_muted: bool = True, with_still: bool = True) -> frozenset[str]:
    """The paths of the properties that an action, a track or a driver moves, as they stand there.

    Args:
        data: a data-block.
        with_muted: whether tracks, strips, curves and drivers that are muted count too.
        with_still: whether curves of the object's own action count too that have the same value all the time.
    """
    animation = data.animation_data
    if animation is None:
        return frozenset()
    tracks = [track for track in animation.nla_tracks if with_muted or not track.mute]
    strips = [strip for track in tracks for strip in _strips(track, with_muted=with_muted)]
    users: list[Any] = [animation, *strips]
    curves = [*animation.drivers, *(curve for user in users for curve in curves_of(user))]
    if not with_still and not strips:
        curves = [curve for curve in curves if not _is_still(curve)]
    return frozenset(curve.data_path for curve in curves if with_muted or not curve.mute)


def _strips(holder: Any, *, with_muted: bool) -> Iterator[bpy.types.NlaStrip]:
    """The strips of a track, and those that its meta strips hold."""
    for strip in holder.strips:
        if with_muted or not strip.mute:
            yield strip
            yield from _strips(strip, with_muted=with_muted)


def _is_still(curve: bpy.types.FCurve) -> bool:
    """Whether it is no driver, and its keys and their handles are all at one value."""
    if isinstance(curve.id_data, bpy.types.Action) and not curve.modifiers:
        points = curve.keyframe_points
        values = {place[1] for point in points for place in (point.co, point.handle_left, point.handle_right)}
        return 0 < len(values) <= 1
    return False


def curves_of(user: Any) -> Iterator[bpy.types.FCurve]:
    """The curves of an action that are for its user: an ID's animation, or a strip."""
    action = user.action
    if action is None:
        return
    if not hasattr(action, "layers"):
        yield from action.fcurves
        return
    slot = user.action_slot_handle
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                if bag.slot_handle == slot:
                    yield from bag.fcurves


def world_matrix(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, frame: int | None = None) -> Floats:
    """The object's local-to-world matrix in Blender units at the depsgraph's frame, shape (4, 4).

    Args:
        obj: the object.
        depsgraph: evaluated.
        frame: for the message, where it matters.

    Raises:
        XpbdError: E_TRANSFORM_SINGULAR, with the frame.
    """
    matrix = finite_matrix(obj, depsgraph, frame)
    axes = np.linalg.svd(matrix[:3, :3], compute_uv=False)
    if axes[-1] <= _SMALLEST_AXIS_RATIO * axes[0]:
        raise XpbdError(
            "E_TRANSFORM_SINGULAR", "The object is scaled to zero along an axis: give it a size.", obj.name, frame
        )
    return matrix


def finite_matrix(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, frame: int | None = None) -> Floats:
    """As ``world_matrix``, of what may be scaled to zero.

    Raises:
        XpbdError: E_TRANSFORM_SINGULAR, with the frame, where it is not finite.
    """
    matrix = np.array(obj.evaluated_get(depsgraph).matrix_world, np.float64)
    if not np.isfinite(matrix).all():
        raise XpbdError("E_TRANSFORM_SINGULAR", "The object's transform is not finite.", obj.name, frame)
    return matrix


def rotation_of(matrix: Floats) -> Floats:
    """The rotation in a matrix of shape (3, 3), by its polar decomposition; of a mirrored one that of its negative."""
    left, _, right = np.linalg.svd(matrix)
    rotation: Floats = left @ right
    return rotation if np.linalg.det(rotation) > 0.0 else -rotation


@contextmanager
def frame_kept(scene: bpy.types.Scene) -> Iterator[None]:
    """Put the scene's frame back in the end."""
    uid, frame, subframe = scene.session_uid, scene.frame_current, scene.frame_subframe
    try:
        yield
    finally:
        again = scene_by_uid(uid)
        if again is not None and (again.frame_current, again.frame_subframe) != (frame, subframe):
            again.frame_set(frame, subframe=subframe)
