# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast what falls begins substeps of another duration.

A velocity of Euler's is the mean over the substep before. What falls has gained ½ g h since then, whatever a substep of
h seconds pulls at it. So it begins one of h' with v + ½ g (h − h') instead of v. What rests has not gained anything. In
between counts how much of gravity a piece has followed, by its mean acceleration. What was hit is not asked about more.
A body's push counts as gravity does. What fields do goes by the place, and is not looked at.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...geometry.components import dense_labels
from ..order.linked_particles import linked_particles
from ..system.body_gravity import particle_gravities
from ..system.external_arrays import push_factors
from ..system.system import System

Floats = npt.NDArray[np.float64]


class Falls:
    """The pieces of a system, each of which falls by its own share of gravity."""

    def __init__(self, system: System) -> None:
        """Find what hangs together."""
        self._system = system
        inverse = system.inverse_masses
        self._masses = np.divide(1.0, inverse, out=np.zeros(len(inverse)), where=inverse > 0.0)
        blocks = [block for block in system.schedule.blocks if block is not None]
        self._pieces, self._count = dense_labels(linked_particles(len(inverse), blocks))

        self._owners = np.repeat(np.arange(len(system.models)), np.diff(system.starts))
        self._push_factors = push_factors(system)[: len(self._owners), None] if system.external else np.zeros((0, 1))

    def gravity(self, frame_index: int) -> Floats:
        """Of a frame, with what pushes bodies [m/s²], shape (particles, 3)."""
        result = particle_gravities(self._system, frame_index)
        if external := self._system.external:
            result[: len(self._owners)] += self._push_factors * external.pushes(frame_index)[self._owners]
        return result

    def shares(self, before: npt.NDArray[np.floating], after: npt.NDArray[np.floating], gained: Floats) -> Floats:
        """How much of gravity each particle's piece has followed, 0 to 1; 0 for what gravity does not move.

        Args:
            before: velocities [m/s], shape (particles, 3 or more).
            after: velocities later on.
            gained: what gravity adds to a speed meanwhile [m/s], shape (particles, 3).
        """
        along = ((after[:, :3].astype(np.float64) - before[:, :3]) * gained).sum(axis=1)
        squares = self._sums(self._masses * (gained**2).sum(axis=1))
        shares = np.clip(self._sums(self._masses * along) / np.maximum(squares, 1e-300), 0.0, 1.0)
        result: Floats = np.where(self._masses > 0.0, shares[self._pieces], 0.0)
        return result

    def _sums(self, values: Floats) -> Floats:
        sums = np.bincount(self._pieces, values, self._count)
        return np.asarray(sums, np.float64)
