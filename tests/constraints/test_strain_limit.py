# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges give freely up to the greatest strain and no further."""

import numpy as np
import pytest

from blender_xpbd.constraints.strain_limit import build_strain_limit
from tests.constraints.projection_kernel import projected

pytestmark = pytest.mark.usefixtures("taichi_cpu")

REST = np.array([[0.0, 0.0, 0.0], [0.6, 0.8, 0.0]])
EDGE = np.array([[0, 1]], np.int32)
INVERSE_MASSES = np.array([1.0, 3.0])


@pytest.mark.parametrize("stretch", [0.2, 1.0, 1.09])
@pytest.mark.parametrize("pbd", [False, True])
def test_within_the_limit_nothing_happens(stretch, pbd):
    moved, multipliers = projected(build_strain_limit(REST, EDGE, 0.1), REST * stretch, INVERSE_MASSES, pbd=pbd)
    np.testing.assert_array_equal(moved, (REST * stretch))
    np.testing.assert_array_equal(multipliers, 0.0)


@pytest.mark.parametrize("limit", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("iterations", [1, 5])
def test_beyond_it_the_edge_is_inextensible(limit, iterations):
    moved, _ = projected(build_strain_limit(REST, EDGE, limit), REST * 2.0, INVERSE_MASSES, iterations=iterations)
    assert np.linalg.norm(moved[1] - moved[0]) == pytest.approx(1.0 + limit, rel=1e-6)
    np.testing.assert_allclose((moved / INVERSE_MASSES[:, None]).sum(axis=0), [0.4, 1.6 / 3.0, 0.0], atol=1e-6)


def test_a_limit_for_each_edge():
    block = build_strain_limit(np.array([[0.0, 0, 0], [1, 0, 0], [3, 0, 0]]), np.array([[0, 1], [1, 2]]), [0.1, 0.5])
    np.testing.assert_allclose(block.parameters[:, 0], [1.1, 3.0])
    with pytest.raises(ValueError, match="negative"):
        build_strain_limit(REST, EDGE, -0.1)
