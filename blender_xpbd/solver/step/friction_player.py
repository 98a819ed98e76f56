# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings friction and restitution on the device to what a frame asks: by tracks, and where seams are still open.

What an open seam draws slides. Where a thread leads into a surface more steeply than the angle of friction, it presses
harder the more it pulls, so no pull would move it. So the vertices of a seam have no friction until it is closed. All
of this depends on the frame and on where particles are, so a bake that goes on from a checkpoint gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ...constraints.scaling import Scaling
from ...contacts.pairs.tables import OBJECT_RESTITUTION
from ...device.arrays import edited_array
from ...scene.body_kinds import sewn_edges
from ..system.system import System
from .pair_substeps import PairSubsteps
from .state import State

Floats = npt.NDArray[np.float64]
Places = Callable[[], npt.NDArray[np.floating[Any]]]

# how far apart the sides of a seam are that is closed, at most, as a share of the thickness of the cloth: contact keeps
# them one apart
CLOSED = 2.0


class FrictionPlayer:
    """Applies what friction and restitution are at a frame; what has not changed is left alone."""

    def __init__(self, system: System, state: State, pairs: PairSubsteps | None) -> None:
        """The state and the search of the pairs are as they were built, see ``tracks.build_value``.

        Args:
            system: what is simulated.
            state: of it.
            pairs: of surfaces that may touch; None where none can.
        """
        self._system, self._state, self._pairs = system, state, pairs
        # of what is joined the vertices that move, as the stitches have them
        edges = [sewn_edges(model.body) for model in system.models]
        counts = [len(mine) for mine in edges]
        starts = np.repeat(system.starts[: len(edges)], counts)
        self._seams = np.concatenate(edges) + starts[:, None] if sum(counts) else np.zeros((0, 2), np.int64)
        self._closed = np.repeat([CLOSED * model.thickness for model in system.models], counts)
        self._written: tuple[Floats, ...] = ()

    def play(self, frame_index: int, places: Places) -> None:
        """Write what counts in the frame that leads from ``frame_index`` on.

        Args:
            frame_index: counted from the start.
            places: tells where the particles are, shape (particles, at least 3) [m]; asked where there are seams.
        """
        system = self._system
        if not system.tracks and not len(self._seams):
            return
        values = (*(self._factors(name, frame_index) for name in ("friction", "restitution")), self._grips(places))
        if self._written and all(map(np.array_equal, self._written, values)):
            return
        self._written = frictions, restitutions, grips = values
        points = system.contacts
        with edited_array(self._state.contacts.weights) as weights:
            factors = frictions[points.elements[:, 4]] * grips[points.elements[:, 0]]
            weights[:, 4] = points.weights[:, 4] * factors
        if self._pairs is not None and system.objects is not None:
            objects = system.objects
            factors = frictions[objects.elements[:, 4]] * grips[objects.elements[:, 0]]
            rebounds = objects.rows[:, OBJECT_RESTITUTION] * restitutions
            self._pairs.set_surfaces(objects.frictions * factors, rebounds)

    def _factors(self, name: str, frame_index: int) -> Floats:
        """By what a value of each body and of each collider that is searched changes at a frame, shape (objects,)."""
        system, law = self._system, Scaling(name, 0, 1.0)
        bodies = [(model.body.identifier, getattr(model.body.material, name)) for model in system.models]
        numbers = () if system.objects is None else system.objects.colliders
        colliders = [(one.identifier, getattr(one, name)) for one in (system.scene.colliders[row] for row in numbers)]
        laws = [system.tracks.law(identifier, law, built) for identifier, built in (*bodies, *colliders)]
        return np.array([1.0 if one is None else one.factor(frame_index) for one in laws])

    def _grips(self, places: Places) -> Floats:
        """Which share of its friction each particle has: none where a seam is open, shape (particles,)."""
        grips = np.ones(len(self._system.positions))
        if len(self._seams):
            ends = places()[self._seams, :3]
            is_open = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1) > self._closed
            grips[self._seams[is_open]] = 0.0
        return grips
