# SPDX-License-Identifier: GPL-3.0-or-later
"""Which held vertices are a clamp, and points along held edges."""

from __future__ import annotations

import numpy as np

from blender_xpbd.geometry.solid.joints import interpolated, is_on_held_face, points_between

TRIANGLES = np.array([[0, 1, 2], [0, 2, 3], [3, 2, 4]], np.int32)


def test_only_whole_faces_clamp():
    found = is_on_held_face(TRIANGLES, np.array([0, 1, 2, 4], np.int32), 5)
    np.testing.assert_array_equal(found, [True, True, True, False, False])
    assert not is_on_held_face(TRIANGLES, np.array([0, 1, 4], np.int32), 5).any()


def test_points_are_evenly_within_edges():
    positions = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.2, 0.0]])
    ends, shares = points_between(positions, np.array([[0, 1], [1, 2]], np.int32), 0.3)
    np.testing.assert_array_equal(ends, [[0, 1]] * 3)
    np.testing.assert_allclose(interpolated(positions, ends, shares), [[0.25, 0, 0], [0.5, 0, 0], [0.75, 0, 0]])
    ends, shares = points_between(positions, np.zeros((0, 2), np.int32), 0.3)
    assert interpolated(positions, ends, shares).shape == (0, 3)


def test_an_edge_of_whole_spacings_has_as_many_points_however_long_rounding_makes_it():
    for error in (-1e-6, 0.0, 1e-6):
        positions = np.array([[0.0, 0.0, 0.0], [0.9 * (1.0 + error), 0.0, 0.0]])
        assert len(points_between(positions, np.array([[0, 1]], np.int32), 0.3)[1]) == 2
