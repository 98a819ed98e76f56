# SPDX-License-Identifier: GPL-3.0-or-later
"""Neo-Hookean and co-rotated tetrahedra against float64 energies and linear elasticity."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.constraints.corotated import build_corotated
from blender_xpbd.constraints.neo_hookean import build_neo_hookean
from tests.constraints.projection_kernel import projected
from tests.constraints.settling import settle
from tests.reference.elasticity import ENERGIES, slope, stable_neo_hookean, tetrahedron_energy, traction_forces

pytestmark = pytest.mark.usefixtures("taichi_cpu")

REST = np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.1, 1.1, 0.0], [0.2, 0.1, 0.9]])
TETRAHEDRON = np.array([[0, 1, 2, 3]], np.int32)
INVERSE_MASSES = np.array([0.5, 2.0, 1.0, 0.7])
# with equal masses it moves alike in all directions, so that a single projection is exact for a small strain
REGULAR = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
BUILD = {"neo_hookean": build_neo_hookean, "corotated": build_corotated}

both = pytest.mark.parametrize("name", BUILD)


def gradient_of(x, rest=REST):
    return (x[1:] - x[0]).T @ np.linalg.inv((rest[1:] - rest[0]).T)


@both
@pytest.mark.parametrize("poissons_ratio", [0.0, 0.3, 0.49])
@pytest.mark.parametrize("seed", range(3))
def test_short_steps_follow_the_forces_of_the_energy(name, poissons_ratio, seed):
    """Δx → −h² W ∇U as h → 0, for large deformation too."""
    x = REST + np.random.default_rng(seed).normal(0.0, 0.2, REST.shape)
    block = BUILD[name](REST, TETRAHEDRON, 1e3, poissons_ratio)
    h = 1e-3
    expected = -INVERSE_MASSES[:, None] * slope(lambda y: tetrahedron_energy(name, y, REST, 1e3, poissons_ratio), x)
    step = projected(block, x, INVERSE_MASSES, 1.0 / h**2)[0] - x
    size = np.abs(expected).max()
    np.testing.assert_allclose(step / h**2, expected, atol=0.05 * size)
    # twice as exact with a quarter of the stiffness, in units that single precision resolves
    block.parameters[:, -1] *= 10.0
    step = projected(block, x, INVERSE_MASSES, 1.0 / h**2)[0] - x
    np.testing.assert_allclose(step / h**2 * 10.0, expected, atol=0.005 * size + 3e-6 / h**2)


@both
@pytest.mark.parametrize("poissons_ratio", [0.0, 0.3, 0.45, 0.49, 0.499])
def test_young_and_poisson_are_those_of_a_tension_test(name, poissons_ratio):
    """Pulled and pushed by ±1 % a tetrahedron has the modulus and the ratio that it was given."""
    modulus, stress, h = 2e4, 200.0, 1e-3
    block = BUILD[name](REST, TETRAHEDRON, modulus, poissons_ratio)
    strains = []
    for sign in (1.0, -1.0):
        forces = traction_forces(np.diag([0.0, 0.0, sign * stress]), REST)
        f = gradient_of(settle(block, REST, forces, INVERSE_MASSES, h, 20000))
        strains.append(sign * (0.5 * (f + f.T) - np.eye(3)))
    strain = np.mean(strains, axis=0)
    assert stress / strain[2, 2] == pytest.approx(modulus, rel=0.01)
    assert -strain[0, 0] / strain[2, 2] == pytest.approx(poissons_ratio, abs=0.005)
    assert -strain[1, 1] / strain[2, 2] == pytest.approx(poissons_ratio, abs=0.005)


@pytest.mark.parametrize("ratio", [0.1, 0.2, 0.3, 0.4, 0.49])
def test_stretched_neo_hookean_sheet(ratio):
    """F = diag(s, a, 1), free along a, has a s = (λ̂ + μ) s²/(μ + λ̂ s²), at a stretch of 2."""
    stretch, mu = 2.0, 1e4
    # the sheet's ν in the plane, as a ν in space under plane strain; λ̂ = λ + μ
    plane = ratio / (1.0 + ratio)
    modulus = 2.0 * mu * (1.0 + plane)
    lame_hat = mu + 2.0 * mu * plane / (1.0 - 2.0 * plane)
    area = (lame_hat + mu) * stretch**2 / (mu + lame_hat * stretch**2)
    assert area == pytest.approx({0.1: 1.5094, 0.2: 1.4286, 0.3: 1.3559, 0.4: 1.2903, 0.49: 1.2365}[ratio], abs=1e-4)
    f = np.diag([stretch, area / stretch, 1.0])
    stress = slope(lambda g: stable_neo_hookean(g, modulus, plane), f)
    assert abs(stress[1, 1]) < 1e-6 * mu
    block = build_neo_hookean(REGULAR, TETRAHEDRON, modulus, plane)
    x = settle(block, REGULAR, traction_forces(stress, REGULAR), np.ones(4), 4e-4, 40000)
    got = gradient_of(x, REGULAR)
    np.testing.assert_allclose(got.T @ got, f.T @ f, rtol=2.5e-3, atol=1e-4)


@both
@pytest.mark.parametrize("poissons_ratio", [0.0, 0.3, 0.49])
@pytest.mark.parametrize("h", [5e-3, 2e-2, 1e-1])
def test_load_is_borne_alike_at_every_step(name, poissons_ratio, h):
    """A static strain does not depend on the substep, from a sixth to three times an element's own time."""
    modulus = 1e3
    stress = np.array([[0.6, 0.4, 0.0], [0.4, 0.0, 0.2], [0.0, 0.2, -0.4]])
    block = BUILD[name](REGULAR, TETRAHEDRON, modulus, poissons_ratio)
    x = settle(block, REGULAR, traction_forces(stress, REGULAR), np.ones(4), h, int(50 + 20 / h))
    f = gradient_of(x, REGULAR)
    strain = 0.5 * (f.T @ f - np.eye(3))
    expected = ((1.0 + poissons_ratio) * stress - poissons_ratio * np.trace(stress) * np.eye(3)) / modulus
    np.testing.assert_allclose(strain, expected, atol=0.03 * np.abs(expected).max())


