# SPDX-License-Identifier: GPL-3.0-or-later
"""Particles held to moving points, softly by a frequency."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.constraints.attachment import build_attachment, pin_compliance
from tests.constraints.projection_kernel import projected

PAIR = np.array([[0, 1]], np.int32)
vectors = st.tuples(*[st.floats(-3.0, 3.0)] * 3)


@pytest.mark.usefixtures("taichi_cpu")
@given(vectors, vectors, st.floats(0.0, 10.0), st.floats(0.1, 10.0))
def test_one_projection_is_the_implicit_step_of_a_spring(place, target, compliance, inverse_mass):
    """C + α̃ λ = 0 in all three rows, and the point, whose inverse mass is 0, stays."""
    positions = np.array([place, target])
    block = build_attachment(PAIR, np.array([compliance]))
    moved, multipliers = projected(block, positions, [inverse_mass, 0.0])
    np.testing.assert_allclose(moved[0] - moved[1] + compliance * multipliers[0], 0.0, atol=2e-5)
    np.testing.assert_allclose(moved[1], target, atol=1e-6)
    share = inverse_mass / (inverse_mass + compliance)
    np.testing.assert_allclose(moved[0], positions[0] + share * (positions[1] - positions[0]), atol=1e-5)


@given(st.floats(0.01, 0.99), st.floats(1e-6, 1e6), st.floats(0.1, 100.0))
def test_a_soft_pin_has_its_frequency_whatever_the_mass(weight, mass, frequency):
    """√(1/(α m)) / 2π is f √(w/(1 − w)): the given frequency at a weight of one half."""
    alpha = pin_compliance(np.array([weight], np.float32), np.array([mass]), frequency)[0]
    expected = frequency * np.sqrt(weight / (1.0 - weight))
    assert np.sqrt(1.0 / (alpha * mass)) / (2.0 * np.pi) == pytest.approx(expected, rel=1e-4)


def test_weight_one_is_rigid_and_less_is_softer():
    alpha = pin_compliance(np.array([1.0, 0.9, 0.5, 0.1], np.float32), np.full(4, 0.3), 5.0)
    assert alpha[0] == 0.0
    assert (np.diff(alpha) > 0.0).all()
