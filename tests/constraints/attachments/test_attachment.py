# SPDX-License-Identifier: GPL-3.0-or-later
"""Particles held to moving points, softly by a frequency."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.constraints.attachments.attachment import LAG, build_attachment, pin_compliance
from tests.constraints.projection_kernel import projected

PAIR = np.array([[0, 1]], np.int32)
vectors = st.tuples(*[st.floats(-3.0, 3.0)] * 3)


@pytest.mark.usefixtures("taichi_cpu")
@given(vectors, vectors, vectors, vectors, st.floats(0.0, 10.0), st.floats(0.1, 10.0))
def test_the_force_is_that_of_a_little_before_the_end(place, target, place_before, target_before, alpha, inverse_mass):
    """C − L ΔC + α̃ λ = 0 in all three rows, and the point, whose inverse mass is 0, stays."""
    positions, before = np.array([place, target]), np.array([place_before, target_before])
    block = build_attachment(PAIR, np.array([alpha]))
    moved, multipliers = projected(block, positions, [inverse_mass, 0.0], previous=before)
    lag = LAG / (1.0 + inverse_mass / (alpha + 1e-30))
    felt = (1.0 - lag) * (moved[0] - moved[1]) + lag * (before[0] - before[1])
    np.testing.assert_allclose(felt + alpha * multipliers[0], 0.0, atol=5e-5)
    np.testing.assert_allclose(moved[1], target, atol=1e-6)
    np.testing.assert_allclose(moved[0] - positions[0], inverse_mass * multipliers[0], atol=5e-5)


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
