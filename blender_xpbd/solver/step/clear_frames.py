# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames in which nothing comes near anything, without the stages of contact between bodies.

Such a frame is simulated as if bodies could not touch, and then it is proved that none did, see ``clear_functions``.
The proof takes a search for a frame, or for some substeps where particles leave their straight ways, instead of one in
each. Where it fails, the frame is done again with contact. Whether a frame is tried depends on what a checkpoint holds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import taichi as ti

from ...contacts.search.pair_search import PairSearch
from ...device.arrays import make_array, make_zeros, read_array, write_array
from ...device.launch import launch
from ...device.packs import arrays_by_name
from ...device.runtime import real_type
from ...geometry.edges import edge_lengths
from ..order.stages import clear_stages
from ..system.contact_objects import ContactObjects
from .clear_kernels import check_pairs, open_window
from .packs import Order
from .plan import Plan
from .team_path import simulate_stages

# substeps whose places are noted, then it is proved that they stayed clear: at most, and at least where there are many
# particles; and how many places are noted otherwise at most, of 16 bytes each. Chosen by hand
MOST_NOTED, LEAST_NOTED, MOST_PLACES = 20, 5, 1_000_000
# how far particles may leave their straight way, as a share of the mean edge of a surface that meets itself: then what
# begins and ends in a cone of normals does not leave it by more than about 36° in between
MOST_BENT = 0.25
# pairs that a search may list per surface point; where there are more, half the substeps are proved at a time. Chosen
# by hand
MOST_PAIRS = 1.0
# ... and at least
FEWEST_PAIRS = 1000
# frames until the next trial after one that has failed, at most: they double from trial to trial. Chosen by hand
LONGEST_WAIT = 16.0
# columns of what outlives a frame: whether the last one stayed clear; frames until the next trial; and after that one,
# should it fail
WAS_CLEAR, WAIT, NEXT_WAIT = range(3)


class ClearFrames:
    """Tries whether frames stay clear.

    Attributes:
        memory: on the device, part of a checkpoint; columns above, shape (3,).
        most_noted: substeps that are simulated before it is proved that they stayed clear, at most.
    """

    def __init__(self, objects: ContactObjects, search: PairSearch, plan: Plan) -> None:
        """Prepare the stages.

        Args:
            objects: that may touch.
            search: for pairs.
            plan: how the system runs.
        """
        self._search, self._embeds = search, objects.embeds
        self.memory = make_array(np.array([0.0, 0.0, 1.0]), ti.f32)
        self._stages = clear_stages(plan.state.stages, plan.system.schedule.parts.count)
        stages = make_array(np.array(self._stages, np.int32), ti.i32)
        self._order = Order(**(arrays_by_name(plan.state.order) | {"stages": stages}))
        self._substeps = plan.system.scene.settings.substeps
        fits = max(MOST_PLACES // len(plan.system.positions), LEAST_NOTED)
        self.most_noted = min(MOST_NOTED, fits, self._substeps)
        self._most_bent = make_array(MOST_BENT * _mean_edges(objects), real_type())
        self._most_pairs = max(FEWEST_PAIRS, int(MOST_PAIRS * len(objects.elements)))
        self._answer = make_zeros((2,), ti.i32)

    @property
    def was_clear(self) -> bool:
        """Whether the frame before stayed clear."""
        return bool(read_array(self.memory)[WAS_CLEAR])

    @property
    def is_due(self) -> bool:
        """Whether the next frame is to be tried."""
        return not read_array(self.memory)[WAIT]

    def note_clear(self) -> None:
        """A frame stayed clear."""
        write_array(self.memory, np.array([1.0, 0.0, 1.0]))

    def note_failure(self) -> None:
        """A frame was tried and did not; it will be simulated with contact."""
        wait = read_array(self.memory)[NEXT_WAIT]
        # that frame counts as the first one
        write_array(self.memory, np.array([0.0, wait + 1.0, min(2.0 * wait, LONGEST_WAIT)]))

    def note_contact(self, is_pushed: bool) -> None:
        """A frame was simulated with contact; where it ``is_pushed``, another one like it is expected."""
        _, wait, following = read_array(self.memory)
        write_array(self.memory, np.array([0.0, max(wait - 1.0, float(is_pushed)), following]))

    def simulate(self, plan: Plan, first: int, team_size: int) -> int:
        """Simulate substeps as if nothing touched; returns how many."""
        count, stages = min(self.most_noted, self._substeps - first), len(self._stages)
        state = replace(plan.state, order=self._order, stages=self._stages)
        plan = replace(plan, state=state)
        simulate_stages(plan, stages * first, stages * (first + count), self._substeps, team_size)
        return count

    def list_few(self, pairs: Any, first: int, last: int, team_size: int) -> tuple[Any, int] | None:
        """List the pairs that may have come near from one note to a later one, as ``PairSearch.search_few`` does.

        None where they are many, or where particles leave their straight ways too far; never for a single substep that
        lists few.
        """
        launch(open_window, pairs, self._most_bent, self._answer, first, last)
        if read_array(self._answer)[0]:
            return None
        return self._search.search_few(self._most_pairs, team_size)

    def stayed_clear(self, plan: Plan, count: int, first: int, last: int) -> bool:
        """Whether the first ``count`` listed pairs did not come near from one note to a later one."""
        packs = plan.state.particles, plan.state.world.pairs
        launch(check_pairs, *packs, self._answer, count, first, last, self._embeds)
        return bool(read_array(self._answer)[1])


def _mean_edges(objects: ContactObjects) -> npt.NDArray[np.float64]:
    """Mean length of the edges of each object that meets itself [m], shape (objects,); a mile for others."""
    surfaces = objects.surfaces
    result = np.full(surfaces.object_count, 1e30)
    for number in np.flatnonzero(surfaces.sees.diagonal()):
        edges = surfaces.edges[slice(*surfaces.edge_starts[number : number + 2])]
        if len(edges):
            result[number] = edge_lengths(surfaces.rest, edges).mean()
    return result
