# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks for what crosses in a system, and takes it apart from substep to substep."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...contacts.pairs.untangle import Way
from ...contacts.search.crossings import CrossingSearch
from ...contacts.search.pair_search import PairList
from ..system.contact_objects import ContactObjects
from ..system.system import System
from .ties import part_ties
from .untangling import Untangling, crossing_at_rest
from .wrong_sides import START_FRAMES, WrongSides


class Tangles:
    """What of a system crosses, and how it comes apart."""

    def __init__(self, system: System, objects: ContactObjects) -> None:
        """Prepare the looks.

        Args:
            system: what is simulated.
            objects: that may touch.
        """
        self._objects, self._contact_points = objects, system.contacts.elements
        self._search = CrossingSearch(objects.surfaces)
        # of two bodies the one with the higher layer lies outside; of colliders nothing says it
        layers = np.array([body.contact.layer for body in system.scene.bodies])
        self._outside = np.zeros((len(objects.rows), len(objects.rows)), np.int32)
        self._outside[: len(layers), : len(layers)] = np.sign(np.subtract.outer(layers, layers))
        substeps = system.scene.settings.substeps
        self._frame_duration = substeps * (system.scene.frames.frame_duration / substeps)
        self._untangling: Untangling | None = None
        self._particles: Any = None
        self._passes: Any = None
        self._duration, self._frame_index = 0.0, 0

    def set(self, particles: Any, passes: Any, duration: float, frame_index: int) -> None:
        """Settle what is looked at from now on.

        Args:
            particles: the pack.
            passes: of the pack of contacts.
            duration: of a substep [s].
            frame_index: of the frame, counted from the start.
        """
        self._particles, self._passes = particles, passes
        self._duration, self._frame_index = duration, frame_index

    def forget(self) -> None:
        """Begin without a way on which anything comes apart."""
        self._untangling = None

    def part_ties(self) -> None:
        """Let edges pass of what crosses at vertices alone."""
        part_ties(self._objects, self._search, self._particles)

    def cross(self) -> bool:
        """Whether anything crosses."""
        return self._look().is_needed

    def begin(self) -> bool:
        """Look for what crosses, and begin to take it apart; returns whether anything does."""
        self.end()
        before = () if self._untangling is None else self._untangling.ways
        self._untangling = self._look(before, beginning=self._wrong_sides)
        if self._untangling.is_needed:
            self._untangling.begin()
        return self._untangling.is_needed

    def leave_out(self, found: PairList) -> None:
        """Take the pairs that stand in the way of what comes apart out of those that were found."""
        if self._untangling is not None and self._untangling.is_needed:
            self._untangling.leave_out(found)

    def end(self) -> None:
        """Take back what is left of the speeds by which things come apart."""
        if self._untangling is not None and self._untangling.is_needed:
            self._untangling.end()

    def come_through(self) -> tuple[frozenset[int], bool]:
        """Which objects cross others, or themselves though they were not modelled so; and whether anything crosses."""
        look = self._look()
        return look.crossing | (look.inward - self._modelled if look.inward else look.inward), look.is_needed

    def _look(self, before: Sequence[Way] = (), *, beginning: WrongSides | None = None) -> Untangling:
        """Look for what crosses; ``before`` are the ways of the substep before, ``beginning`` as of ``Untangling``."""
        return Untangling(
            self._objects,
            self._search,
            self._outside,
            self._particles,
            self._passes,
            self._contact_points,
            self._duration,
            self._frame_duration,
            before,
            beginning=beginning,
        )

    @property
    def _wrong_sides(self) -> WrongSides:
        return self._start_sides if self._frame_index < START_FRAMES else self._later_sides

    @cached_property
    def _start_sides(self) -> WrongSides:
        return WrongSides(self._objects)

    @cached_property
    def _later_sides(self) -> WrongSides:
        return WrongSides(self._objects, is_start=False)

    @cached_property
    def _modelled(self) -> frozenset[int]:
        return crossing_at_rest(self._search, self._objects.surfaces)
