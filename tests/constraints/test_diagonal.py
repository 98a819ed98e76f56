# SPDX-License-Identifier: GPL-3.0-or-later
"""Diagonals, which resist compression by a tenth; what holds for every constraint is tested elsewhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.constraints.diagonal import COMPRESSION_SHARE, build_diagonals
from blender_xpbd.constraints.two_sided_distance import build_two_sided_distance
from tests.constraints.projection_kernel import projected

pytestmark = pytest.mark.usefixtures("taichi_cpu")

PAIR = np.array([[0, 1]], np.int32)
REST = np.array([[0.0, 0.0, 0.0], [0.6, 0.0, 0.8]])


@given(st.floats(0.05, 3.0), st.floats(0.01, 10.0), st.sampled_from([1, 2, 9]))
def test_it_ends_with_the_compliance_of_its_side(stretch, compliance, iterations):
    block = build_diagonals(REST, PAIR, compliance)
    moved, multipliers = projected(block, stretch * REST, [1.0, 0.5], iterations=iterations)
    value = np.linalg.norm(moved[1] - moved[0]) - 1.0
    softness = 1.0 if stretch > 1.0 else 1.0 / COMPRESSION_SHARE
    np.testing.assert_allclose(value + softness * compliance * multipliers[0, 0], 0.0, atol=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_a_chain_that_crumples_ends_in_balance(seed):
    """Links change sides between projections; the first one of all is that of a two-sided distance."""
    random = np.random.default_rng(seed)
    rest = np.cumsum(random.uniform(0.5, 1.0, (12, 3)), axis=0)
    pairs = np.array([[k, k + step] for step in (1, 3) for k in range(12 - step)], np.int32)
    soft = build_diagonals(rest, pairs, 0.2)
    both = build_two_sided_distance(rest, pairs, 0.2, 0.2 / COMPRESSION_SHARE)
    start, weights = rest + random.normal(0.0, 0.4, rest.shape), random.uniform(0.1, 2.0, 12)
    for found, expected in zip(projected(soft, start, weights), projected(both, start, weights), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-5)
    moved, multipliers = projected(soft, start, weights, iterations=300)
    values = soft.type.evaluate(moved.astype(np.float64), soft)
    np.testing.assert_allclose(np.where(values < 0.0, 2.0, 0.2) * multipliers, -values, atol=1e-5)
    assert (values > 1e-3).any()
    assert (values < -1e-3).any()


def test_what_was_pushed_across_is_mended():
    """A rod draws its end out, after it was pushed together: nothing of the push may stay."""
    start = np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [1.5, 0.0, 0.0]])
    block = build_diagonals(start, np.array([[0, 1], [2, 1]], np.int32), np.array([1.0, 1e-6]))
    block.parameters[:, 0] = 1.0, 0.2
    moved, multipliers = projected(block, start, [0.0, 1.0, 0.0], iterations=60)
    assert multipliers[0, 0] == pytest.approx(-0.3, abs=1e-4)
    assert moved[1, 0] == pytest.approx(1.3, abs=1e-4)
