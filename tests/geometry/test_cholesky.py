# SPDX-License-Identifier: GPL-3.0-or-later
"""Sparse factors are those of the matrix, in the order that they tell."""

import numpy as np
import pytest

from blender_xpbd.geometry.cholesky import FEWEST_POINTS, SparseRows, factorize


def dense(matrix, columns=None):
    result = np.zeros((len(matrix.starts) - 1, columns or len(matrix.starts) - 1))
    result[matrix.rows, matrix.columns] = matrix.values
    return result


def laplacian(points, reach, shift):
    """Of points that are linked where they are near each other."""
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    first, second = np.nonzero((distances < reach) & (distances > 0.0))
    own = np.arange(len(points))
    rows, columns = np.concatenate([first, first, own]), np.concatenate([second, first, own])
    values = np.concatenate([-np.ones(len(first)), np.ones(len(first)), np.full(len(points), shift)])
    return SparseRows.summed(rows, columns, values, len(points))


def test_entries_at_one_place_are_added_up():
    matrix = SparseRows.summed(np.array([1, 0, 1, 1]), np.array([2, 1, 2, 0]), np.array([1.0, 2.0, 3.0, 4.0]), 3)
    np.testing.assert_array_equal(dense(matrix), [[0.0, 2.0, 0.0], [4.0, 0.0, 4.0], [0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(dense(matrix.transposed()), dense(matrix).T)
    np.testing.assert_array_equal(dense(matrix.among(np.array([2, 1]))), [[0.0, 0.0], [4.0, 0.0]])
    np.testing.assert_array_equal(dense(matrix.first(2), 3), dense(matrix)[:2])


def test_a_block_is_what_hangs_together_alone():
    matrix = SparseRows.summed(np.array([0, 1, 2, 2]), np.array([0, 2, 1, 2]), np.array([1.0, 2.0, 3.0, 4.0]), 3)
    np.testing.assert_array_equal(dense(matrix.block(1, 3)), [[0.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize("count", [1, FEWEST_POINTS, 400])
@pytest.mark.parametrize("reach", [0.02, 0.12])
def test_the_factor_times_its_transpose_is_the_matrix(count, reach):
    """Also of sets that do not touch: at a reach of 0.02 nearly all points are alone."""
    points = np.random.default_rng(count).uniform(size=(count, 2))
    matrix = laplacian(points, reach, 0.1)
    order, factor = factorize(matrix, points, 0.0)
    assert sorted(order) == list(range(count))
    lower = dense(factor)
    assert (np.triu(lower, 1) == 0.0).all()
    np.testing.assert_allclose(lower @ lower.T, dense(matrix)[np.ix_(order, order)], atol=1e-12)
    np.testing.assert_array_equal(factor.columns[factor.starts[1:] - 1], np.arange(count))


def test_small_entries_are_left_out():
    points = np.random.default_rng(1).uniform(size=(400, 2))
    matrix = laplacian(points, 0.12, 10.0)
    order, factor = factorize(matrix, points, 1e-3)
    _, whole = factorize(matrix, points, 0.0)
    assert len(factor.values) < 0.7 * len(whole.values)
    lower, wanted = dense(factor), dense(matrix)[np.ix_(order, order)]
    assert np.abs(lower @ lower.T - wanted).max() < 1e-2 * np.abs(wanted).max()


def test_a_grid_fills_in_little():
    """Nested dissection of n points in the plane leaves of the order of n log n entries; row by row they are n^1.5."""
    side = 40
    points = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2).astype(float)
    _, factor = factorize(laplacian(points, 1.1, 0.1), points, 0.0)
    assert len(factor.values) < 0.6 * side**3
