# SPDX-License-Identifier: GPL-3.0-or-later
"""Projections that begin where the substep before ended."""

import numpy as np
import pytest
import taichi as ti

from blender_xpbd.constraints import CONSTRAINTS
from blender_xpbd.constraints.constraint import WARM
from blender_xpbd.constraints.neo_hookean import NEO_HOOKEAN, build_neo_hookean
from blender_xpbd.constraints.neo_hookean_single import MOBILITY, hardness, least_mobility
from blender_xpbd.device.packs import pack_type
from blender_xpbd.solver.acts.functions import project_constraint
from blender_xpbd.solver.step.packs import VECTORS
from tests.constraints.projection_kernel import ProjectedConstraints
from tests.reference.elasticity import slope, tetrahedron_energy, traction_forces
from tests.reference.single_projection import project_warm

pytestmark = pytest.mark.usefixtures("taichi_cpu")

REST = np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.1, 1.1, 0.0], [0.2, 0.1, 0.9]])
TETRAHEDRON = np.array([[0, 1, 2, 3]], np.int32)
INVERSE_MASSES = np.array([0.5, 2.0, 1.0, 0.7])
VECTOR4 = ti.types.vector(4, ti.f64)
WarmParticles = pack_type(positions=VECTORS, previous_positions=VECTORS, corrections=VECTORS)


@ti.kernel
def project_kernel(
    particles: WarmParticles,
    constraints: ProjectedConstraints,
    inverse_h2: ti.f64,
    mode: ti.template(),
    kind: ti.template(),
):
    ti.loop_config(serialize=True)
    for _ in range(1):
        step = ti.Vector([inverse_h2, 0.0, ti.sqrt(inverse_h2), 0.0])
        project_constraint(particles, constraints, 0, 0, 0, step, mode, kind)


def warm(block, x, previous, h, given, weights=INVERSE_MASSES):
    """Corners, what is kept and corrections, each as the reference has them."""
    block = block.prepared(weights)
    vectors = []
    for values, last in ((x, weights), (previous, np.zeros(4)), (np.zeros((4, 3)), np.zeros(4))):
        vectors.append(ti.ndarray(VECTOR4, 4))
        vectors[-1].from_numpy(np.concatenate([values, last[:, None]], axis=1))
    arrays = []
    for values, kind in ((block.indices, ti.i32), (block.parameters, ti.f32), (given.T, ti.f64)):
        arrays.append(ti.ndarray(kind, values.size))
        arrays[-1].from_numpy(values.ravel().astype({ti.i32: np.int32, ti.f32: np.float32, ti.f64: np.float64}[kind]))
    packs = WarmParticles(*vectors), ProjectedConstraints(*arrays)
    project_kernel(*packs, 1.0 / h**2, WARM, CONSTRAINTS.index(NEO_HOOKEAN))
    assert (vectors[2].to_numpy()[:, 3] == 0.0).all()
    return vectors[0].to_numpy()[:, :3], arrays[2].to_numpy().reshape(3, 3).T, vectors[2].to_numpy()[:, :3]


@pytest.mark.parametrize("ratio", [0.0, 0.3, 0.49])
@pytest.mark.parametrize("size", [0.02, 0.5])
@pytest.mark.parametrize("h", [1e-2, 0.1, 0.2, 0.3, 5.0])
def test_it_is_that_of_the_reference(ratio, size, h):
    random = np.random.default_rng(0)
    x, previous = (REST + random.normal(0.0, size, REST.shape) for _ in range(2))
    given = 0.1 * h**2 * random.normal(0.0, 1.0, (3, 3))
    block = build_neo_hookean(REST, TETRAHEDRON, 100.0, ratio)
    expected = project_warm(x, REST, INVERSE_MASSES, h, 100.0, ratio, given)
    for got, right in zip(warm(block, x, previous, h, given), expected, strict=True):
        np.testing.assert_allclose(got, right, rtol=0, atol=1e-5 * max(1e-3, np.abs(right).max()))


