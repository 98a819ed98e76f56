# SPDX-License-Identifier: GPL-3.0-or-later
"""C = Σ cⱼ xⱼ, three rows: against a dense solve in NumPy, through the type of four and the one of eight particles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.constraints.attachments.element_attachment import ELEMENT_ATTACHMENT
from blender_xpbd.constraints.bending.isometric_bending import ISOMETRIC_BENDING
from blender_xpbd.constraints.constraint import ConstraintBlock
from tests.constraints.projection_kernel import projected

pytestmark = pytest.mark.usefixtures("taichi_cpu")

TYPES = {4: ISOMETRIC_BENDING, 8: ELEMENT_ATTACHMENT}
H = 0.1
both = pytest.mark.parametrize("count", TYPES)


def balanced(count, random):
    """Coefficients that sum to 0, as numbers that single precision has."""
    values = random.integers(-8, 9, count) / 8.0
    values[-1] -= values.sum()
    return values


def case(count, seed):
    """Block without compliance, positions, previous positions and inverse masses."""
    random = np.random.default_rng(seed)
    parameters = np.append(balanced(count, random), 0.0)[None]
    block = ConstraintBlock(TYPES[count], np.arange(count, dtype=np.int32)[None], parameters)
    places, before = random.normal(size=(2, count, 3))
    return block, places, before, random.uniform(0.1, 3.0, count)


def solved(block, places, weights, value, alpha_tilde, factor=1.0):
    """x − W ∇Cᵀ (factor ∇C W ∇Cᵀ + α̃)⁻¹ value with the whole Jacobian, shape (particles, 3)."""
    jacobian = np.kron(block.parameters[0, :-1], np.eye(3))
    masses = np.repeat(weights, 3)
    matrix = factor * (jacobian * masses) @ jacobian.T + alpha_tilde * np.eye(3)
    return places - (masses * (jacobian.T @ np.linalg.solve(matrix, value))).reshape(-1, 3)


@both
@pytest.mark.parametrize("compliance", [0.0, 1e-3, 0.2])
@pytest.mark.parametrize("seed", range(5))
def test_one_projection_is_the_whole_solve(count, compliance, seed):
    block, places, _, weights = case(count, seed)
    block.parameters[0, -1] = compliance
    value = block.type.evaluate(places, block)[0]
    expected = solved(block, places, weights, value, compliance / H**2)
    found, multipliers = projected(block, places, weights, 1.0 / H**2)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    # it is linear: further iterations change nothing, and C + α̃ λ = 0
    again, multipliers = projected(block, places, weights, 1.0 / H**2, iterations=4)
    np.testing.assert_allclose(again, expected, atol=2e-6)
    left = block.type.evaluate(again, block)[0] + compliance / H**2 * multipliers[0]
    np.testing.assert_allclose(left, 0.0, atol=1e-5 * (1.0 + np.abs(value).max()))


@both
@pytest.mark.parametrize("seed", range(5))
def test_damping_resists_the_change_of_the_sum(count, seed):
    block, places, before, weights = case(count, seed)
    block.parameters[0, -1] = compliance = 0.02
    time = 0.03
    gamma = time / H
    rate = block.type.evaluate(places - before, block)[0]
    value = block.type.evaluate(places, block)[0] + gamma * rate
    expected = solved(block, places, weights, value, compliance / H**2, 1.0 + gamma)
    for once in (True, False):
        found, _ = projected(block, places, weights, 1.0 / H**2, previous=before, damping=time, once=once)
        np.testing.assert_allclose(found, expected, atol=2e-6)


@both
def test_pbd_takes_its_share(count):
    block, places, _, weights = case(count, 3)
    value = block.type.evaluate(places, block)[0]
    for share in (0.25, 1.0):
        block.parameters[0, -1] = share
        found, _ = projected(block, places, weights, pbd=True)
        np.testing.assert_allclose(block.type.evaluate(found, block)[0], (1.0 - share) * value, atol=2e-6)


@both
@given(seed=st.integers(0, 10**6), compliance=st.floats(0.0, 1.0), shift=st.floats(-1e4, 1e4))
def test_momentum_is_kept_wherever_it_is(count, seed, compliance, shift):
    """Coefficients sum to 0, so the impulses do; a shift of everything moves nothing by more than rounding."""
    block, places, _, weights = case(count, seed)
    block.parameters[0, -1] = compliance
    near = projected(block, places, weights, 1.0 / H**2)[0] - places
    impulse = near / weights[:, None]
    np.testing.assert_allclose(impulse.sum(axis=0), 0.0, atol=1e-6 * (1.0 + np.abs(impulse).max()))
    far = projected(block, places + shift, weights, 1.0 / H**2)[0] - (places + shift)
    np.testing.assert_allclose(far, near, atol=1e-8 * (1.0 + abs(shift)))


def test_what_is_fixed_stays_and_the_others_do_all():
    block, places, _, weights = case(4, 1)
    weights[[0, 2]] = 0.0
    found, _ = projected(block, places, weights)
    np.testing.assert_array_equal(found[[0, 2]], places[[0, 2]])
    np.testing.assert_allclose(block.type.evaluate(found, block)[0], 0.0, atol=1e-6)
    np.testing.assert_array_equal(projected(block, places, np.zeros(4))[0], places)


def test_the_first_particle_may_repeat_without_a_coefficient():
    """As where a point is held by fewer than four particles: it must not be written twice."""
    parameters = np.array([[1.0, 0.0, 0.0, 0.0, -0.5, -0.5, 0.0, 0.0, 0.0]])
    block = ConstraintBlock(ELEMENT_ATTACHMENT, np.array([[0, 0, 0, 0, 1, 2, 0, 0]], np.int32), parameters)
    places = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    found, _ = projected(block, places, np.ones(3))
    # w Σ c² = 1.5, and C = (0, 0, 1)
    np.testing.assert_allclose(found[:, 2], [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0], atol=1e-6)
    np.testing.assert_allclose(found[:, :2], places[:, :2], atol=1e-7)


def test_coefficients_that_single_precision_rounds_pull_nothing_far_from_the_origin():
    """Thirds and sevenths do not quite sum to 0 there; a million metres away that would be decimetres."""
    weights = np.array([1 / 3, 1 / 3, 1 / 3, 0.0, -1 / 7, -2 / 7, -4 / 7, 0.0, 0.0])
    block = ConstraintBlock(ELEMENT_ATTACHMENT, np.array([[0, 1, 2, 0, 3, 4, 5, 0]], np.int32), weights[None])
    places = np.full((6, 3), 1e6)
    found, _ = projected(block, places, np.ones(6))
    np.testing.assert_array_equal(found, places)