@both
@pytest.mark.parametrize("h", [1e-3, 1.0])
@pytest.mark.parametrize("poissons_ratio", [0.0, 0.499])
def test_rest_stays_at_rest(name, h, poissons_ratio):
    block = BUILD[name](REST, TETRAHEDRON, 1e6, poissons_ratio)
    x, multipliers = projected(block, REST, INVERSE_MASSES, 1.0 / h**2, iterations=1000)
    np.testing.assert_allclose(x, REST, atol=2e-5)
    assert np.isfinite(multipliers).all()


@pytest.mark.parametrize("poissons_ratio", [0.0, 0.3, 0.499])
@pytest.mark.parametrize("shape", ["mirrored", "flat", "thin", "swollen", "small"])
@pytest.mark.parametrize("pbd", [False, True])
def test_neo_hookean_comes_back(poissons_ratio, shape, pbd):
    factors = {"mirrored": [1, 1, -1], "flat": [1, 1, 0], "thin": [0.02, 0.02, 1], "swollen": [4, 4, 4]}
    start = REST * factors.get(shape, [0.05, 0.05, 0.05])
    block = build_neo_hookean(REST, TETRAHEDRON, 1e5, poissons_ratio)
    if pbd:
        block.parameters[:, -1] = 0.9
    x = settle(block, start, np.zeros((4, 3)), INVERSE_MASSES, 0.01, 1000, pbd)
    assert np.abs(block.type.evaluate(x, block)).max() < 1e-2


@both
@pytest.mark.parametrize("h", [0.01, 0.1, 1.0])
def test_further_iterations_reach_the_implicit_step(name, h):
    """The minimum of ½ Δxᵀ M Δx + h² U, where the slope is 0."""
    modulus = 1e3
    start = REGULAR + np.random.default_rng(3).normal(0.0, 0.02, REGULAR.shape)
    block = BUILD[name](REGULAR, TETRAHEDRON, modulus, 0.3)

    def potential(y):
        return 0.5 * ((y - start) ** 2).sum() + h**2 * tetrahedron_energy(name, y, REGULAR, modulus, 0.3)

    once, often = (projected(block, start, np.ones(4), 1.0 / h**2, iterations=n)[0] for n in (1, 10))
    for x, share in ((once, 0.1), (often, 0.05)):
        assert np.abs(slope(potential, x)).max() < share * np.abs(slope(potential, start)).max()


@both
def test_pbd_moves_towards_rest_by_its_share(name):
    x = REST + np.random.default_rng(5).normal(0.0, 0.05, REST.shape)
    block = BUILD[name](REST, TETRAHEDRON, 1.0, 0.3)
    steps = []
    for share in (0.25, 0.5, 1.0):
        block.parameters[:, -1] = share
        moved, _ = projected(block, x, INVERSE_MASSES, pbd=True)
        steps.append((moved - x) / share)
    np.testing.assert_allclose(steps[0], steps[2], atol=2e-6)
    np.testing.assert_allclose(steps[1], steps[2], atol=2e-6)
    before, after = (np.abs(block.type.evaluate(y, block)).max() for y in (x, x + steps[2]))
    assert after < 0.6 * before


@given(
    st.integers(0, 10**6),
    st.floats(0.0, 0.499),
    st.floats(0.0, 3.0),
    st.floats(-6.0, 2.0),
    st.sampled_from(list(BUILD)),
)
def test_any_shape_stays_finite_and_bounded(seed, poissons_ratio, size, exponent, name):
    x = np.random.default_rng(seed).normal(0.0, size, REST.shape)
    block = BUILD[name](REST, TETRAHEDRON, 1.0, poissons_ratio)
    moved, multipliers = projected(block, x, INVERSE_MASSES, 10.0**-exponent * 1e2, iterations=4)
    assert np.isfinite(moved).all()
    assert np.isfinite(multipliers).all()
    assert np.abs(moved).max() < 20.0 * (1.0 + np.abs(x).max())


@both
def test_build(name):
    points = np.concatenate([REST, [[0.5, 0.05, 0.0]]])
    tetrahedra = np.array([[0, 1, 2, 3], [0, 1, 4, 3], [0, 2, 1, 3]], np.int32)
    block = BUILD[name](points, tetrahedra, np.array([1.0, 1.0, 2.0]), 0.3, np.array([1.0, 1.0, 0.5]))
    # the second is flat; the third has twice the modulus on half the material, and the other orientation
    np.testing.assert_array_equal(block.indices, tetrahedra[[0, 2]])
    assert block.parameters[0, -1] == pytest.approx(block.parameters[1, -1])
    np.testing.assert_allclose(block.type.evaluate(points, block), 0.0, atol=1e-12)
    with pytest.raises(ValueError, match="Poisson"):
        BUILD[name](points, tetrahedra, 1.0, 0.5)
    with pytest.raises(ValueError, match="Young"):
        BUILD[name](points, tetrahedra, 0.0, 0.3)


def test_energies_have_their_minimum_at_rest():
    for name, energy in ENERGIES.items():
        assert np.abs(slope(lambda f, e=energy: e(f, 1.0, 0.3), np.eye(3))).max() < 1e-9, name
