# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings the parameters on the device to what their tracks say at a frame.

What is there depends on the frame alone, not on the frames before: a bake that goes on from a checkpoint gives the same
bytes.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...constraints.scaling import Scaling
from ...device.arrays import edited_array
from ..order.level_tables import level_stiffness
from ..system.body_gravity import particle_gravities
from ..system.colliders import ColliderSet
from ..system.plasticity import yield_table
from ..system.system import System, drag_share
from .state import State, body_table
from .uploads import Uploads


class TrackPlayer:
    """Applies the tracks of a system to its state; what has not changed is left alone."""

    def __init__(self, system: System, state: State, colliders: ColliderSet, uploads: Uploads) -> None:
        """The state is as it was built, see ``tracks.build_value``."""
        self._system, self._state, self._colliders, self._uploads = system, state, colliders, uploads
        self._factors: dict[tuple[str, int], float] = {}

    def play(self, frame_index: int) -> None:
        """Write the values of a frame, counted from the start.

        Raises:
            XpbdError: E_NONFINITE.
        """
        system = self._system
        grains = system.grains
        if grains.growth:
            seconds = frame_index * system.scene.frames.frame_duration
            self._uploads.write("world.pairs.grain_radii", grains.radii * grains.growth.at(seconds))
        if not system.tracks:
            return
        gravities = np.pad(particle_gravities(system, frame_index), ((0, 0), (0, 1)))
        self._uploads.write("particles.gravity", gravities)
        self._uploads.write("particles.bodies", body_table(system, frame_index))
        self._uploads.write("world.pairs.grain_rules", system.grains.rules(system.tracks, frame_index))
        self._uploads.write("colliders.floats", self._collider_table(frame_index))
        limits = yield_table([model.body for model in system.models], system.tracks, frame_index)
        self._uploads.write("constraints.flow_limits", limits)
        self.share_levels(frame_index, 1)
        self._scale_columns(frame_index)
        for number in range(len(system.models)):
            self._scale_particles(number, frame_index)
            self._scale_masses(number, frame_index)

    def _collider_table(self, frame_index: int) -> npt.NDArray[np.float32]:
        """Friction and restitution, as in ``ColliderSet.floats``."""
        table = self._colliders.floats.copy()
        for row, collider in enumerate(self._system.scene.colliders):
            for column, name in enumerate(("friction", "restitution")):
                table[row, column] = self._system.tracks.at(
                    collider.identifier, name, getattr(collider, name), frame_index
                )
        return table

    def share_levels(self, frame_index: int, slices: int) -> None:
        """Write what coarse levels correct in a substep of a frame that is divided into slices."""
        factors = [
            1.0 if model.hierarchy is None else self._factor(number, model.hierarchy.law, frame_index)
            for number, model in enumerate(self._system.models)
        ]
        stiffness = level_stiffness(self._system.models, self._system.scene, factors, slices)
        self._uploads.write("levels.stiffness", stiffness)

    def _scale_columns(self, frame_index: int) -> None:
        """Columns of constraints."""
        system = self._system
        factors = {number: column.factor(frame_index) for number, column in enumerate(system.columns)}
        changed = [number for number, factor in factors.items() if self._is_new("column", number, factor)]
        if changed:
            with edited_array(self._state.constraints.parameters) as parameters:
                for number in changed:
                    system.columns[number].write(parameters, system.schedule.parameters, factors[number])

    def _scale_particles(self, number: int, frame_index: int) -> None:
        """Damping times of the particles of a body."""
        factor = self._factor(number, Scaling("damping_time", 3, 1.0), frame_index)
        if self._is_new("damping_time", number, factor):
            mine = slice(*self._system.starts[number : number + 2])
            with edited_array(self._state.particles.previous_positions) as particles:
                particles[mine, 3] = self._system.damping_times[mine] * factor

    def _scale_masses(self, number: int, frame_index: int) -> None:
        """Inverse masses of a body whose drag changes; in each frame, as a checkpoint has those of another one."""
        system, body = self._system, self._system.models[number].body
        built = body.material.damping
        rate = system.tracks.at(body.identifier, "damping", built, frame_index)
        if (body.identifier, "damping") in system.tracks.values:
            mine = slice(*system.starts[number : number + 2])
            share = drag_share(system.scene, body, rate) / drag_share(system.scene, body, built)
            with edited_array(self._state.particles.positions) as particles:
                particles[mine, 3] = system.inverse_masses[mine] * share

    def _factor(self, number: int, law: Scaling, frame_index: int) -> float:
        """On a value of a body, 1 where no track moves it."""
        body = self._system.models[number].body
        followed = self._system.tracks.law(body.identifier, law, getattr(body.material, law.value))
        return 1.0 if followed is None else followed.factor(frame_index)

    def _is_new(self, what: str, number: int, factor: float) -> bool:
        """Whether a factor differs from the one that the state has; from now on it has this one."""
        if self._factors.get((what, number), 1.0) == factor:
            return False
        self._factors[what, number] = factor
        return True
