# SPDX-License-Identifier: GPL-3.0-or-later
"""The reference itself, against what can be derived by hand."""

import numpy as np
import pytest

from tests.reference.constraint_functions import FUNCTIONS
from tests.reference.scenes import PARAMETERS, SHAPES
from tests.reference.xpbd import Constraint, step


def spring(compliance, rest=1.0):
    return Constraint(np.array([0, 1]), lambda x: FUNCTIONS["distance"](x, rest), compliance)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradient_is_the_derivative(name):
    x = SHAPES[name] + np.random.default_rng(0).normal(0.0, 0.1, SHAPES[name].shape)
    _, gradient = FUNCTIONS[name](x, *PARAMETERS[name])
    size = 1e-6
    for particle in range(len(x)):
        for axis in range(3):
            shift = np.zeros_like(x)
            shift[particle, axis] = size
            ahead, _ = FUNCTIONS[name](x + shift, *PARAMETERS[name])
            behind, _ = FUNCTIONS[name](x - shift, *PARAMETERS[name])
            np.testing.assert_allclose(gradient[:, particle, axis], (ahead - behind) / (2 * size), atol=1e-8)


@pytest.mark.parametrize("iterations", [1, 3, 20])
def test_spring_is_backward_euler_at_every_iteration_count(iterations):
    """Offset = x̃ / (1 + h²/(αm)), C + α̃λ = 0, decay 1/√(1 + ω²h²) per step (XPBD 2016, §6.1)."""
    alpha, h, mass = 1e-3, 1 / 240, 1.0
    x, v, w = np.array([[0.0, 0, 0], [1.5, 0, 0]]), np.zeros((2, 3)), np.array([0.0, 1.0 / mass])
    offset, speed = 0.5, 0.0
    for _ in range(50):
        energy = offset**2 / alpha + mass * speed**2
        x, v, multipliers = step(x, v, w, [spring(alpha)], h, np.zeros(3), iterations)
        ahead = (offset + h * speed) / (1.0 + h * h / (alpha * mass))
        offset, speed = ahead, (ahead - offset) / h
        assert x[1, 0] - 1.0 == pytest.approx(offset, abs=1e-12)
        assert x[1, 0] - 1.0 + alpha / h**2 * multipliers[0][0] == pytest.approx(0.0, abs=1e-12)
        decay = np.sqrt((offset**2 / alpha + mass * speed**2) / energy)
        assert decay == pytest.approx(1.0 / np.sqrt(1.0 + h * h / (alpha * mass)), rel=1e-9)


@pytest.mark.parametrize("stiffness", [0.1, 0.5, 0.9])
def test_pbd_leaves_its_residual(stiffness):
    """(1 − k)ⁿ after n iterations (PBD 2007, §3.3)."""
    x, w = np.array([[0.0, 0, 0], [1.5, 0, 0]]), np.array([0.0, 1.0])
    x, _, _ = step(x, np.zeros((2, 3)), w, [spring(stiffness)], 1 / 24, np.zeros(3), 7, is_pbd=True)
    assert x[1, 0] - 1.0 == pytest.approx(0.5 * (1.0 - stiffness) ** 7, rel=1e-9)


def test_damping_takes_energy_and_keeps_the_equilibrium():
    """XPBD 2016, eq. 26: with γ = τ/h a spring at rest stays, and one that moves loses energy faster."""
    damped = Constraint(np.array([0, 1]), lambda x: FUNCTIONS["distance"](x, 1.0), 1e-3, damping_time=0.01)
    amplitudes = []
    for constraint in (spring(1e-3), damped):
        x, v, w = np.array([[0.0, 0, 0], [1.5, 0, 0]]), np.zeros((2, 3)), np.array([0.0, 1.0])
        path = []
        for _ in range(2000):
            x, v, _ = step(x, v, w, [constraint], 1e-3, np.array([9.81, 0, 0]))
            path.append(x[1, 0])
        amplitudes.append(np.ptp(path[-200:]))
    assert amplitudes[1] < 0.1 * amplitudes[0]
    assert path[-1] - 1.0 == pytest.approx(9.81e-3, rel=1e-3)
