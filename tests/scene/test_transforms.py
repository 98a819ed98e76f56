# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.scene.transforms import at_frame, transformed


def random_transform(seed: int) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3] = np.random.default_rng(seed).normal(size=(3, 4))
    return matrix


@given(st.integers(0, 10_000), st.integers(0, 6))
def test_points_are_those_of_homogeneous_coordinates(seed: int, count: int) -> None:
    matrix, points = random_transform(seed), np.random.default_rng(seed + 1).normal(size=(count, 3))
    expected = [(matrix @ [*point, 1.0])[:3] for point in points]
    np.testing.assert_allclose(transformed(matrix, points), np.reshape(expected, (count, 3)), atol=1e-12)


@given(st.integers(0, 10_000))
def test_one_transform_after_another_is_their_product(seed: int) -> None:
    first, second = random_transform(seed), random_transform(seed + 1)
    points = np.random.default_rng(seed).normal(size=(5, 3))
    one_by_one = transformed(second, transformed(first, points))
    np.testing.assert_allclose(transformed(second @ first, points), one_by_one, atol=1e-10)


@given(st.integers(1, 5), st.integers(0, 9))
def test_the_last_row_counts_for_what_follows(rows: int, frame: int) -> None:
    values = np.arange(3.0 * rows).reshape(rows, 3)
    np.testing.assert_array_equal(at_frame(values, frame), values[frame] if frame < rows else values[-1])
