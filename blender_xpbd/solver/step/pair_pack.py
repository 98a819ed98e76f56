# SPDX-License-Identifier: GPL-3.0-or-later
"""The pack of pairs, made anew where a search has other arrays than before, and the anchors that outlive a list."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import taichi as ti

from ...contacts.search.pair_search import PairSearch
from ...device.arrays import make_zeros
from ...device.packs import arrays_by_name
from ..system.contact_objects import ContactObjects
from ..system.system import System
from ..windows.anchor_state import ROW_WIDTH, read_anchors, write_anchors
from .packs import Pairs
from .pair_state import anchor_arrays, held_arrays, near_arrays, pair_arrays, staying_arrays
from .plan import Plan


class PairPack:
    """The arrays of pairs.

    Attributes:
        arrays: by their names; those that stay are the same all the time.
        pack: of these arrays.
    """

    def __init__(
        self, system: System, objects: ContactObjects, search: PairSearch, plan: Plan, most_noted: int
    ) -> None:
        """Make the arrays, without pairs.

        Args:
            system: what is simulated.
            objects: that may touch.
            search: for pairs.
            plan: how the system runs, without pairs.
            most_noted: substeps whose places are noted at most.
        """
        self._search, parts = search, system.schedule.parts.count
        self.arrays = staying_arrays(
            objects, system.inverse_masses, parts + 1, most_noted + 1, system.scene.settings.substeps
        ) | pair_arrays(0)
        window = search.window
        self.arrays["list_starts"], self.arrays["list_ends"] = window.window_starts, window.window_ends
        self.arrays["list_stays"] = window.window_stays
        self.arrays |= held_arrays(
            *(a.shape[0] for a in (plan.state.world.contacts.elements, plan.state.order.contact_segments))
        )
        self.arrays |= {"pair_starts": make_zeros((parts + 2,), ti.i32)}
        given = arrays_by_name(plan.state.world.pairs)
        # of grains and attraction, which others may replace by greater ones
        self._foreign = tuple(name for name in given if name not in self.arrays)
        self.arrays |= {name: given[name] for name in self._foreign}
        self.pack: Any = Pairs(**self.arrays)
        # until the first search is done
        self._listed: Any = None

    def anchors(self) -> npt.NDArray[np.float64]:
        """What static friction has to remember from frame to frame, shape (anchors, 9)."""
        return read_anchors(self.arrays)

    def restore(self, anchors: npt.NDArray[Any]) -> None:
        """Go on with the anchors of a checkpoint."""
        self.arrays |= anchor_arrays(max(len(anchors), self.arrays["pair_ints"].shape[0]))
        write_anchors(self.arrays, anchors.astype(np.float64))
        self.pack = Pairs(**self.arrays)

    def forget_anchors(self) -> None:
        """Remember nothing of static friction."""
        self.restore(np.zeros((0, ROW_WIDTH)))

    def lay_out(self, pairs: Any) -> None:
        """Make the pack anew where the pairs that a search lists have other arrays than before."""
        if pairs is self._listed:
            return
        self.arrays |= arrays_by_name(pairs) | {"pair_starts": self._search.task_starts}
        anchors, capacity = self.anchors(), pairs.pair_ints.shape[0]
        self.arrays |= near_arrays(capacity) | anchor_arrays(max(capacity, len(anchors)))
        write_anchors(self.arrays, anchors)
        self.pack, self._listed = Pairs(**self.arrays), pairs

    def within(self, plan: Plan) -> Plan:
        """A plan with this pack."""
        if plan.state.world.pairs is self.pack:
            return plan
        foreign = {name: getattr(plan.state.world.pairs, name) for name in self._foreign}
        if any(self.arrays[name] is not array for name, array in foreign.items()):
            self.arrays |= foreign
            self.pack = Pairs(**self.arrays)
        return replace(plan, state=replace(plan.state, world=plan.state.world._replace(pairs=self.pack)))