@pytest.mark.parametrize("size", [1e-7, 1e-3, 1e5])
def test_size_does_not_matter(size):
    """Of one density, and as stiff for its size: impulses go by the fifth power, and are kept to 1e-7 all the same."""
    random, h = np.random.default_rng(3), 0.1
    x, given = REST + random.normal(0.0, 1e-2, REST.shape), 1e-2 * h**2 * random.normal(0.0, 1.0, (3, 3))
    expected = warm(build_neo_hookean(REST, TETRAHEDRON, 100.0, 0.45), x, REST, h, given)
    block = build_neo_hookean(size * REST, TETRAHEDRON, 100.0 * size**2, 0.45)
    got = warm(block, size * x, size * REST, h, size**5 * given, INVERSE_MASSES / size**3)
    for values, power, right in zip(got, (1, 5, 1), expected, strict=True):
        np.testing.assert_allclose(values / size**power, right, rtol=0, atol=1e-5 * np.abs(right).max())
    np.testing.assert_allclose(got[0] / size - x, expected[0] - x, rtol=0, atol=1e-4 * np.abs(expected[0] - x).max())


def test_a_warm_start_rests_under_the_same_load():
    """Pulled to large strain, at rest the slope of the energy is the load: no share of it is given twice."""
    block, h = build_neo_hookean(REST, TETRAHEDRON, 100.0, 0.3), 0.02
    forces = traction_forces(np.diag([40.0, -15.0, 10.0]), REST)
    x, given, correction = REST, np.zeros((3, 3)), np.zeros((4, 3))
    for _ in range(800):
        predicted = x + h**2 * INVERSE_MASSES[:, None] * forces
        x, given, correction = warm(block, predicted + correction, REST, h, given)
    assert np.abs(correction).max() > 0.5 * h**2 * np.abs(INVERSE_MASSES[:, None] * forces).max()
    force = slope(lambda y: tetrahedron_energy("neo_hookean", y, REST, 100.0, 0.3), x)
    np.testing.assert_allclose(force, forces, atol=0.02 * np.abs(forces).max())


def test_hardness_goes_with_the_modulus_and_the_square_of_the_substep():
    soft, stiff = (
        build_neo_hookean(REST, TETRAHEDRON, modulus, 0.3).prepared(INVERSE_MASSES) for modulus in (1e2, 1e4)
    )
    shape, volume = hardness(soft, 2e-3)
    np.testing.assert_allclose(hardness(stiff, 2e-3), (100.0 * shape, 100.0 * volume), rtol=1e-6)
    np.testing.assert_allclose(hardness(soft, 4e-3), (4.0 * shape, 4.0 * volume), rtol=1e-12)
    # of this element, by hand: β a κ with κ = 2 and 3 r − 1, r = 1/(1 − 2ν)
    assert volume / shape == pytest.approx((3.0 * 2.5 - 1.0) / 2.0, rel=1e-6)


@ti.kernel
def least_kernel(mean: ti.f64, greatest: ti.f64, ratio: ti.f64) -> ti.f64:
    return least_mobility(mean, greatest, ratio)


@pytest.mark.parametrize("ratio", [0.0, 0.45])
@pytest.mark.parametrize("lightest", [1.0, 3.0, 100.0, 1e6])
def test_kernels_and_blocks_have_the_same_least_mobility(lightest, ratio):
    inverse_masses = np.array([lightest, 1.0, 1.0, 1.0])
    block = build_neo_hookean(REST, TETRAHEDRON, 1e4, ratio).prepared(inverse_masses)
    rows = block.parameters[0, :9].reshape(3, 3)
    rows = np.vstack([-rows.sum(axis=0), rows])
    mobilities = np.linalg.eigvalsh(rows.T @ (inverse_masses[:, None] * rows))
    mean, least = block.parameters[0, MOBILITY : MOBILITY + 2]
    assert mean == pytest.approx(mobilities.mean(), rel=1e-9)
    assert least_kernel(mean, mobilities[2], 1.0 / (1.0 - 2.0 * ratio)) == pytest.approx(least, rel=1e-5)
    # of a single corner that moves, a share of 0.8 + 0.4 + 0.3/r
    if lightest == 1e6:
        share = 1.2 + 0.3 * (1.0 - 2.0 * ratio)
        assert least == pytest.approx(share * mobilities[2], rel=1e-4)


def test_what_hardly_changes_its_volume_is_harder_along_it():
    ratios = [
        hardness(build_neo_hookean(REST, TETRAHEDRON, 1e4, nu).prepared(INVERSE_MASSES), 2e-3) for nu in (0.3, 0.49)
    ]
    (shape, volume), (other_shape, other_volume) = ratios
    assert other_shape == pytest.approx(shape * 1.3 / 1.49, rel=1e-6)
    assert other_volume > 10.0 * volume
