# SPDX-License-Identifier: GPL-3.0-or-later
"""The nearest rotation against the singular value decomposition."""

import numpy as np
import pytest
import taichi as ti

from blender_xpbd.constraints.rotation import nearest_rotation

pytestmark = pytest.mark.usefixtures("taichi_cpu")


@ti.kernel
def rotate_all(matrices: ti.types.ndarray(dtype=ti.types.matrix(3, 3, ti.f64), ndim=1)):
    for i in range(matrices.shape[0]):
        matrices[i] = nearest_rotation(matrices[i])


def rotations(matrices):
    array = ti.Matrix.ndarray(3, 3, ti.f64, len(matrices))
    array.from_numpy(np.ascontiguousarray(matrices, np.float64))
    rotate_all(array)
    return array.to_numpy()


def nearest(matrix):
    u, _, vt = np.linalg.svd(matrix)
    return u @ np.diag([1.0, 1.0, np.linalg.det(u @ vt)]) @ vt


def random_rotations(count):
    q = np.random.default_rng(0).normal(size=(count, 3, 3))
    return np.array([nearest(matrix) for matrix in q])


def with_singular_values(values, count=200):
    left, right = random_rotations(2 * count)[:count], random_rotations(2 * count)[count:]
    return left @ np.diag(values) @ right.transpose(0, 2, 1)


@pytest.mark.parametrize("scale", [1.0, 1e-15, 1e12])
@pytest.mark.parametrize(
    "values", [(1.0, 1.0, 1.0), (3.0, 2.0, 0.5), (1.0, 0.1, 0.0), (1.0, 0.8, -0.3), (2.0, 1.0, -0.9)]
)
def test_is_the_nearest(values, scale):
    matrices = with_singular_values(values) * scale
    expected = np.array([nearest(matrix) for matrix in matrices])
    gap = values[1] + values[2]
    np.testing.assert_allclose(rotations(matrices), expected, atol=2e-6 / min(gap, 1.0))


@pytest.mark.parametrize("values", [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, -1.0), (5.0, 1e-9, 0.0)])
def test_is_a_rotation_where_several_are_nearest(values):
    found = rotations(with_singular_values(values, 50))
    np.testing.assert_allclose(found @ found.transpose(0, 2, 1), np.tile(np.eye(3), (50, 1, 1)), atol=2e-6)
    np.testing.assert_allclose(np.linalg.det(found), 1.0, atol=2e-6)
    again = rotations(with_singular_values(values, 50))
    np.testing.assert_array_equal(found, again)


def test_half_turns_are_found():
    turns = np.array([np.diag([1.0, -1.0, -1.0]), np.diag([-1.0, 1.0, -1.0]), np.diag([-1.0, -1.0, 1.0])])
    np.testing.assert_allclose(rotations(turns), turns, atol=1e-6)
