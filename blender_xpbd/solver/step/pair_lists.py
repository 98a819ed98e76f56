# SPDX-License-Identifier: GPL-3.0-or-later
"""Stages of a frame with contact, with a search for pairs in the middle of a substep where one is due.

The first stages of a substep bring particles to where they would come if nothing touched. Then the list of pairs must
hold what may touch on the way: else the launch ends there, and a search makes the list anew. The other stages push,
truncate and measure velocities.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ...contacts.pairs.tables import OBJECT_HALF_THICKNESS
from ...contacts.search.pair_search import PairSearch
from ...device.arrays import edited_array, read_array, write_array
from ...geometry.components import connected_components
from ..order.stages import FIND_NEAR, MEASURE_ISLANDS, OPEN_WINDOW
from ..system.contact_objects import ContactObjects
from ..tangles.tangles import Tangles
from ..windows.pair_tables import (
    IS_OVER,
    ISLAND,
    LAID_SPAN,
    LIST_FIRST,
    LIST_SPAN,
    MAY_SEARCH,
    MOST_SEARCHES,
    MUST_SEARCH,
    NEXT_ISLAND,
    NEXT_SPAN,
    PLACES_ALL,
    SETTLING_SWEEPS,
    SWEPT,
    TOLD_WIDTH,
    WATCH_LIMITS,
)
from ..windows.window_functions import MARGIN, MARGIN_DURATION
from .pair_pack import PairPack
from .plan import Plan
from .team_path import simulate_stages

Ints = npt.NDArray[np.int32]

# searches in a substep that pushes may ask for; then what is pushed out of its box is held in it. Chosen by hand
MOST_ROUNDS = 3
# for which share of a frame its first list is to hold, and for how many substeps at least. Chosen by trying, see
# docs/experiments.md, What a search lists
FIRST_SHARE, FIRST_SPAN = 0.4, 8


class PairLists:
    """Runs stages, and lists pairs for them.

    Attributes:
        plan: how the system runs, with the pack of pairs as the last search has left it.
        told: what kernels and searches tell each other, columns as in ``pair_tables``.
        stage_count: of a substep.
        islands: of each object, the lowest number of one that it hangs together with in this substep.
    """

    def __init__(
        self, objects: ContactObjects, search: PairSearch, pack: PairPack, plan: Plan, tangles: Tangles
    ) -> None:
        """Prepare the stages.

        Args:
            objects: that may touch.
            search: for pairs.
            pack: of pairs.
            plan: how the system runs, without pairs.
            tangles: what crosses, whose pairs are left out.
        """
        self.plan, self._search, self._pack, self._tangles = plan, search, pack, tangles
        acts = [stage.act for stage in plan.state.stages]
        self.stage_count = len(acts)
        self._measure, self._open, self._split = (acts.index(act) for act in (MEASURE_ISLANDS, OPEN_WINDOW, FIND_NEAR))
        self._substeps, self._duration, self._team_size = plan.system.scene.settings.substeps, plan.h, 1
        self._margins = 2.0 * MARGIN * objects.rows[:, OBJECT_HALF_THICKNESS]
        self._alone: Ints = np.arange(len(objects.rows), dtype=np.int32)
        # and in the next one
        self.islands = self._next_islands = self._alone
        # of the substep whose first stage this is
        self._islands_of = 0
        self.told: Ints = np.zeros(TOLD_WIDTH, np.int32)

    def set(self, plan: Plan, team_size: int, slices: int) -> None:
        """Settle how stages run from now on.

        Args:
            plan: how the system runs.
            team_size: threads.
            slices: into which the frame is divided.
        """
        self.plan, self._team_size, self._duration = self._pack.within(plan), team_size, plan.h / slices

    def begin(self) -> None:
        """Begin a slice of a frame: the same, whatever came before."""
        self.islands = self._next_islands = self._alone
        self._write_islands()
        self.told = np.zeros(TOLD_WIDTH, np.int32)
        first_span = max(FIRST_SPAN, round(FIRST_SHARE * self._substeps))
        self.told[[MOST_SEARCHES, NEXT_SPAN]] = MOST_ROUNDS - 1, first_span

    def end_list(self) -> None:
        """List pairs anew in the next substep."""
        self.told[LIST_SPAN] = 0

    def run_one(self, begin: int) -> int:
        """Simulate the substep that begins with a stage, with a list for it alone; returns the stage after the last."""
        self.told[NEXT_SPAN] = 1
        end = begin + self.stage_count
        self.run(begin, end, places_all=True)
        return end

    def run(self, begin: int, end: int, *, places_all: bool = False) -> None:
        """Simulate stages of the frame, with as many searches as are due.

        Args:
            begin: stage, counted from the first one of the frame's first substep.
            end: the stage after the last.
            places_all: whether vertices of colliders are placed of which no pair is searched.
        """
        self.told[PLACES_ALL] = places_all
        while True:
            write_array(self._pack.arrays["told"], self.told)
            self._launch(begin, end)
            self.told = read_array(self._pack.arrays["told"])
            number = max(self.told[IS_OVER], self.told[MUST_SEARCH])
            if not number:
                break
            first = (number - 1) * self.stage_count
            if self.told[IS_OVER]:
                self._search_for(number - 1)
                begin = first + self._split
            else:
                # particles are where they came before pairs pushed them
                begin = first + self._measure
                self.told[MAY_SEARCH] -= 1
                self.told[[SETTLING_SWEEPS, SWEPT, SWEPT + 1]] = 0
            self.told[[IS_OVER, MUST_SEARCH]] = 0

    def lay_out(self, pairs: Any) -> None:
        """Let the plan have the pairs that a search lists."""
        self._pack.lay_out(pairs)
        self.plan = self._pack.within(self.plan)

    def forget_anchors(self) -> None:
        """Remember nothing of static friction."""
        self._pack.forget_anchors()
        self.plan = self._pack.within(self.plan)

    def _search_for(self, substep: int) -> None:
        """Make the list of pairs anew, from a substep on."""
        first, told = substep * self.stage_count, self.told
        if self._islands_of != first:
            self.islands, self._islands_of = self._next_islands, first
        # for boxes that are laid out again for greater islands
        told[LIST_SPAN], told[NEXT_SPAN] = 0, told[LAID_SPAN]
        write_array(self._pack.arrays["told"], told)
        self._list_pairs(first)
        told[LIST_FIRST], told[LIST_SPAN] = substep, told[LAID_SPAN]

    def _launch(self, begin: int, end: int) -> None:
        if end > begin:
            simulate_stages(self.plan, begin, end, self._substeps, self._team_size)

    def _list_pairs(self, first: int) -> None:
        """Search for what may touch in the substep whose first stage is ``first``.

        The boxes go by the islands of the search before. Where the search finds greater ones, whose members would leave
        their boxes if they stayed in the frame of these, it must look again.
        """
        with edited_array(self._pack.arrays["watch_limits"]) as limits:
            limits[WATCH_LIMITS:] = -1.0
        share = min(self._duration / MARGIN_DURATION, 1.0)
        while True:
            found = self._search.search(self._team_size)
            if np.array_equal(found.islands, self.islands):
                break
            merged = connected_components(len(self._alone), found.met, self.islands)
            if np.array_equal(merged, self.islands):
                break
            before = self._frames()
            self.islands = merged
            self._write_islands()
            self._launch(first + self._measure, first + self._measure + 1)
            if (np.abs(self._frames() - before).max(axis=1) <= share * self._margins).all():
                break
            self._launch(first + self._open, first + self._split)
        self._next_islands = found.islands
        self._write_islands()
        self.lay_out(found.pairs)
        self._tangles.leave_out(found)

    def _frames(self) -> npt.NDArray[np.floating[Any]]:
        """How far the frame of each object's island has come [m], shape (objects, 4)."""
        return read_array(self._pack.arrays["frames"])[self.islands]

    def _write_islands(self) -> None:
        with edited_array(self._pack.arrays["object_rows"]) as rows:
            rows[:, ISLAND], rows[:, NEXT_ISLAND] = self.islands, self._next_islands
