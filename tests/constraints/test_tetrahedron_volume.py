# SPDX-License-Identifier: GPL-3.0-or-later
"""Volumes of tetrahedra, signed; what holds for every constraint is tested elsewhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.constraints.tetrahedron_volume import build_tetrahedron_volume
from blender_xpbd.geometry.solid.tetrahedra import signed_volumes
from tests.constraints.projection_kernel import projected
from tests.geometry.surfaces import rotation_of_seed

REST = np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.1, 1.1, 0.0], [0.2, 0.1, 0.9]])
ORDER = np.array([[0, 1, 2, 3]], np.int32)


@given(st.integers(0, 10_000), st.floats(0.1, 10.0))
def test_the_value_is_the_change_of_the_signed_volume(seed, scale):
    random = np.random.default_rng(seed)
    points, tetrahedra = random.normal(size=(7, 3)), random.permutation(7)[None, :4].astype(np.int32)
    block = build_tetrahedron_volume(points, tetrahedra, 0.0)
    np.testing.assert_allclose(block.parameters[:, 0], signed_volumes(points, tetrahedra), atol=1e-12)
    moved = scale * points @ rotation_of_seed(seed).T + random.normal(size=3)
    expected = (scale**3 - 1.0) * signed_volumes(points, tetrahedra)
    np.testing.assert_allclose(block.type.evaluate(moved, block)[:, 0], expected, atol=1e-9 * max(1.0, scale**3))
    mirrored = points * [1.0, 1.0, -1.0]
    np.testing.assert_allclose(
        block.type.evaluate(mirrored, block)[:, 0], -2.0 * signed_volumes(points, tetrahedra), atol=1e-12
    )


@pytest.mark.usefixtures("taichi_cpu")
@pytest.mark.parametrize("factors", [(0.2, 0.2, 0.2), (3.0, 1.0, 1.0), (1.0, 1.0, 0.1), (1.0, 1.0, -0.3)])
def test_a_squashed_swollen_or_inverted_tetrahedron_gets_its_volume_back(factors):
    block = build_tetrahedron_volume(REST, ORDER, 0.0)
    moved, _ = projected(block, REST * factors, np.ones(4), iterations=60)
    np.testing.assert_allclose(block.type.evaluate(moved.astype(np.float64), block), 0.0, atol=1e-5)


@pytest.mark.usefixtures("taichi_cpu")
def test_shear_costs_nothing():
    """It keeps the volume, so nothing moves."""
    block = build_tetrahedron_volume(REST, ORDER, 0.0)
    sheared = REST @ np.array([[1.0, 0.0, 0.0], [0.8, 1.0, 0.0], [-0.5, 0.4, 1.0]])
    np.testing.assert_allclose(projected(block, sheared, np.ones(4))[0], sheared, atol=1e-6)
