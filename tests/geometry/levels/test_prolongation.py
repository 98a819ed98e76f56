# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.levels.prolongation import barycentric_parents, pair_finder
from blender_xpbd.geometry.levels.unfolding import Development

# four seeds at the corners of a unit square, and its diagonal
CORNERS = np.array([0.0, 1.0, 1.0 + 1j, 1j])
PAIRS = np.array([[0, 1], [1, 2], [2, 3], [0, 3], [0, 2]])
EDGES = Development(PAIRS, CORNERS[PAIRS[:, 1]] - CORNERS[PAIRS[:, 0]], np.ones(5, complex))
SEEDS = np.arange(4)


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_weights_put_a_vertex_where_it_is(x, y):
    place = x + 1j * y
    owner = int(np.argmin(np.abs(CORNERS - place)))
    places = np.append(np.zeros(4, complex), place - CORNERS[owner])
    parents, weights = barycentric_parents(places, np.append(SEEDS, owner), EDGES, SEEDS)
    assert (weights >= 0.0).all()
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    np.testing.assert_allclose((weights[4] * CORNERS[parents[4]]).sum(), place, atol=1e-12)


def test_seeds_are_their_own_parents_and_what_has_no_owner_has_none():
    places = np.zeros(5, complex)
    parents, weights = barycentric_parents(places, np.append(SEEDS, -1), EDGES, SEEDS)
    np.testing.assert_array_equal(parents[:4, 0], SEEDS)
    np.testing.assert_array_equal(weights, [[1, 0, 0]] * 4 + [[0, 0, 0]])


def test_without_triangles_the_seed_alone_moves_a_vertex():
    lonely = EDGES.rows(np.array([0]))
    parents, weights = barycentric_parents(np.array([0, 0, 0.3]), np.array([0, 1, 0]), lonely, np.array([0, 1]))
    assert parents[2, 0] == 0
    np.testing.assert_array_equal(weights[2], [1, 0, 0])


def test_pairs_are_found_in_their_order():
    pairs = np.array([[2, 1], [0, 1], [1, 2]])
    find = pair_finder(pairs, 3)
    assert find(np.array([0, 1, 2]), np.array([1, 2, 1])).tolist() == [1, 2, 0]
