# SPDX-License-Identifier: GPL-3.0-or-later
"""Substeps that begin tangled: in these that is taken apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ...contacts.pairs.patches import Tangle, tangles
from ...contacts.pairs.untangle import (
    TANGLED_CLEARANCE,
    Carriers,
    Way,
    taken_back,
    tangled_pairs,
    untangling_velocities,
)
from ...contacts.search.crossings import CrossingSearch
from ...contacts.search.pair_search import PairList
from ...contacts.search.touching import touching_solids
from ...device.arrays import read_array, write_array
from ...geometry.search.surfaces import Surfaces
from ..system.contact_objects import ContactObjects
from .wrong_sides import WrongSides

Floats = npt.NDArray[np.float64]


class Untangling:
    """What is tangled at the start of a substep.

    Attributes:
        is_needed: whether anything is.
        ways: by which ways it comes apart.
        crossing: numbers of the objects that cross others, or themselves where they are no solids.
        inward: of the solids that cross themselves; they may have been modelled so.
    """

    def __init__(
        self,
        objects: ContactObjects,
        search: CrossingSearch,
        outside: npt.NDArray[np.int32],
        particles: Any,
        passes: Any,
        contact_points: npt.NDArray[np.int32],
        h: float,
        frame: float,
        before: Sequence[Way],
        *,
        beginning: WrongSides | None = None,
    ) -> None:
        """Look for what is tangled.

        Args:
            objects: whose surfaces may touch.
            search: of these surfaces.
            outside: as in ``contacts.pairs.untangle``.
            particles: the pack, as it is when the substep begins.
            passes: of the pack of contacts.
            contact_points: the particles of each, shape (points, 4) or more.
            h: duration of a substep [s].
            frame: duration of a frame [s].
            before: the ways of the substep before.
            beginning: given where a substep is to begin. Then solids count that touch without a gap, as they do where
                they were modelled so, and what is on the wrong side of sharp edges of closed colliders.
        """
        surfaces = beginning.surfaces if beginning else objects.surfaces
        self._particles, self._passing = particles, passes
        rows = read_array(particles.positions).astype(np.float64)
        points = objects.points(rows[:, :3])
        touching = touching_solids(search, objects.surfaces, points, objects.solids) if beginning else ()
        found = beginning.find(points, rows) if beginning else search.find(points)
        self._tied = tangles(surfaces, found, points, objects.solids, touching)
        self.is_needed = len(self._tied) > 0
        self.crossing = frozenset(number for tangle in self._tied if tangle.may_part for number in tangle.objects)
        self.inward = frozenset(tangle.objects[0] for tangle in self._tied if not tangle.may_part)
        carriers = Carriers(objects.elements, objects.weights, rows[:, 3], objects.particle_ranges)
        self._passes = _passes(objects, self._tied, contact_points, len(rows))
        self._added, self.ways = untangling_velocities(
            surfaces, self._tied, points, carriers, outside, h, frame, before
        )

    def begin(self) -> None:
        """Add the speeds of the pushes, before the substep begins; open colliders let through what they hold."""
        write_array(self._passing, self._passes)
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
        """Take back what is left of the pushes' speeds; colliders hold as before."""
        write_array(self._passing, np.zeros_like(self._passes))
        velocities = read_array(self._particles.velocities)
        velocities[:, :3] = taken_back(velocities[:, :3].astype(np.float64), self._added)
        write_array(self._particles.velocities, velocities)


def crossing_at_rest(search: CrossingSearch, surfaces: Surfaces) -> frozenset[int]:
    """The objects that were modelled so that they cross themselves."""
    found = search.find(surfaces.rest)
    owners = surfaces.point_objects
    edges, triangles = owners[surfaces.edges[found[:, 0], 0]], owners[surfaces.triangles[found[:, 1], 0]]
    return frozenset(edges[edges == triangles].tolist())


def _passes(
    objects: ContactObjects, tied: list[Tangle], elements: npt.NDArray[np.int32], particle_count: int
) -> npt.NDArray[np.int32]:
    """The open collider that each contact point is tangled with, its number counted from 1, or 0, shape (points,).

    An open collider holds points on the side on which they are, so it would keep what has come through it.
    """
    of_particles = np.zeros(particle_count, np.int32)
    for tangle in tied:
        body, collider = tangle.objects
        if objects.is_open[collider]:
            carriers = objects.elements[tangle.shares[0] > 0.0, :4]
            first, last = objects.particle_ranges[body]
            mine = carriers[(carriers >= first) & (carriers < last)]
            of_particles[mine] = objects.colliders[collider - objects.body_count] + 1
    result: npt.NDArray[np.int32] = of_particles[elements[:, 0]]
    return result
