# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints that solve for an elastic energy as a whole, against implicit steps by Newton's method."""

import numpy as np
import pytest

from blender_xpbd.constraints.corotated import build_corotated
from blender_xpbd.constraints.neo_hookean import build_neo_hookean
from tests.constraints.projection_kernel import projected
from tests.reference.energies import ENERGIES, energy, implicit_step
from tests.reference.scenes import INVERSE_MASSES, TETRAHEDRON

pytestmark = pytest.mark.usefixtures("taichi_cpu")

BUILDERS = {"neo_hookean": build_neo_hookean, "corotated": build_corotated}
W = INVERSE_MASSES[:4]
MODULUS = 100.0

every = pytest.mark.parametrize("name", ENERGIES)
ratios = pytest.mark.parametrize("ratio", [0.1, 0.3, 0.45])


def deformed(size):
    return TETRAHEDRON + np.random.default_rng(3).normal(0.0, size, TETRAHEDRON.shape)


def block(name, ratio):
    return BUILDERS[name](TETRAHEDRON, np.array([[0, 1, 2, 3]], np.int32), MODULUS, ratio)


@every
@ratios
def test_gradient_is_the_derivative(name, ratio):
    x = deformed(0.1)
    _, slope = energy(x, TETRAHEDRON, name, MODULUS, ratio)
    for particle in range(4):
        for axis in range(3):
            shift = np.zeros_like(x)
            shift[particle, axis] = 1e-6
            ahead, behind = (energy(x + s * shift, TETRAHEDRON, name, MODULUS, ratio)[0] for s in (1, -1))
            assert slope[particle, axis] == pytest.approx((ahead - behind) / 2e-6, rel=1e-5, abs=1e-6)


@every
@ratios
def test_short_step_is_the_force(name, ratio):
    """Δx → −h² M⁻¹ ∇U as h → 0: the stress is that of the energy."""
    x, h = deformed(0.1), 1e-2
    expected = -(h**2) * W[:, None] * energy(x, TETRAHEDRON, name, MODULUS, ratio)[1]
    got, _ = projected(block(name, ratio), x, W, 1.0 / h**2)
    np.testing.assert_allclose(got - x, expected, atol=0.06 * np.abs(expected).max())


@every
@ratios
def test_iterations_end_in_the_implicit_step(name, ratio):
    x, h = deformed(0.1), 0.1
    expected = implicit_step(x, 1.0 / W, h, lambda y: energy(y, TETRAHEDRON, name, MODULUS, ratio))
    got, _ = projected(block(name, ratio), x, W, 1.0 / h**2, iterations=300)
    assert np.abs(expected - x).max() > 0.02
    # the directions of the stored multipliers turn on the way
    np.testing.assert_allclose(got, expected, atol=0.06 * np.abs(expected - x).max())
