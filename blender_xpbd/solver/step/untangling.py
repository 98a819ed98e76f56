# SPDX-License-Identifier: GPL-3.0-or-later
"""Substeps that begin tangled: in these that is taken apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ...contacts.pairs.patches import tangles
from ...contacts.pairs.untangle import TANGLED_CLEARANCE, Carriers, taken_back, tangled_pairs, untangling_velocities
from ...contacts.search.crossings import crossings
from ...contacts.search.pair_search import PairList
from ...device.arrays import read_array, write_array
from ..system.contact_objects import ContactObjects

Floats = npt.NDArray[np.float64]


class Untangling:
    """What is tangled at the start of a substep.

    Attributes:
        is_needed: whether anything is.
    """

    def __init__(
        self, objects: ContactObjects, outside: npt.NDArray[np.int32], particles: Any, h: float, frame: float
    ) -> None:
        """Look for what is tangled.

        Args:
            objects: whose surfaces may touch.
            outside: as in ``contacts.pairs.untangle``.
            particles: the pack, as it is when the substep begins.
            h: duration of a substep [s].
            frame: duration of a frame [s].
        """
        surfaces, self._particles = objects.surfaces, particles
        rows = read_array(particles.positions).astype(np.float64)
        points = objects.points(rows[:, :3])
        self._tied = tangles(surfaces, crossings(surfaces, points), points, objects.solids)
        self.is_needed = len(self._tied) > 0
        carriers = Carriers(objects.elements, objects.weights, rows[:, 3], objects.particle_ranges)
        self._added = untangling_velocities(surfaces, self._tied, points, carriers, outside, h, frame)

    def begin(self) -> None:
        """Add the speeds of the pushes, before the substep begins."""
        velocities = read_array(self._particles.velocities)
        velocities[:, :3] += self._added
        write_array(self._particles.velocities, velocities)

    def leave_out(self, listed: PairList) -> None:
        """Take the pairs that stand in the way out of those that were found."""
        ints, clearances = read_array(listed.pairs.pair_ints), read_array(listed.pairs.pair_clearances)
        is_tangled = tangled_pairs(self._tied, ints[: listed.count])
        clearances[: listed.count][is_tangled] = TANGLED_CLEARANCE
        write_array(listed.pairs.pair_clearances, clearances)

    def end(self) -> None:
        """Take back what is left of the pushes' speeds."""
        velocities = read_array(self._particles.velocities)
        velocities[:, :3] = taken_back(velocities[:, :3].astype(np.float64), self._added)
        write_array(self._particles.velocities, velocities)
