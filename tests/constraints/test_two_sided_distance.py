# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances that pull and push differently, or only one of the two."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.constraints.two_sided_distance import (
    build_bumper,
    build_rope,
    build_tethers,
    build_two_sided_distance,
)
from tests.constraints.projection_kernel import projected

pytestmark = pytest.mark.usefixtures("taichi_cpu")

PAIR = np.array([[0, 1]], np.int32)
REST = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])


def at(length):
    return np.array([[0.0, 0.0, 0.0], [length, 0.0, 0.0]])


@given(st.floats(0.1, 3.0), st.sampled_from([0.0, 0.1, 2.0, np.inf]), st.sampled_from([0.0, 0.3, 5.0, np.inf]))
def test_one_projection_solves_the_side_that_it_ends_on(length, stretch, compression):
    block = build_two_sided_distance(REST, PAIR, stretch, compression)
    if not len(block):
        assert stretch == compression == np.inf
        return
    moved, multipliers = projected(block, at(length), [1.0, 0.5])
    value = np.linalg.norm(moved[1] - moved[0]) - 1.0
    compliance = stretch if length > 1.0 else compression
    if np.isinf(compliance):
        np.testing.assert_array_equal(moved, at(length))
        assert multipliers[0, 0] == 0.0
    else:
        np.testing.assert_allclose(value + compliance * multipliers[0, 0], 0.0, atol=1e-6)
        assert value * (length - 1.0) >= -1e-6


@pytest.mark.parametrize("pbd", [False, True])
def test_a_rope_pulls_and_a_bumper_pushes(pbd):
    value = 1.0 if pbd else 0.0
    for build, held, let_go in ((build_rope, 1.5, 0.5), (build_bumper, 0.5, 1.5)):
        block = build(REST, PAIR, value)
        moved, _ = projected(block, at(held), [1.0, 1.0], pbd=pbd)
        np.testing.assert_allclose(moved[1, 0] - moved[0, 0], 1.0, atol=1e-6)
        moved, _ = projected(block, at(let_go), [1.0, 1.0], pbd=pbd)
        np.testing.assert_array_equal(moved, at(let_go))
        assert block.type.evaluate(at(let_go), block)[0, 0] == 0.0


def test_the_multiplier_of_an_inequality_never_changes_sign():
    """A rope pulls first; then a rod pushes its end back until it is slack: nothing of the pull may stay."""
    start = np.array([[0.0, 0.0, 0.0], [1.5, 0.0, 0.0], [0.5, 0.0, 0.0]])
    pairs = np.array([[0, 1], [2, 1]], np.int32)
    block = build_two_sided_distance(
        start, pairs, np.zeros(2), np.array([np.inf, 0.0]), rest_lengths=np.array([1.0, 0.2])
    )
    for iterations in range(1, 8):
        _, multipliers = projected(block, start, [0.0, 1.0, 0.0], iterations=iterations)
        assert multipliers[0, 0] <= 0.0
    moved, multipliers = projected(block, start, [0.0, 1.0, 0.0], iterations=10)
    assert multipliers[0, 0] == 0.0
    np.testing.assert_allclose(moved[1, 0], 0.7, atol=1e-6)


def test_a_slack_rope_is_not_damped():
    block = build_rope(REST, PAIR, 0.0)
    moved, _ = projected(block, at(0.8), [1.0, 1.0], previous=at(0.9), damping=0.5)
    np.testing.assert_array_equal(moved, at(0.8))


def test_a_hanging_weight_stretches_the_softer_side():
    """The stretch of a link under the force F is α F, whatever the iterations."""
    block = build_two_sided_distance(REST, PAIR, 1e-3, 1e-1)
    for iterations in (1, 5, 50):
        # one implicit substep from equilibrium: the predicted place is h²F/m further
        stretch, force, inverse_h2 = 1e-3 * 9.81, 9.81, 1e4
        moved, _ = projected(block, at(1.0 + stretch + force / inverse_h2), [0.0, 1.0], inverse_h2, iterations)
        np.testing.assert_allclose(moved[1, 0], 1.0 + stretch, atol=1e-6)


def test_what_cannot_work_is_left_out():
    same_place = np.zeros((2, 3))
    assert len(build_bumper(same_place, PAIR, 0.0)) == 0
    assert len(build_rope(same_place, PAIR, 0.0)) == 1
    assert len(build_rope(REST, PAIR, np.inf)) == 0


def test_tethers_are_ropes_with_slack():
    block = build_tethers(PAIR, np.array([2.0]), slack=1.1)
    moved, _ = projected(block, at(3.0), [0.0, 1.0])
    np.testing.assert_allclose(moved[1, 0], 2.2, atol=1e-6)
    moved, _ = projected(block, at(2.1), [0.0, 1.0])
    np.testing.assert_allclose(moved[1, 0], 2.1, atol=1e-6)
