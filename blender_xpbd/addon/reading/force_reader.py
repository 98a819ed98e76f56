# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's force fields, and which of them act on which body."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.body_kinds import body_kind
from ...scene.errors import Notice
from ...scene.force import FORCE_KINDS, FORCE_PARAMETERS, FORCE_SHAPES, Force
from ...scene.listing import quoted
from ...scene.parameter import Value, by_name
from ...scene.track import Track, animatable
from ..data.object_types import is_body
from .motion import animated_paths, finite_matrix, has_animation, may_move

Floats = npt.NDArray[np.float64]

_KINDS = frozenset(kind.identifier for kind in FORCE_KINDS)
# how strong they are is told by what they guide
_WITHOUT_STRENGTH = frozenset({"GUIDE", "BOID"})
_SHAPES = frozenset(shape.identifier for shape in FORCE_SHAPES)
_PARAMETERS = by_name(FORCE_PARAMETERS)
_FOLLOWED = animatable(FORCE_PARAMETERS)
_PREFIX = "field."
# Blender's names of what is read once; all else of a field is followed through the frames
_READ_ONCE = frozenset(
    {
        "type",
        "shape",
        "falloff_type",
        "z_direction",
        "seed",
        "use_gravity_falloff",
        "use_global_coords",
        "apply_to_location",
    }
)
# ... and those of them by which it acts or does not
_SWITCHES = frozenset({"type", "apply_to_location"})
# where an end is switched on at a distance of 0, which stands for none
_LEAST_END = 1e-9


def acts(obj: bpy.types.Object) -> bool:
    """Whether an object has a force field that moves something, now or at another frame.

    Kind and *Location* count as they are now; the rest is ``is_effector_nonzero_strength`` of Blender's ``effect.cc``.
    """
    return obj.field is not None and obj.field.apply_to_location and _has_strength(obj)


def _has_strength(obj: bpy.types.Object) -> bool:
    """Whether an object has a field that does something to what it acts on, its place or its rotation."""
    field = obj.field
    if field is None or field.type == "NONE":
        return False
    if field.type in _WITHOUT_STRENGTH:
        return True
    strengths = (field.linear_drag, field.quadratic_drag) if field.type == "DRAG" else (field.strength, field.flow)
    # what does not turn with a vortex is slowed by it, however weak it is
    slows = field.type == "VORTEX" and field.shape != "POINT"
    return any(strengths) or field.noise > 0.0 or slows or bool(_animated(obj))


def is_understood(obj: bpy.types.Object) -> bool:
    """Whether a bake knows the kind and the shape of an object's field."""
    return obj.field.type in _KINDS and obj.field.shape in _SHAPES


