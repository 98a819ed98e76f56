# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings what goes by the duration of a substep to that of a slice of a frame, and back."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...constraints import CONSTRAINTS
from ...constraints.bending.plate_bending import PLATE_BENDING
from ...constraints.constraint import BDF2, BDF2_STEP, FORCED, WARM
from ...device.arrays import edited_array, read_array, write_array
from ..system.mode import static_mode
from ..system.system import System
from .state import State
from .track_player import TrackPlayer

Floats = npt.NDArray[np.float64]


class SliceSteps:
    """How long substeps are on the device; between frames as long as those of a whole frame.

    Two things stay as they were built for these: what drag takes from the masses, and how far a bend spreads through a
    plate within a substep.
    """

    def __init__(self, system: System, state: State, tracks: TrackPlayer) -> None:
        """The state is as it was built."""
        self._state, self._tracks, self._mode = state, tracks, static_mode(system)
        self._duration = system.scene.frames.frame_duration / system.scene.settings.substeps
        self._count = 1
        table = read_array(state.constraints.table)
        self._rows = dict(zip(CONSTRAINTS, table.tolist(), strict=True))
        count, _, first, *_ = self._rows[PLATE_BENDING]
        self._plates = slice(first, first + count)
        self._whole_plates = np.zeros(count, np.float32)

    def set(self, count: int, frame_index: int) -> None:
        """Let substeps be those of frames in so many slices.

        Args:
            count: slices; 1 for a whole frame.
            frame_index: of the frame, counted from the start.
        """
        if count == self._count:
            return
        write_array(self._state.order.duration, np.array([self._duration / count]))
        self._tracks.share_levels(frame_index, count)
        if len(self._whole_plates):
            with edited_array(self._state.constraints.parameters) as parameters:
                if self._count == 1:
                    self._whole_plates = parameters[self._plates].copy()
                # the factor of a plate holds the square of the duration
                parameters[self._plates] = self._whole_plates * float(count * count)
        self._count = count

    def rescale(self, ratio: float) -> None:
        """Let what is kept from the substep before be that of a substep which takes ``ratio`` times as long.

        What forces did in it goes by the square. BDF2 goes on as after a step of Euler's.
        """
        particles = self._state.particles
        if self._mode & WARM:
            with edited_array(particles.corrections) as corrections:
                corrections *= ratio * ratio
            with edited_array(self._state.constraints.lagrange_multipliers) as multipliers:
                for kind, (count, _, _, first, _) in self._rows.items():
                    if kind.warm_start is not None:
                        width = kind.slots(self._mode)
                        rows = multipliers[first : first + count * width].reshape(count, width)
                        rows[:, : kind.memory_slot] *= ratio * ratio
        if self._mode & BDF2:
            self._forget_history(self._duration / self._count, ratio)

    def mend_falls(self, shares: Floats, gravity: Floats, longer: float) -> None:
        """Let what falls go on as exactly as in substeps of one duration.

        Args:
            shares: of gravity that particles follow, as ``falls.Falls`` tells.
            gravity: of the frame that is over, as ``falls.Falls.gravity`` tells [m/s²], shape (particles, 3).
            longer: by how much the substep before was longer than those to come, as a share of a whole frame's substep.
        """
        with edited_array(self._state.particles.velocities) as velocities:
            velocities[:, :3] += (0.5 * longer * self._duration) * shares[:, None] * gravity

    def _forget_history(self, h: float, ratio: float) -> None:
        """As ``functions.forget_history``, for all particles.

        What else acts from outside counts where the last substep of the frame tells it: before the first slice it is
        not known, and ``ExternalForces.acts`` sees to it.
        """
        particles = self._state.particles
        velocities, change = _vectors(particles.velocities), h * _vectors(particles.gravity)
        if self._mode & FORCED and self._count == 1:
            change = change + _vectors(particles.pushes) * (ratio / BDF2_STEP)
        with edited_array(particles.older_velocities) as older:
            older[:, :3] = velocities - change
        with edited_array(particles.older_positions) as older:
            older[:, :3] = _vectors(particles.positions) - h * velocities


def _vectors(array: object) -> npt.NDArray[np.float64]:
    return read_array(array)[:, :3].astype(np.float64)
