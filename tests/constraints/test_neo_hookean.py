# SPDX-License-Identifier: GPL-3.0-or-later
"""Neo-Hookean tetrahedra projected repeatedly; ``test_elastic_tetrahedra`` has what co-rotated ones share."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.constraints.neo_hookean import NEO_HOOKEAN, build_neo_hookean
from blender_xpbd.constraints.tetrahedron_element import SMALLEST_FILL, lame_parameters
from tests.constraints.projection_kernel import projected
from tests.constraints.settling import settle
from tests.reference.elasticity import slope, tetrahedron_energy, traction_forces

pytestmark = pytest.mark.usefixtures("taichi_cpu")

REST = np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.1, 1.1, 0.0], [0.2, 0.1, 0.9]])
TETRAHEDRON = np.array([[0, 1, 2, 3]], np.int32)
INVERSE_MASSES = np.array([0.5, 2.0, 1.0, 0.7])
MODULUS = 100.0


def block_of(ratio=0.3, order=(0, 1, 2, 3)):
    return build_neo_hookean(REST, np.array([order], np.int32), MODULUS, ratio)


def deformed(size, seed=0):
    return REST + np.random.default_rng(seed).normal(0.0, size, REST.shape)


def turned(positions):
    axis, angle = np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0), 0.8
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return positions @ (np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross).T + [0.4, -0.3, 0.6]


@given(
    seed=st.integers(0, 10**6),
    size=st.floats(0.01, 2.0),
    h=st.floats(1e-3, 10.0),
    ratio=st.floats(0.0, 0.499),
    pbd=st.booleans(),
)
def test_momentum_is_kept(seed, size, h, ratio, pbd):
    x, block = deformed(size, seed), block_of(ratio)
    if pbd:
        block.parameters[:, -1] = 0.7
    found, _ = projected(block, x, INVERSE_MASSES, 1.0 / h**2, pbd=pbd)
    impulse = (found - x) / INVERSE_MASSES[:, None]
    scale = np.abs(impulse).max() * (1.0 + np.abs(x).max()) + 1e-6
    np.testing.assert_allclose(impulse.sum(axis=0), 0.0, atol=1e-9 * scale)
    np.testing.assert_allclose(np.cross(x, impulse).sum(axis=0), 0.0, atol=1e-5 * scale)


@pytest.mark.parametrize("order", list(itertools.permutations(range(4)))[1::5])
@pytest.mark.parametrize("once", [False, True])
def test_the_order_of_the_corners_does_not_matter(order, once):
    """Odd permutations turn the orientation, which the rest shape has too."""
    x = deformed(0.2)
    found, expected = (
        projected(one, x, INVERSE_MASSES, 1e2, once=once)[0] for one in (block_of(order=order), block_of())
    )
    assert np.abs(expected - x).max() > 1e-2
    # inverse rest edges are rounded to single precision from another corner
    np.testing.assert_allclose(found, expected, atol=2e-5)


@pytest.mark.parametrize("iterations", [1, 3])
def test_it_moves_with_the_frame_of_reference(iterations):
    x = deformed(0.3)
    found, _ = projected(block_of(), turned(x), INVERSE_MASSES, 1e2, iterations=iterations)
    expected, _ = projected(block_of(), x, INVERSE_MASSES, 1e2, iterations=iterations)
    assert np.abs(expected - x).max() > 1e-2
    np.testing.assert_allclose(found, turned(expected), atol=2e-6)


def test_the_static_strain_goes_with_the_square_of_the_step():
    """Second order: half the substep, a quarter of the error, at large strain."""
    forces = traction_forces(np.diag([40.0, -15.0, 10.0]), REST)
    ends = [settle(block_of(), REST, forces, INVERSE_MASSES, h, int(200 / h)) for h in (0.02, 0.01, 0.0025)]
    coarse, fine = (np.abs(measure(end) - measure(ends[2])).max() for end in ends[:2])
    assert coarse > 1e-4
    assert 3.0 < coarse / fine < 6.0


def measure(x):
    """FᵀF, which no rotation changes."""
    f = (x[1:] - x[0]).T @ np.linalg.inv((REST[1:] - REST[0]).T)
    return f.T @ f


@pytest.mark.parametrize("ratio", [0.0, 0.3, 0.45])
def test_many_iterations_give_the_implicit_step(ratio):
    """x − x̃ = −h² W ∇U(x); and no multipliers at rest."""
    x, h = deformed(0.1, 3), 0.05
    found, _ = projected(block_of(ratio), x, INVERSE_MASSES, 1.0 / h**2, iterations=40)
    force = slope(lambda y: tetrahedron_energy("neo_hookean", y, REST, MODULUS, ratio), found)
    expected = -(h**2) * INVERSE_MASSES[:, None] * force
    assert np.abs(expected).max() > 0.01
    np.testing.assert_allclose(found - x, expected, atol=0.05 * np.abs(expected).max())
    np.testing.assert_allclose(projected(block_of(ratio), REST, INVERSE_MASSES, 1.0 / h**2)[1], 0.0, atol=1e-3)


@pytest.mark.parametrize("h", [1e-2, 1.0, 1e4])
@pytest.mark.parametrize("factors", [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1e-9, 1e-9, 1e-9), (1, 1, -1), (1e3, 1e-3, 1)])
@pytest.mark.parametrize("pbd", [False, True])
def test_degenerate_shapes_stay_finite_and_bounded(h, factors, pbd):
    x = (REST + np.array([0.0, 0.3, 0.1])) * factors
    block = block_of()
    if pbd:
        block.parameters[:, -1] = 1.0
    found, multipliers = projected(block, x, INVERSE_MASSES, 1.0 / h**2, iterations=5, pbd=pbd)
    assert np.isfinite(found).all()
    assert np.isfinite(multipliers).all()
    assert np.abs(found).max() < 30.0 * (1.0 + np.abs(x).max())


def test_fixed_corners_stay():
    x = deformed(0.1)
    found, _ = projected(block_of(), x, INVERSE_MASSES * [0.0, 1.0, 0.0, 1.0], 1e2, iterations=3)
    np.testing.assert_array_equal(found[[0, 2]], x[[0, 2]])
    assert np.abs(found - x)[[1, 3]].max() > 1e-3
    np.testing.assert_array_equal(projected(block_of(), x, np.zeros(4), 1e2)[0], x)


def test_measured_strains_are_those_of_the_deformation():
    """F = diag: |F − cof F| and det F − 1."""
    f = np.diag([1.2, 0.9, 1.1])
    found = NEO_HOOKEAN.evaluate(REST @ f.T, block_of())[0]
    cofactors = np.linalg.det(f) * np.linalg.inv(f).T
    np.testing.assert_allclose(found, [np.linalg.norm(f - cofactors), np.linalg.det(f) - 1.0], rtol=1e-12)


def test_parameters_are_the_lame_ones_of_the_material():
    block = build_neo_hookean(REST, TETRAHEDRON, 1e4, 0.25, fill=0.5)
    mu, lame = lame_parameters(1e4, 0.25)
    assert (mu, lame) == (pytest.approx(4e3), pytest.approx(4e3))
    volume = abs(np.linalg.det(REST[1:] - REST[0])) / 6.0
    assert block.parameters[0, 9] == pytest.approx((lame + mu) / mu)
    assert block.parameters[0, -1] == pytest.approx(1.0 / (mu * volume * 0.5))
    # nearly empty cells keep a compliance that single precision has
    empty = build_neo_hookean(REST, TETRAHEDRON, 1e4, 0.25, fill=1e-30)
    assert empty.parameters[0, -1] == pytest.approx(1.0 / (mu * volume * SMALLEST_FILL))
