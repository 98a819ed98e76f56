# SPDX-License-Identifier: GPL-3.0-or-later
"""How colliders move by their keys, and by those of their parents, without a step through the frames.

What constraints, drivers, bones, NLA tracks, paths, rigid bodies or handlers move is known at the frames alone: such a
collider counts as it stands at the first frame. So does the shape of one that deforms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Euler, Matrix, Quaternion

from ...scene.collider import Collider
from ...scene.scene import Scene
from ...scene.transforms import transformed
from ..data.properties import unit_scale_of
from ..reading.motion import curves_of, has_animation

Floats = npt.NDArray[np.float64]

# frames that are looked at, at most, and places among them: a check is for the moment of a click
MOST_FRAMES, MOST_PLACES = 1000, 33
_TURNS = ("rotation_euler", "rotation_quaternion", "rotation_axis_angle")
_PATHS = ("location", "scale", *_TURNS)
# properties of an object that its matrix has beside these, as they are where they do nothing
_DELTAS = {"delta_location": (0.0, 0.0, 0.0), "delta_rotation_euler": (0.0, 0.0, 0.0), "delta_scale": (1.0, 1.0, 1.0)}


def with_keyed_motion(shown: bpy.types.Scene, read: Scene) -> Scene:
    """The scene as it was read at its first frame, but with some places of the colliders that keys move.

    Args:
        shown: whose objects have keys.
        read: with the range of frames.
    """
    frames = np.unique(np.linspace(read.frames.start, read.frames.end, MOST_FRAMES).round()).tolist()
    objects = dict(shown.objects.items())
    unit_scale = unit_scale_of(shown)
    colliders = [_moved(one, objects.get(one.name), frames, unit_scale) for one in read.colliders]
    return replace(read, colliders=tuple(colliders))


def keyed_matrices(obj: bpy.types.Object, frames: Sequence[float]) -> list[Matrix] | None:
    """The object's matrix in the world at frames, in Blender units; None where keys are not all that may move it."""
    basis = _basis_matrices(obj, frames)
    if basis is None or obj.parent is None:
        return basis
    if obj.parent_type != "OBJECT" or obj.parent.type == "CURVE":
        return None
    of_parent, inverse = keyed_matrices(obj.parent, frames), obj.matrix_parent_inverse
    return None if of_parent is None else [one @ inverse @ own for one, own in zip(of_parent, basis, strict=True)]


def _moved(collider: Collider, obj: bpy.types.Object | None, frames: Sequence[float], unit_scale: float) -> Collider:
    if obj is None or not _has_keys(obj):
        return collider
    matrices = keyed_matrices(obj, frames)
    if matrices is None or abs(matrices[0].determinant()) < 1e-30:
        return collider
    motions = np.array([one @ matrices[0].inverted() for one in matrices], np.float64)
    motions[:, :3, 3] *= unit_scale
    return replace(collider, transforms=_some_places(motions, collider) @ collider.transforms[0])


def _some_places(motions: Floats, collider: Collider) -> Floats:
    """Motions after about equal ways, the last among them, shape (places, 4, 4)."""
    starts = transformed(collider.transforms[0], collider.positions[0] if len(collider.triangles) else np.eye(3))
    corners = np.array([starts.min(axis=0), starts.max(axis=0)])
    places = np.array([transformed(motion, corners) for motion in motions])
    ways = np.append(0.0, np.linalg.norm(np.diff(places, axis=0), axis=2).max(axis=1).cumsum())
    return motions[np.unique(np.searchsorted(ways, np.linspace(0.0, ways[-1], MOST_PLACES)))]


def _has_keys(obj: bpy.types.Object | None) -> bool:
    """Whether an object or one of its parents has an action."""
    while obj is not None:
        if has_animation(obj):
            return True
        obj = obj.parent
    return False


def _basis_matrices(obj: bpy.types.Object, frames: Sequence[float]) -> list[Matrix] | None:
    """As ``keyed_matrices``, in the object's parent."""
    animation = obj.animation_data
    if obj.rigid_body is not None or any(not one.mute for one in obj.constraints):
        return None
    if animation is not None and (animation.nla_tracks or animation.drivers):
        return None
    if any(tuple(getattr(obj, name)) != still for name, still in _DELTAS.items()):
        return None
    curves = [curve for curve in ([] if animation is None else curves_of(animation)) if not curve.mute]
    if any(curve.data_path.startswith(("delta", "rotation_mode")) for curve in curves):
        return None
    keyed = {(curve.data_path, curve.array_index): curve for curve in curves if curve.data_path in _PATHS}
    values = {path: list(getattr(obj, path)) for path in _PATHS}
    matrices = []
    for frame in frames:
        for (path, index), curve in keyed.items():
            values[path][index] = curve.evaluate(frame)
        matrices.append(Matrix.LocRotScale(values["location"], _turn(obj.rotation_mode, values), values["scale"]))
    return matrices


def _turn(mode: str, values: dict[str, Any]) -> Quaternion:
    """The rotation of an object, by its mode."""
    euler, quaternion, (angle, *axis) = (values[path] for path in _TURNS)
    if mode == "QUATERNION":
        return Quaternion(quaternion).normalized()
    return Quaternion(axis, angle) if mode == "AXIS_ANGLE" else Euler(euler, mode).to_quaternion()
