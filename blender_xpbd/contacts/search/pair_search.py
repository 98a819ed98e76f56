# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists the pairs of surface elements that may touch during a window of substeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import taichi as ti

from ...device.arrays import (
    make_array,
    make_zero_vectors,
    make_zeros,
    readable_array,
    write_array,
)
from ...device.runtime import real_type
from ...geometry.components import connected_components
from ...geometry.search.surfaces import Surfaces
from ..pairs.tables import PAIR_INTS, PAIR_WIDTH
from .leaves import NEAR_PAIRS
from .listing import NOBODY, SEVERAL
from .packs import Listed, Pairs, Points, Window
from .tree_walk import TreeWalk

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Contents:
    """What the solver knows of the surface points.

    Attributes:
        elements: four particles of each point, then its object, shape (points, 5); a weight of 0 leaves one out.
        weights: x = Σ wⱼ xⱼ, shape (points, 4), float32.
        parts: of each particle, −1 where nothing moves it, shape (particles,).
        part_count: number of parts.
        gaps: that two objects keep, or one to itself, shape (objects, objects) [m].
        frictions: Coulomb's μ of each point, shape (points,).
        restitutions: e of each object, shape (objects,).
    """

    elements: Ints
    weights: npt.NDArray[np.float32]
    parts: Ints
    part_count: int
    gaps: Floats
    frictions: Floats
    restitutions: Floats


@dataclass(frozen=True)
class PairList:
    """The pairs of one search; the arrays are those of the search, and the next one writes to them.

    Attributes:
        pairs: pack of ``pair_ints``, ``pair_floats`` and ``pair_clearances`` as in ``contacts.pairs.tables``; by task,
            then in an order that boxes alone decide: point and triangle, or edge and edge, lower one first. Rows beyond
            ``count`` are rubbish.
        task_starts: first pair of each part, then of those that reach across parts, then the end; on the device,
            shape (parts + 2,).
        count: how many pairs there are.
        islands: the lowest number of an object that each object hangs together with by pairs, shape (objects,).
        met: objects that have a pair with each other, or with themselves, shape (n, 2).
    """

    pairs: Any
    task_starts: Any
    count: int
    islands: Ints
    met: Ints


class PairSearch:
    """Surfaces that may touch, and the window of substeps for which pairs are listed.

    Attributes:
        window: pack of ``window_starts`` (particles,): where each particle is when the substep begins, and its margin;
            ``window_ends`` (particles,): where it would come; ``window_stays`` (particles,): where it would be if it
            stayed in the frame of its island [m]. The pairs hold as long as each particle goes evenly from within its
            margin of its start to within its margin, along each axis, of what lies between the other two.
    """

    def __init__(self, surfaces: Surfaces, contents: Contents) -> None:
        """Make the arrays.

        Args:
            surfaces: of all objects.
            contents: what moves them.
        """
        self._object_count = surfaces.object_count
        self._points = _make_points(contents, surfaces.origins)
        self._walk = TreeWalk(surfaces, self._points, NEAR_PAIRS)
        particle_count = len(contents.parts)
        self.window = Window(
            window_starts=make_zero_vectors(particle_count),
            window_ends=make_zero_vectors(particle_count),
            window_stays=make_zero_vectors(particle_count),
        )
        self.task_starts = make_zeros((contents.part_count + 2,), ti.i32)
        self._capacity = 0
        self._grow(1)

    def set_surfaces(self, frictions: Floats, restitutions: Floats) -> None:
        """Let pairs that are listed from now on have these values, as of ``Contents``."""
        write_array(self._points.point_frictions, frictions)
        write_array(self._points.object_restitutions, restitutions)

    def ask_all(self, *, asks_all: bool) -> None:
        """Say whether flat pieces are to be asked from now on whatever their normals, as ``TreeWalk.asks_all``."""
        self._walk.asks_all = asks_all

    def search(self, team_size: int = 1) -> PairList:
        """List the pairs for the window as it is.

        Args:
            team_size: threads to share the work among; the result does not depend on it.
        """
        count = self._walk.search(self.window, self._listed, team_size)
        if count > self._capacity:
            self._grow(count + count // 2)
            self._walk.search(self.window, self._listed, team_size)
        met = self._walk.met()
        islands = connected_components(self._object_count, met)
        return PairList(self._pairs, self.task_starts, count, islands, met)

    def search_few(self, most: int, team_size: int = 1) -> tuple[Any, int] | None:
        """List the pairs for the window as it is, where there are few.

        Args:
            most: pairs.
            team_size: as of ``search``.

        Returns:
            what ``PairList.pairs`` is, and how many there are; None for more than ``most``.
        """
        if self._capacity < most:
            self._grow(most)
        count = self._walk.search(self.window, self._listed, team_size)
        return None if count > most else (self._pairs, count)

    def _grow(self, capacity: int) -> None:
        """Make room for so many pairs."""
        self._capacity = capacity
        arrays = {
            "pair_ints": make_zeros((capacity, PAIR_INTS), ti.i32),
            "pair_floats": make_zeros((capacity, PAIR_WIDTH), real_type()),
            "pair_clearances": make_zeros((capacity,), real_type()),
        }
        self._pairs = Pairs(**arrays)
        self._listed = Listed(task_starts=self.task_starts, **arrays)


def _make_points(contents: Contents, origins: Ints) -> Any:
    elements = contents.elements
    if len(origins):
        elements = np.concatenate([elements, origins[:, None]], axis=1)
    return Points(
        point_elements=readable_array(np.ascontiguousarray(elements), ti.i32),
        point_weights=readable_array(contents.weights, ti.f32),
        point_parts=make_array(point_parts(contents), ti.i32),
        point_frictions=make_array(contents.frictions, real_type()),
        object_gaps=make_array(contents.gaps, ti.f32),
        object_restitutions=make_array(contents.restitutions, real_type()),
    )


def point_parts(contents: Contents) -> Ints:
    """The part of each point: −1 where nothing moves it, −2 where its particles belong to several; shape (points,)."""
    parts = contents.parts[contents.elements[:, :4]]
    counts = (contents.weights != 0.0) & (parts != NOBODY)
    lowest = np.where(counts, parts, np.iinfo(np.int32).max).min(axis=1)
    highest = np.where(counts, parts, NOBODY).max(axis=1)
    return np.where(highest == NOBODY, NOBODY, np.where(lowest == highest, highest, SEVERAL)).astype(np.int32)
