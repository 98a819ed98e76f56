# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges that go through triangles: what is tangled at the start, and what has come through at the end."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import taichi as ti

from ...device.arrays import make_vectors, make_zeros, read_array, readable_array
from ...device.runtime import real_type
from ...geometry.search.surfaces import Surfaces
from .features import CROSSINGS
from .packs import Points, Window
from .tree_walk import TreeWalk, make_forest

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


def crossings(surfaces: Surfaces, positions: Floats) -> Ints:
    """Find the edges that go through triangles, among all that may meet; ties as in ``intersection``.

    Args:
        surfaces: of all objects.
        positions: of the surface points [m], shape (points, 3).

    Returns:
        edge and triangle of each crossing, ascending, shape (crossings, 2).
    """
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
    forest = make_forest(surfaces, np.asarray(positions, np.float64))
    walk = TreeWalk(surfaces, points, CROSSINGS)
    still = make_vectors(positions)
    window = Window(window_starts=still, window_ends=still, window_stays=still)
    walk.fit(forest, window, 1)
    count = walk.walk(forest, 1)[0]
    found = read_array(walk.found.found)[:count]
    return found[np.lexsort((found[:, 1], found[:, 0]))]
