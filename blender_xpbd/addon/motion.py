# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an object may move over the frames, told without playing them."""

from __future__ import annotations

import bpy
import numpy as np
import numpy.typing as npt

from ..scene.errors import XpbdError

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
    """Whether the object's evaluated mesh may depend on the frame."""
    mesh = obj.data
    keys = mesh.shape_keys
    return bool(obj.modifiers) or has_animation(mesh) or (keys is not None and has_animation(keys))


def has_animation(data: bpy.types.ID) -> bool:
    """Whether a data-block has an action, a track or a driver."""
    animation = data.animation_data
    return animation is not None and bool(animation.action or animation.nla_tracks or animation.drivers)


def world_matrix(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, frame: int | None = None) -> Floats:
    """The object's local-to-world matrix in Blender units at the depsgraph's frame, shape (4, 4).

    Args:
        obj: the object.
        depsgraph: evaluated.
        frame: for the message, where it matters.

    Raises:
        XpbdError: E_TRANSFORM_SINGULAR, with the frame.
    """
    matrix = np.array(obj.evaluated_get(depsgraph).matrix_world, np.float64)
    if not np.isfinite(matrix).all():
        raise XpbdError("E_TRANSFORM_SINGULAR", "The object's transform is not finite.", obj.name, frame)
    axes = np.linalg.svd(matrix[:3, :3], compute_uv=False)
    if axes[-1] <= _SMALLEST_AXIS_RATIO * axes[0]:
        raise XpbdError(
            "E_TRANSFORM_SINGULAR", "The object is scaled to zero along an axis: give it a size.", obj.name, frame
        )
    return matrix
