# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges that go through triangles: what is tangled at the start, and what has come through at the end."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import taichi as ti

from ...device.arrays import make_zero_rows, make_zeros, read_array, readable_array, write_array
from ...device.launch import launch
from ...device.runtime import real_type
from ...geometry.search.surfaces import Surfaces
from .intersection import cross_candidates
from .leaves import CROSSINGS
from .packs import Listed, Points, Window
from .tree_walk import TreeWalk

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


class CrossingSearch:
    """Surfaces that may go through each other or themselves."""

    def __init__(self, surfaces: Surfaces) -> None:
        """Make the arrays.

        Args:
            surfaces: of all objects.
        """
        self._surfaces = surfaces
        point_count, object_count = len(surfaces.rest), surfaces.object_count
        elements = np.zeros((point_count, 5), np.int32)
        elements[:] = np.arange(point_count)[:, None]
        weights = np.zeros((point_count, 4), np.float32)
        weights[:, 0] = 1.0
        points = Points(
            point_elements=readable_array(elements, ti.i32),
            point_weights=readable_array(weights, ti.f32),
            point_parts=make_zeros((1,), ti.i32),
            point_frictions=make_zeros((1,), real_type()),
            object_gaps=make_zeros((object_count, object_count), ti.f32),
            object_restitutions=make_zeros((1,), real_type()),
        )
        self._walk = TreeWalk(surfaces, points, CROSSINGS)
        self._primitives = readable_array(surfaces.trees.primitives, ti.i32)
        self._still = make_zero_rows(point_count, 4, real_type())
        self._window = Window(window_starts=self._still, window_ends=self._still, window_stays=self._still)
        self._nothing = Listed(
            task_starts=make_zeros((2,), ti.i32),
            pair_ints=make_zeros((1, 1), ti.i32),
            pair_floats=make_zeros((1, 1), real_type()),
            pair_clearances=make_zeros((1,), real_type()),
        )
        self._crossings, self._count = make_zeros((1, 2), ti.i32), make_zeros((1,), ti.i32)

    def find(self, positions: Floats) -> Ints:
        """Find the edges that go through triangles, among all that may meet; ties as in ``intersection``.

        Args:
            positions: of the surface points [m], shape (points, 3).

        Returns:
            edge and triangle of each crossing, ascending, shape (crossings, 2).
        """
        rows = np.zeros((max(len(positions), 1), 4))
        rows[: len(positions), :3] = positions
        write_array(self._still, rows)
        candidates = self._walk.search(self._window, self._nothing, 1)
        places = readable_array(np.ascontiguousarray(positions, np.float64), ti.f64)
        found = self._walk.found.found
        while candidates:
            launch(cross_candidates, found, self._primitives, places, self._crossings, self._count, candidates)
            total = int(read_array(self._count)[0])
            if total <= self._crossings.shape[0]:
                rows = read_array(self._crossings)[:total]
                return self._of_strangers(rows[np.lexsort((rows[:, 1], rows[:, 0]))])
            self._crossings = make_zeros((total, 2), ti.i32)
        return np.zeros((0, 2), np.int32)

    def _of_strangers(self, found: Ints) -> Ints:
        """Leave out what shared a point before its mesh was cut, or does so in one place."""
        if len(self._surfaces.origins) == 0:
            return found
        ends, corners = (self._surfaces.edges[found[:, 0]], self._surfaces.triangles[found[:, 1]])
        origins = self._surfaces.origins
        shared: Mask = (origins[ends][:, :, None] == origins[corners][:, None, :]).any(axis=(1, 2))
        return found[~shared]


def crossings(surfaces: Surfaces, positions: Floats) -> Ints:
    """Find the crossings of surfaces once; arguments and result as of ``CrossingSearch``."""
    return CrossingSearch(surfaces).find(positions)
