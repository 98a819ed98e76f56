# SPDX-License-Identifier: GPL-3.0-or-later
"""The pattern of a factor holds all of it, and the device's factor solves the system."""

import numpy as np
import pytest
import taichi as ti
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.constraints.rods.elimination_functions import factorize, substitute
from blender_xpbd.geometry.elimination import eliminate


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 9))
    pairs = draw(st.lists(st.tuples(st.integers(-1, count - 1), st.integers(-1, count - 1)), max_size=20))
    return count, pairs


def matrix_of(count, pairs, seed=0):
    """Diagonally dominant, with entries where the pairs are."""
    matrix = np.zeros((count, count))
    rng = np.random.default_rng(seed)
    for a, b in pairs:
        if a != b and min(a, b) >= 0:
            matrix[a, b] = matrix[b, a] = rng.uniform(-1.0, 1.0)
    return matrix + np.diag(np.abs(matrix).sum(axis=1) + 0.5)


@given(graphs())
def test_the_factor_has_no_other_entries(graph):
    count, pairs = graph
    pattern, factor = eliminate(count, pairs), np.linalg.cholesky(matrix_of(count, pairs))
    assert pattern.count == count
    for row, column in zip(*np.nonzero(np.abs(np.tril(factor, -1)) > 1e-12), strict=True):
        assert (column, row) in pattern.places
    assert pattern.place(-1, 0) == -1
    assert [pattern.place(k, k) for k in range(count)] == list(range(count))


def test_a_chain_does_not_fill_up():
    assert len(eliminate(50, [(k, k + 1) for k in range(49)]).rows) == 49
    ring = eliminate(50, [*((k, k + 1) for k in range(49)), (49, 0)])
    assert len(ring.rows) == 49 + 48


@ti.kernel
def solve(
    indices: ti.types.ndarray(dtype=ti.i32, ndim=1), values: ti.types.ndarray(ndim=1), count: ti.i32, side: ti.i32
):
    ti.loop_config(serialize=True)
    for _ in range(1):
        factorize(indices, values, 0, count, 0)
        substitute(indices, values, 0, count, 0, side, 3)


@pytest.mark.usefixtures("taichi_cpu")
@pytest.mark.parametrize("seed", range(4))
def test_the_device_solves_it(seed):
    rng = np.random.default_rng(seed)
    count = 12
    # a chain with two branches and a loop
    pairs = [*((k, k + 1) for k in range(count - 1)), (0, 2), (3, 5), (1, 9)]
    pattern, matrix = eliminate(count, pairs), matrix_of(count, pairs, seed)
    numbers, sides = np.zeros(pattern.number_count), rng.normal(size=(count, 3))
    for a in range(count):
        for b in range(a, count):
            if matrix[a, b] != 0.0:
                numbers[pattern.place(a, b)] = matrix[a, b]
    flat = np.concatenate([pattern.starts, pattern.rows, pattern.targets]).astype(np.int32)
    indices, values = ti.ndarray(ti.i32, len(flat)), ti.ndarray(ti.f32, pattern.number_count + sides.size)
    indices.from_numpy(flat)
    values.from_numpy(np.concatenate([numbers, sides.ravel()]).astype(np.float32))
    solve(indices, values, count, pattern.number_count)
    solved = values.to_numpy()[pattern.number_count :].reshape(count, 3)
    np.testing.assert_allclose(solved, np.linalg.solve(matrix, sides), atol=1e-4)
