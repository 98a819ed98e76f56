# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters that are changed while a run is played: materials, and gravity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import bpy

from ...scene.errors import XpbdError
from ...scene.material import Material
from ...scene.parameter import Value
from ...scene.play import Changes, Vector
from ..baking.scene_reader import Reading
from ..data.data_lookup import object_by_uid
from ..data.properties import material_values
from ..reading.feel import felt, felt_length, length_of
from ..reading.parameter_tracks import gravity_of

# in which what is round would grow from nothing to its radius [s], as grains do that start inside each other: wider all
# at once, what touches would be thrown apart
_GROWING_SECONDS = 1.0


class LiveParameters:
    """Tells what is other than when the scene was read; asked once for each frame, for a wider radius comes slowly."""

    def __init__(self, scene: bpy.types.Scene, reading: Reading, unit_scale: float) -> None:
        """Note what there is."""
        self._unit_scale = unit_scale
        self._uids = {
            body.identifier: target.object_uid
            for body, target in zip(reading.scene.bodies, reading.targets, strict=True)
        }
        self._lengths = {body.identifier: length_of(body.positions, body.axes) for body in reading.scene.bodies}
        self._before = {identifier: self._values(identifier) for identifier in self._uids}
        self._growth = reading.scene.frames.frame_duration / _GROWING_SECONDS
        self.begin_again()
        self._gravity = self._gravity_of(scene)

    def begin_again(self) -> None:
        """All is as it was noted, whatever was told since."""
        self._radii = {name: float(values["radius"]) for name, values in self._before.items() if values is not None}

    def changes(self, scene: bpy.types.Scene, substeps: int) -> Changes:
        """What is other now.

        Args:
            scene: as it is.
            substeps: of the run; 0 for those that it began with.
        """
        materials: dict[str, Mapping[str, Value]] = {}
        for identifier, before in self._before.items():
            values = self._values(identifier)
            if values is None:
                continue
            values = self._grown(identifier, values)
            if values != before:
                materials[identifier] = values
        gravity = self._gravity_of(scene)
        return Changes(substeps, None if gravity == self._gravity else gravity, materials)

    def _grown(self, identifier: str, values: Mapping[str, Value]) -> Mapping[str, Value]:
        """The values with as much of their radius as is reached in the next frame."""
        wanted = float(values["radius"])
        last = self._radii.get(identifier, wanted)
        self._radii[identifier] = radius = min(wanted, last + wanted * self._growth)
        return values if radius == wanted else {**values, "radius": radius}

    def _values(self, identifier: str) -> Mapping[str, Value] | None:
        """The material of a body; None where it is gone, or none that could be simulated."""
        obj = object_by_uid(self._uids[identifier])
        if obj is None:
            return None
        try:
            material = Material.from_values(material_values(obj.xpbd, self._unit_scale), obj.name)
        except XpbdError:
            # typed half: the run goes on with what it was
            return None
        return felt(material, self._lengths[identifier], felt_length(obj.xpbd, self._unit_scale)).values()

    def _gravity_of(self, scene: Any) -> Vector:
        x, y, z = (float(value) * self._unit_scale for value in gravity_of(scene))
        return x, y, z
