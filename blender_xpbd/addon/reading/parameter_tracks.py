# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyed and driven parameters as tracks: a value for each frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import bpy
import numpy as np

from ...scene.parameters.material_parameters import COLLIDER
from ...scene.presets import preset_values
from ...scene.track import SCENE_TARGET, Track, animatable_of
from ..data.properties import fits_role, material_values
from .motion import animated_paths

_PREFIX = "xpbd."
_GRAVITY = ("gravity_x", "gravity_y", "gravity_z")


def animated_settings(data: bpy.types.ID) -> frozenset[str]:
    """Names of our own settings that something animates."""
    return frozenset(path.removeprefix(_PREFIX) for path in animated_paths(data) if path.startswith(_PREFIX))


def followed_settings(obj: bpy.types.Object) -> frozenset[str]:
    """Those of an object's animated settings that a bake follows; what a preset sets is not read from them."""
    settings = obj.xpbd
    known = animatable_of(settings.role)
    is_set = settings.role != COLLIDER and fits_role(settings.preset, settings.role)
    named = preset_values(settings.preset, settings.role) if is_set else {}
    return frozenset(name for name in animated_settings(obj) if name in known and name not in named)


def gravity_of(scene: bpy.types.Scene) -> tuple[float, ...]:
    """In Blender units per square second."""
    return tuple(scene.gravity) if scene.use_gravity else (0.0, 0.0, 0.0)


class ParameterTracks:
    """What is animated of objects and of gravity, noted frame by frame."""

    def __init__(self, scene: bpy.types.Scene, objects: Iterable[bpy.types.Object], unit_scale: float) -> None:
        """Take the values of the first frame.

        Args:
            scene: its gravity is followed.
            objects: bodies and colliders.
            unit_scale: metres per Blender unit.
        """
        self._unit_scale = unit_scale
        self._names = {obj.session_uid: names for obj in objects if (names := followed_settings(obj))}
        self._values: dict[tuple[int, str], list[float]] = {}
        self._has_gravity = bool(animated_paths(scene) & {"gravity", "use_gravity"})
        self._gravities: list[tuple[float, ...]] = []
        by_uid = {obj.session_uid: obj for obj in objects}
        self.note(scene, by_uid.__getitem__)

    def __bool__(self) -> bool:
        return self._has_gravity or bool(self._names)

    def note(self, scene: bpy.types.Scene, object_of: Callable[[int], bpy.types.Object]) -> None:
        """Take the values of the frame that the scene is at.

        Args:
            scene: that is baked.
            object_of: an object by its ``session_uid``.
        """
        if self._has_gravity:
            self._gravities.append(gravity_of(scene))
        for uid, names in self._names.items():
            settings = object_of(uid).xpbd
            values = None if settings.role == COLLIDER else material_values(settings, self._unit_scale)
            for name in names:
                value = getattr(settings, name) if values is None else values[name]
                self._values.setdefault((uid, name), []).append(float(value))

    def of_name(self, name: str) -> frozenset[int]:
        """The objects, by their ``session_uid``, of which something animates a parameter."""
        return frozenset(uid for uid, names in self._names.items() if name in names)

    def tracks(self, identifiers: Mapping[int, str]) -> tuple[Track, ...]:
        """One for each parameter that has changed.

        Args:
            identifiers: of the objects in the job, by their ``session_uid``.
        """
        columns = [(identifiers[uid], name, np.array(values)) for (uid, name), values in self._values.items()]
        if self._has_gravity:
            gravity = self._unit_scale * np.array(self._gravities, np.float64)
            columns += [(SCENE_TARGET, name, gravity[:, axis]) for axis, name in enumerate(_GRAVITY)]
        return tuple(Track(*column) for column in columns if (column[2] != column[2][0]).any())