def field_objects(scene: bpy.types.Scene, objects: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """Those of the objects that take part whose fields count in a bake of the scene, as they are at its frame."""
    return [obj for obj in objects if acts(obj) and is_understood(obj)] if scene.xpbd.use_force_fields else []


def field_notices(scene: bpy.types.Scene, objects: Sequence[bpy.types.Object]) -> tuple[Notice, ...]:
    """Warnings for fields that move nothing, and for settings of fields that do not count; each kind once."""
    if not scene.xpbd.use_force_fields:
        return ()
    fields = [obj for obj in objects if acts(obj)]
    read = [obj for obj in fields if is_understood(obj)]
    found = (
        ([obj for obj in fields if obj.field.type not in _KINDS], "Force fields of these kinds do not act: {}."),
        (
            [obj for obj in fields if obj.field.type in _KINDS and obj.field.shape not in _SHAPES],
            "Force fields that go out from surfaces, curves or vertices do not act; use Point, Line or Plane: {}.",
        ),
        ([obj for obj in objects if _has_particle_field(obj)], "Force fields of particles do not act: {}."),
        (
            [obj for obj in read if obj.field.use_absorption or "use_absorption" in _animated(obj)],
            "Nothing shades from force fields, as Absorption says: {}.",
        ),
        (
            [obj for obj in objects if not (_READ_ONCE if obj in read else _SWITCHES).isdisjoint(_animated(obj))],
            "Kind, shape and seed of a force field count as they are at the first frame: {}.",
        ),
        (
            [obj for obj in objects if _turns_alone(obj)],
            "Force fields turn nothing, they push; with Location off these do nothing: {}.",
        ),
        (
            [obj for obj in objects if _is_missed_by_wind(obj)] if any(map(_is_wind, read)) else [],
            "Wind pushes faces and strands, not grains, which it carries along by their Damping alone: {}.",
        ),
    )
    notices = [Notice("W_FORCE", text.format(quoted([obj.name for obj in named]))) for named, text in found if named]
    read_uids = {obj.session_uid for obj in read}
    left_out = [
        obj.name
        for obj in objects
        if is_body(obj) and (chosen := chosen_fields(obj)) is not None and chosen.isdisjoint(read_uids)
    ]
    if left_out:
        advice = "The collection of force fields holds none of this bake, so that none acts on these: {}."
        notices.append(Notice("W_GROUP", advice.format(quoted(left_out))))
    return tuple(notices)


class FieldReader:
    """The force fields of a scene through the frames.

    Attributes:
        may_change: whether there is something to follow.
    """

    def __init__(
        self,
        objects: Sequence[bpy.types.Object],
        depsgraph: bpy.types.Depsgraph,
        unit_scale: float,
        *,
        is_scripted: bool,
    ) -> None:
        """Read them at the first frame.

        Args:
            objects: as ``field_objects`` tells them.
            depsgraph: evaluated at the first frame.
            unit_scale: metres per Blender unit.
            is_scripted: something is called at each frame that may move them.
        """
        self._unit_scale = unit_scale
        self._matrices = {obj.session_uid: [_place(obj, depsgraph)] for obj in objects}
        self._values = {obj.session_uid: [field_values(obj.field, obj.field.type, unit_scale)] for obj in objects}
        self._changing = [obj.session_uid for obj in objects if is_scripted or may_change(obj)]
        self._first = {
            obj.session_uid: Force(f"f{number}", obj.name, obj.field.type, np.eye(4)[None])
            for number, obj in enumerate(objects)
        }
        self.may_change = bool(self._changing)

    def look(self, object_of: Callable[[int], bpy.types.Object], depsgraph: bpy.types.Depsgraph, frame: int) -> None:
        """Take them as they are at a further frame.

        Args:
            object_of: an object by its ``session_uid``.
            depsgraph: evaluated at the frame.
            frame: for messages.
        """
        for uid in self._changing:
            obj = object_of(uid)
            self._matrices[uid].append(_place(obj, depsgraph, frame))
            self._values[uid].append(field_values(obj.field, self._first[uid].kind, self._unit_scale))

    def forces(self) -> tuple[Force, ...]:
        """All of them, with the values of the first frame."""
        metres = np.diag([self._unit_scale] * 3 + [1.0])
        return tuple(
            replace(force, transforms=metres @ _still(self._matrices[uid]), **_arguments(self._values[uid][0]))
            for uid, force in self._first.items()
        )

    def tracks(self) -> tuple[Track, ...]:
        """One for each number that has changed."""
        tracks = []
        for uid in self._changing:
            for name in _FOLLOWED:
                values = np.array([row[name] for row in self._values[uid]], np.float64)
                if (values != values[0]).any():
                    tracks.append(Track(self._first[uid].identifier, name, values))
        return tuple(tracks)

    def of_body(self, object_uid: int, chosen: frozenset[int] | None) -> tuple[str, ...] | None:
        """Identifiers of the fields that act on a body, None for all: those chosen, without the one that it has.

        Args:
            object_uid: ``session_uid`` of the body's object.
            chosen: those of the objects whose fields may act; None for all.
        """
        if chosen is None and object_uid not in self._first:
            return None
        allowed = [uid for uid in self._first if uid != object_uid and (chosen is None or uid in chosen)]
        return tuple(self._first[uid].identifier for uid in allowed)


def may_change(obj: bpy.types.Object) -> bool:
    """Whether an object has a field that may differ from frame to frame: its place, or whether and how it acts."""
    return obj.field is not None and (has_animation(obj) or may_move(obj))


def chosen_fields(obj: bpy.types.Object) -> frozenset[int] | None:
    """``session_uid`` of the objects whose fields may act on a body, as its collection tells; None for all."""
    collection = obj.xpbd.force_collection
    return None if collection is None else frozenset(member.session_uid for member in collection.all_objects)


def field_values(field: bpy.types.FieldSettings, kind: str, unit_scale: float) -> Mapping[str, Value]:
    """A field as ``scene.force`` has it, in its own unit of length; of the ``kind`` that it has at the first frame.

    What Blender's panel calls linear and quadratic drag are the other way round in what it computes.
    """
    is_drag = kind == "DRAG"
    damping = field.harmonic_damping if kind == "HARMONIC" else 0.0
    return {
        "strength": _clipped("strength", field.linear_drag if is_drag else field.strength),
        "damping": _clipped("damping", field.quadratic_drag if is_drag else damping),
        "flow": _clipped("flow", field.flow),
        "wind_factor": _clipped("wind_factor", field.wind_factor),
        "noise": _clipped("noise", field.noise),
        "seed": max(int(field.seed), 0),
        "size": _clipped("size", field.size),
        "rest_length": _clipped("rest_length", field.rest_length if kind == "HARMONIC" else 0.0),
        "shape": field.shape,
        "side": field.z_direction,
        "falloff_kind": field.falloff_type,
        "falloff": _clipped("falloff", field.falloff_power),
        "minimum_distance": _clipped("minimum_distance", field.distance_min if field.use_min_distance else 0.0),
        "maximum_distance": max(field.distance_max, _LEAST_END) if field.use_max_distance else 0.0,
        "radial_falloff": _clipped("radial_falloff", field.radial_falloff),
        "minimum_radius": _clipped("minimum_radius", field.radial_min if field.use_radial_min else 0.0),
        "maximum_radius": max(field.radial_max, _LEAST_END) if field.use_radial_max else 0.0,
        "inverse_square": bool(field.use_gravity_falloff),
        "is_global": bool(field.use_global_coords),
        "length_unit": float(unit_scale),
    }


def _place(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, frame: int | None = None) -> Floats:
    """Where a field is and how it is turned; as in Blender its scale is nothing to it.

    But for one: on a Z axis that is scaled to 0 Blender finds no direction, and so do we.
    """
    matrix = finite_matrix(obj, depsgraph, frame)
    lengths = np.linalg.norm(matrix[:3, :3], axis=0)
    matrix[:3, :3] /= np.where(lengths > 0.0, lengths, 1.0)
    return matrix


def _clipped(name: str, value: float) -> float:
    parameter = _PARAMETERS[name]
    return float(min(max(value, parameter.minimum), parameter.maximum))


def _arguments(values: Mapping[str, Value]) -> dict[str, Any]:
    return dict(values)


def _still(rows: list[Floats]) -> Floats:
    matrices = np.stack(rows)
    return matrices[:1] if (matrices == matrices[0]).all() else matrices


def _animated(obj: bpy.types.Object) -> frozenset[str]:
    return frozenset(path.removeprefix(_PREFIX) for path in animated_paths(obj) if path.startswith(_PREFIX))


def _is_wind(obj: bpy.types.Object) -> bool:
    return obj.field.wind_factor > 0.0 or "wind_factor" in _animated(obj)


def _turns_alone(obj: bpy.types.Object) -> bool:
    """Whether a field shall only turn what it acts on; Blender's own cloth is not turned by it either."""
    if not (_has_strength(obj) and is_understood(obj)):
        return False
    acts_otherwise = obj.field.apply_to_location or "apply_to_location" in _animated(obj)
    return bool(obj.field.apply_to_rotation) and not acts_otherwise


def _is_missed_by_wind(obj: bpy.types.Object) -> bool:
    if not is_body(obj) or body_kind(obj.xpbd.role).stands_in_air:
        return False
    return obj.xpbd.damping == 0.0 and "xpbd.damping" not in animated_paths(obj)


def _has_particle_field(obj: bpy.types.Object) -> bool:
    settings = (system.settings for system in getattr(obj, "particle_systems", ()))
    fields = (field for one in settings for field in (one.force_field_1, one.force_field_2))
    return any(field is not None and field.type != "NONE" for field in fields)
