# SPDX-License-Identifier: GPL-3.0-or-later
"""Crossings are counted for both objects, once for an object with itself."""

from __future__ import annotations

import numpy as np

from blender_xpbd.solver.system.contact_statistics import contact_rows, crossings_of

# two bodies of three points and one collider of three
EDGES = np.array([[0, 1], [3, 4], [6, 7]])
TRIANGLES = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8]])
OBJECTS = np.repeat([0, 1, 2], 3)


def test_counts_are_symmetric_and_vertices_those_of_bodies() -> None:
    found = np.array([[0, 1], [1, 0], [0, 2], [2, 0], [1, 1]])
    crossings = crossings_of(found, EDGES, TRIANGLES, OBJECTS, 6)
    np.testing.assert_array_equal(crossings.counts, [[0, 2, 2], [2, 1, 0], [2, 0, 0]])
    np.testing.assert_array_equal(crossings.vertices, [0, 1, 2, 3, 4, 5])
    np.testing.assert_array_equal(crossings.of_bodies(2), [4.0, 3.0])


def test_vertices_are_the_ends_of_edges_and_corners_of_triangles() -> None:
    crossings = crossings_of(np.array([[1, 0]]), EDGES, TRIANGLES, OBJECTS, 6)
    np.testing.assert_array_equal(crossings.vertices, [0, 1, 2, 3, 4])
    assert crossings.vertices.dtype == np.int32


def test_nothing_crosses() -> None:
    crossings = crossings_of(np.zeros((0, 2), np.int32), EDGES, TRIANGLES, OBJECTS, 6)
    assert not crossings.counts.any()
    assert len(crossings.vertices) == 0


def test_crossings_that_are_not_counted_are_no_number() -> None:
    counts = np.array([[5.0, 1.0], [2.0, 0.0]])
    rows = contact_rows(counts, None)
    np.testing.assert_array_equal(rows[:, :2], counts)
    assert np.isnan(rows[:, 2]).all()
    known = contact_rows(counts, crossings_of(np.array([[0, 1]]), EDGES, TRIANGLES, OBJECTS, 6))
    np.testing.assert_array_equal(known[:, 2], [1.0, 1.0])
