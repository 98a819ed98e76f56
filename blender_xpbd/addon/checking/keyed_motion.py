# SPDX-License-Identifier: GPL-3.0-or-later
"""How colliders move by their keys, and by those of their parents, without a step through the frames.

What constraints, drivers, bones, NLA tracks, paths, rigid bodies or handlers move is known at the frames alone: such a
collider counts as it stands at the first frame. So does the shape of one that deforms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.collider import Collider
from ...scene.scene import Scene
from ...scene.transforms import transformed
from ..data.properties import unit_scale_of
from ..reading.motion import curves_of, has_animation

Floats = npt.NDArray[np.float64]

# frames that are looked at, at most, and places among them: a check is for the moment of a click
MOST_FRAMES, MOST_PLACES = 1000, 33
# the same for frames times colliders: where many have keys, fewer frames are looked at, evenly over the range, so that
# what comes and goes between two of them is not seen
MOST_LOOKS = 50_000
# of a way, by which share of its size it may be bent and count as straight
_STRAIGHT = 1e-5
_TURNS = ("rotation_euler", "rotation_quaternion", "rotation_axis_angle")
_PATHS = ("location", "scale", *_TURNS)
# properties of an object that its matrix has beside these, as they are where they do nothing
_DELTAS = {
    "delta_location": (0.0, 0.0, 0.0),
    "delta_rotation_euler": (0.0, 0.0, 0.0),
    "delta_rotation_quaternion": (1.0, 0.0, 0.0, 0.0),
    "delta_scale": (1.0, 1.0, 1.0),
}


def with_keyed_motion(shown: bpy.types.Scene, read: Scene) -> Scene:
    """The scene as it was read at its first frame, but with some places of the colliders that keys move.

    Args:
        shown: whose objects have keys.
        read: with the range of frames.
    """
    objects, unit_scale = dict(shown.objects.items()), unit_scale_of(shown)
    keyed = {one.identifier: objects[one.name] for one in read.colliders if _has_keys(objects.get(one.name))}
    if not keyed:
        return read
    count = min(max(MOST_LOOKS // len(keyed), MOST_PLACES), MOST_FRAMES)
    motion = KeyedMotion(np.unique(np.linspace(read.frames.start, read.frames.end, count).round()).tolist())
    colliders = [
        _moved(one, motion.matrices(keyed[one.identifier]), unit_scale) if one.identifier in keyed else one
        for one in read.colliders
    ]
    return replace(read, colliders=tuple(colliders))


class KeyedMotion:
    """The matrices of objects at some frames, each object's computed once, however many children it has."""

    def __init__(self, frames: Sequence[float]) -> None:
        self._frames = frames
        self._made: dict[bpy.types.Object, Floats | None] = {}

    def matrices(self, obj: bpy.types.Object) -> Floats | None:
        """Of an object in the world, in Blender units, shape (frames, 4, 4); None where not keys alone may move it."""
        if obj not in self._made:
            self._made[obj] = self._in_the_world(obj)
        return self._made[obj]

    def _in_the_world(self, obj: bpy.types.Object) -> Floats | None:
        basis = _basis_matrices(obj, self._frames)
        if basis is None or obj.parent is None:
            return basis
        if obj.parent_type != "OBJECT" or obj.parent.type == "CURVE":
            return None
        of_parent = self.matrices(obj.parent)
        return None if of_parent is None else of_parent @ np.array(obj.matrix_parent_inverse) @ basis


def _moved(collider: Collider, matrices: Floats | None, unit_scale: float) -> Collider:
    if matrices is None or abs(np.linalg.det(matrices[0])) < 1e-30:
        return collider
    motions = matrices @ np.linalg.inv(matrices[0])
    motions[:, :3, 3] *= unit_scale
    return replace(collider, transforms=_some_places(motions, collider) @ collider.transforms[0])


def _some_places(motions: Floats, collider: Collider) -> Floats:
    """Motions between which the others lie about straight, the first and the last among them, shape (places, 4, 4).

    So it has where the collider turns back, however far it goes elsewhere.
    """
    local = collider.positions[0] if len(collider.triangles) else (collider.radius or 1.0) * np.eye(3)
    starts = transformed(collider.transforms[0], local)
    low, size = starts.min(axis=0), np.ptp(starts, axis=0)
    corners = low + np.vstack([np.zeros(3), np.diag(size)])
    places = np.stack([transformed(motion, corners).ravel() for motion in motions])
    least = _STRAIGHT * float(np.ptp(places, axis=0).max())
    if least == 0.0:
        return motions[:1]
    chosen, ways = [0, len(motions) - 1], [_farthest(places, 0, len(motions) - 1)]
    while len(chosen) < MOST_PLACES and (farthest := max(ways)).distance > least:
        chosen.append(farthest.place)
        ways.remove(farthest)
        ways += [_farthest(places, farthest.start, farthest.place), _farthest(places, farthest.place, farthest.end)]
    return motions[np.sort(chosen)]


