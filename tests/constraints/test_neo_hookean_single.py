# SPDX-License-Identifier: GPL-3.0-or-later
"""Neo-Hookean tetrahedra projected once per substep; ``test_elastic_tetrahedra`` settles them too."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.constraints.neo_hookean import build_neo_hookean
from tests.constraints.projection_kernel import projected
from tests.constraints.settling import settle
from tests.reference.elasticity import slope, tetrahedron_energy, traction_forces
from tests.reference.single_projection import project_once

pytestmark = pytest.mark.usefixtures("taichi_cpu")

REST = np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.1, 1.1, 0.0], [0.2, 0.1, 0.9]])
TETRAHEDRON = np.array([[0, 1, 2, 3]], np.int32)
INVERSE_MASSES = np.array([0.5, 2.0, 1.0, 0.7])
MODULUS = 100.0


def block_of(ratio=0.3, modulus=MODULUS):
    return build_neo_hookean(REST, TETRAHEDRON, modulus, ratio)


def once(x, h, ratio=0.3, modulus=MODULUS, weights=INVERSE_MASSES, **keywords):
    return projected(block_of(ratio, modulus), x, weights, 1.0 / h**2, once=True, **keywords)[0]


def deformed(size, seed=0):
    return REST + np.random.default_rng(seed).normal(0.0, size, REST.shape)


def turned(positions):
    axis, angle = np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0), 0.8
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    rotation = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return positions @ rotation.T + [0.4, -0.3, 0.6]


@pytest.mark.parametrize("ratio", [0.0, 0.3, 0.49])
@pytest.mark.parametrize("size", [0.02, 0.3, 2.0])
@pytest.mark.parametrize("h", [1e-2, 0.2, 5.0])
def test_it_is_that_of_the_reference(ratio, size, h):
    x = deformed(size)
    expected = project_once(x, REST, INVERSE_MASSES, h, MODULUS, ratio)
    got = once(x, h, ratio)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-5 * max(1.0, np.abs(expected - x).max()))


def test_short_steps_follow_the_forces_of_the_energy():
    x, h = deformed(0.2), 1e-3
    expected = (
        -(h**2) * INVERSE_MASSES[:, None] * slope(lambda y: tetrahedron_energy("neo_hookean", y, REST, MODULUS, 0.3), x)
    )
    np.testing.assert_allclose(once(x, h) - x, expected, atol=1e-3 * np.abs(expected).max())


@pytest.mark.parametrize("h", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("ratio", [0.0, 0.3, 0.499])
def test_rest_stays_at_rest_wherever_it_is(h, ratio):
    np.testing.assert_allclose(once(turned(REST), h, ratio), turned(REST), atol=1e-6)


@given(st.integers(0, 10**6), st.floats(0.01, 2.0), st.floats(1e-3, 10.0), st.floats(0.0, 0.499))
def test_momentum_is_kept(seed, size, h, ratio):
    x = deformed(size, seed)
    impulse = (once(x, h, ratio) - x) / INVERSE_MASSES[:, None]
    scale = np.abs(impulse).max() * (1.0 + np.abs(x).max()) + 1e-6
    np.testing.assert_allclose(impulse.sum(axis=0), 0.0, atol=1e-9 * scale)
    np.testing.assert_allclose(np.cross(x, impulse).sum(axis=0), 0.0, atol=1e-5 * scale)


@given(st.integers(0, 10**6), st.floats(0.01, 1.0), st.floats(1e-2, 10.0))
def test_it_moves_with_the_frame_of_reference(seed, size, h):
    x = deformed(size, seed)
    # strains are in single precision
    np.testing.assert_allclose(once(turned(x), h), turned(once(x, h)), atol=1e-6 * (1.0 + np.abs(once(x, h)).max()))


@pytest.mark.parametrize("h", [1e-2, 1.0, 1e4])
@pytest.mark.parametrize("factors", [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1e-9, 1e-9, 1e-9), (1, 1, -1), (1e3, 1e-3, 1)])
def test_degenerate_shapes_stay_finite_and_bounded(h, factors):
    x = (REST + np.array([0.0, 0.3, 0.1])) * factors
    end = once(x, h)
    assert np.isfinite(end).all()
    assert np.abs(end).max() < 30.0 * (1.0 + np.abs(x).max())


def test_fixed_corners_stay():
    weights = INVERSE_MASSES * [0.0, 1.0, 1.0, 1.0]
    x = deformed(0.1)
    end = once(x, 0.1, weights=weights)
    np.testing.assert_array_equal(end[0], x[0])
    assert np.abs(end - x)[1:].max() > 1e-3
    np.testing.assert_array_equal(once(x, 1e4, weights=np.zeros(4)), x)


@pytest.mark.parametrize("size", [0.05, 0.3])
def test_the_energy_of_the_step_falls(size):
    """Never past the minimum: ½ Δxᵀ M Δx + h² U is below its value at the start, for steps short and long."""
    for seed in range(20):
        x = deformed(size, seed)
        for h in (0.02, 0.1, 0.3, 1.0):

            def potential(y, x=x, h=h):
                elastic = tetrahedron_energy("neo_hookean", y, REST, MODULUS, 0.3)
                return 0.5 * ((y - x) ** 2 / INVERSE_MASSES[:, None]).sum() + h**2 * elastic

            assert potential(once(x, h)) < potential(x)


@pytest.mark.parametrize("ratio", [0.0, 0.3, 0.45])
def test_at_rest_the_energy_bears_the_load(ratio):
    """A tetrahedron pulled to large strain comes to rest where the slope of its energy is the load."""
    forces = traction_forces(np.diag([40.0, -15.0, 10.0]), REST)
    end = settle(block_of(ratio), REST, forces, INVERSE_MASSES, 3e-3, 100000)
    assert np.abs(end - REST).max() > 0.1
    force = slope(lambda y: tetrahedron_energy("neo_hookean", y, REST, MODULUS, ratio), end)
    np.testing.assert_allclose(force, forces, atol=5e-3 * np.abs(forces).max())
