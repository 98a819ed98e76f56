# SPDX-License-Identifier: GPL-3.0-or-later
"""What acts on bodies from outside besides gravity: force fields, air, and pushes of their own, substep by substep.

Fields and what a body takes of them are sampled at frames and go evenly from one frame to the next. Of each substep
they are those at its start, where the positions are by which they are evaluated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ...forces import FORCES
from ...forces.tables import (
    ACTS_DRAG,
    ACTS_FIELD,
    ACTS_FORCE,
    ACTS_LIFT,
    ACTS_PUSH,
    ACTS_WEIGHT,
    ACTS_WIDTH,
    FIELD_AXIS,
    FIELD_INTS,
    FIELD_NOISE_ORIGIN,
    FIELD_ORIGIN,
    FIELD_UNIT,
    FIELD_WIDTH,
)
from ...scene.body import Body
from ...scene.force import FALLOFF_KINDS, FORCE_SHAPES, FORCE_SIDES, Force
from ...scene.parameter import Choice
from ...scene.parameters.external_parameters import PUSH
from ...scene.scene import Scene
from ...scene.transforms import at_frame
from . import drag
from .frame_slice import WHOLE, FrameSlice
from .tracks import Tracks, moves_air

Item = TypeVar("Item", Body, Force)
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

KINDS = tuple(kind.name for kind in FORCES)
# columns of a field from FIELD_UNIT on, by the names of ``scene.force``
_COLUMNS = (
    "length_unit",
    "strength",
    "damping",
    "flow",
    "wind_factor",
    "noise",
    "size",
    "rest_length",
    "falloff",
    "minimum_distance",
    "maximum_distance",
    "radial_falloff",
    "minimum_radius",
    "maximum_radius",
)
# of these 0 stands for no end, which is so far off that what goes to it from an end has none at once
_ENDS = frozenset({"maximum_distance", "maximum_radius"})
_NO_END = 1e9
# a vortex is around its axis, also where it is said to be that of a plane
_MEANT = {("VORTEX", "PLANE"): "LINE"}
# of 31 bits, so that seeds of neighbouring frames differ in all of them
_MIXER = 0x9E3779B1


@dataclass(frozen=True)
class ExternalForces:
    """The fields of a scene and what its bodies take of them.

    Attributes:
        scene: with its bodies and fields.
        tracks: that move their parameters.
        origin: of the system [m], shape (3,).
    """

    scene: Scene
    tracks: Tracks
    origin: Floats

    @property
    def kinds(self) -> int:
        """Mask of the kinds of fields that there are."""
        return sum(1 << number for number in {KINDS.index(force.kind) for force in self.scene.forces})

    @property
    def has_air(self) -> bool:
        """Whether there is air that may move."""
        return self.scene.air_density > 0.0 and any(moves_air(force, self.tracks) for force in self.scene.forces)

    def __bool__(self) -> bool:
        return (
            bool(self.scene.forces)
            or self.scene.attraction != 0.0
            or any(self._is_pushed(body) for body in self.scene.bodies)
        )

    def pushes(self, frame_index: int) -> Floats:
        """By what pushes of their own accelerate bodies at a frame [m/s²], shape (bodies, 3)."""
        rows = [[self._at(body, name, frame_index) for name in PUSH] for body in self.scene.bodies]
        return np.array(rows, np.float64).reshape(-1, 3)

    def field_ints(self, frame_index: int) -> Ints:
        """Whole numbers of the fields, shape (fields, ``FIELD_INTS``); of noise the seed is that of a frame."""
        rows = np.zeros((len(self.scene.forces), FIELD_INTS), np.int32)
        for row, force in zip(rows, self.scene.forces, strict=True):
            shape = _MEANT.get((force.kind, force.shape), force.shape)
            row[:] = (
                KINDS.index(force.kind),
                _number(FORCE_SHAPES, shape),
                _number(FALLOFF_KINDS, force.falloff_kind),
                _number(FORCE_SIDES, force.side),
                force.inverse_square,
                (force.seed + frame_index * _MIXER) & 0x7FFFFFFF,
                force.seed,
            )
        return rows

    def field_floats(self, frame_index: int, frame_slice: FrameSlice = WHOLE) -> Floats:
        """The fields in each substep of a slice of a frame, shape (substeps, fields, ``FIELD_WIDTH``)."""
        if not self.scene.forces:
            return np.zeros((self.scene.settings.substeps, 0, FIELD_WIDTH))
        rows = [self._mixed(self._field, force, frame_index, frame_slice) for force in self.scene.forces]
        fields = np.stack(rows, axis=1)
        axes = fields[:, :, FIELD_AXIS : FIELD_AXIS + 3]
        axes /= np.maximum(np.linalg.norm(axes, axis=2, keepdims=True), 1e-12)
        return fields

    def field_weights(self) -> Floats:
        """1 where a field may act on a body, shape (bodies, fields)."""
        acts = [[body.fields is None or force.identifier in body.fields for force in self.scene.forces]
                for body in self.scene.bodies]  # fmt: skip
        return np.array(acts, np.float64).reshape(len(self.scene.bodies), -1)

    def acts(self, frame_index: int, frame_slice: FrameSlice = WHOLE) -> Floats:
        """What acts on bodies in each substep of a slice of a frame, shape (substeps, bodies, ``ACTS_WIDTH``).

        The first velocity is that of a moment, and all others are means over a substep, see ``speed_changes``. So in
        the very first substep forces act for half of it. BDF2 takes two thirds of each, but for the first, and for that
        of a frame in slices: it goes on from a velocity that no field has changed (``SliceSteps.rescale``).
        """
        rows = [self._mixed(self._body, body, frame_index, frame_slice) for body in self.scene.bodies]
        acts = np.stack(rows, axis=1)
        is_bdf2 = self.scene.settings.time_integration == "BDF2"
        h = self.scene.frames.frame_duration / (self.scene.settings.substeps * frame_slice.of)
        z = h * np.array([self._at(body, "damping", frame_index) for body in self.scene.bodies])
        share, response = (2.0 / 3.0 if is_bdf2 else 1.0), drag.response(z, is_bdf2=is_bdf2)
        acts[:, :, ACTS_FORCE] = share * h
        acts[:, :, ACTS_FIELD] = share * h * response
        if frame_slice.number == 0 and (frame_index == 0 or (is_bdf2 and frame_slice.of > 1)):
            # BDF2 looks back to a velocity that no field has changed yet
            begin = np.ones_like(z) if is_bdf2 else drag.fall(z) / response
            acts[0, :, ACTS_FORCE] = h * begin
            acts[0, :, ACTS_FIELD] = h * begin * response
        return acts

    def _mixed(
        self, values: Callable[[Item, int], Floats], item: Item, frame_index: int, frame_slice: FrameSlice
    ) -> Floats:
        """Values of a frame and the next, mixed to the starts of the substeps of a slice."""
        begin, end = values(item, frame_index), values(item, frame_index + 1)
        times = frame_slice.times(self.scene.settings.substeps)[:-1, None]
        return begin + times * (end - begin)

    def _field(self, force: Force, frame_index: int) -> Floats:
        """The numbers of a field at a frame, shape (``FIELD_WIDTH``,)."""
        row = np.zeros(FIELD_WIDTH)
        matrix = at_frame(force.transforms, frame_index)
        length = np.linalg.norm(matrix[:3, 2])
        axis = matrix[:3, 2] / (length if length > 0.0 else 1.0)
        row[FIELD_ORIGIN : FIELD_ORIGIN + 3] = matrix[:3, 3] - self.origin
        row[FIELD_AXIS : FIELD_AXIS + 3] = axis
        # beside the origin, as in Blender
        noise_origin = (
            -self.origin if force.is_global else row[FIELD_ORIGIN : FIELD_ORIGIN + 3] - force.length_unit * axis
        )
        row[FIELD_NOISE_ORIGIN : FIELD_NOISE_ORIGIN + 3] = noise_origin
        for column, name in enumerate(_COLUMNS, FIELD_UNIT):
            value = self.tracks.at(force.identifier, name, getattr(force, name), frame_index)
            row[column] = _NO_END if name in _ENDS and value == 0.0 else value
        return row

    def _body(self, body: Body, frame_index: int) -> Floats:
        """What a body takes at a frame, shape (``ACTS_WIDTH``,), without durations."""
        row = np.zeros(ACTS_WIDTH)
        row[ACTS_WEIGHT] = self._at(body, "force_weight", frame_index)
        row[ACTS_PUSH : ACTS_PUSH + 3] = [self._at(body, name, frame_index) for name in PUSH]
        winds = [force.identifier for force in self.scene.forces if moves_air(force, self.tracks)]
        if winds and (body.fields is None or not set(winds).isdisjoint(body.fields)):
            half = 0.5 * self.scene.air_density
            row[ACTS_DRAG], row[ACTS_LIFT] = (
                half * self._at(body, name, frame_index) for name in ("air_drag", "air_lift")
            )
        return row

    def _at(self, body: Body, name: str, frame_index: int) -> float:
        return self.tracks.at(body.identifier, name, getattr(body.material, name), frame_index)

    def _is_pushed(self, body: Body) -> bool:
        return any(getattr(body.material, name) or (body.identifier, name) in self.tracks.values for name in PUSH)


def _number(choices: tuple[Choice, ...], identifier: str) -> int:
    return [choice.identifier for choice in choices].index(identifier)