class _Farthest(NamedTuple):
    """Of places on a way, the farthest from the straight line between its ends, by their numbers."""

    distance: float
    place: int
    start: int
    end: int


def _farthest(places: Floats, start: int, end: int) -> _Farthest:
    """The place between two of them that is farthest from the line between these; shape (places, coordinates)."""
    if end - start < 2:
        return _Farthest(0.0, start, start, end)
    line, ways = places[end] - places[start], places[start + 1 : end] - places[start]
    shares = (ways @ line / max(float(line @ line), 1e-300)).clip(0.0, 1.0)
    distances = np.linalg.norm(ways - shares[:, None] * line, axis=1)
    number = int(distances.argmax())
    return _Farthest(float(distances[number]), start + 1 + number, start, end)


def _has_keys(obj: bpy.types.Object | None) -> bool:
    """Whether an object or one of its parents has an action."""
    while obj is not None:
        if has_animation(obj):
            return True
        obj = obj.parent
    return False


def _basis_matrices(obj: bpy.types.Object, frames: Sequence[float]) -> Floats | None:
    """As of ``KeyedMotion``, in the object's parent."""
    animation = obj.animation_data
    if obj.rigid_body is not None or any(not one.mute for one in obj.constraints):
        return None
    if animation is not None and (animation.nla_tracks or animation.drivers):
        return None
    if any(tuple(getattr(obj, name)) != still for name, still in _DELTAS.items()):
        return None
    curves = [curve for curve in ([] if animation is None else curves_of(animation)) if _is_evaluated(curve)]
    if any(curve.data_path.startswith(("delta", "rotation_mode")) for curve in curves):
        return None
    values = {path: np.tile(np.array(getattr(obj, path)), (len(frames), 1)) for path in _PATHS}
    for curve in curves:
        # Blender skips one of a component that there is not
        if curve.data_path in _PATHS and curve.array_index < values[curve.data_path].shape[1]:
            values[curve.data_path][:, curve.array_index] = [curve.evaluate(frame) for frame in frames]
    matrices = np.tile(np.eye(4), (len(frames), 1, 1))
    matrices[:, :3, :3] = _turns(obj.rotation_mode, values) * values["scale"][:, None]
    matrices[:, :3, 3] = values["location"]
    return matrices


def _is_evaluated(curve: bpy.types.FCurve) -> bool:
    """Whether Blender does not skip a curve, as it does one that is muted, or has no keys."""
    return not curve.mute and not curve.is_empty


def _turns(mode: str, values: Mapping[str, Floats]) -> Floats:
    """The rotations of an object, by its mode, shape (frames, 3, 3)."""
    euler, quaternion, angle_axis = (values[path] for path in _TURNS)
    if mode == "QUATERNION":
        sides = quaternion[:, 1:]
        return _rotations(sides, 2.0 * np.arctan2(np.linalg.norm(sides, axis=1), quaternion[:, 0]))
    if mode == "AXIS_ANGLE":
        return _rotations(angle_axis[:, 1:], angle_axis[:, 0])
    first, second, third = (_rotations(np.eye(3)[[k]], euler[:, k]) for k in map("XYZ".index, mode))
    turns: Floats = third @ second @ first
    return turns


def _rotations(axes: Floats, angles: Floats) -> Floats:
    """Rotations about axes of any length, shape (frames or 1, 3), none about 0, by angles [rad]: Rodrigues' formula."""
    lengths = np.linalg.norm(axes, axis=1)
    unit = axes / np.where(lengths > 0.0, lengths, 1.0)[:, None]
    angles = np.where(lengths > 0.0, angles, 0.0)[:, None, None]
    across = np.cross(np.eye(3), unit[:, None])
    along = unit[:, :, None] * unit[:, None]
    turns: Floats = np.cos(angles) * np.eye(3) + np.sin(angles) * across + (1.0 - np.cos(angles)) * along
    return turns
