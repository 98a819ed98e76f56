# SPDX-License-Identifier: GPL-3.0-or-later
"""The membrane against the plane stress of linear elasticity, along and across its warp."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.constraints.membrane import build_membrane, warp_directions_from_uv
from tests.constraints.projection_kernel import projected
from tests.constraints.settling import settle
from tests.reference.elasticity import slope

pytestmark = pytest.mark.usefixtures("taichi_cpu")

TRIANGLE = np.array([[0, 1, 2]], np.int32)
REST = np.array([[0.0, 0.0, 0.0], [1.0, 0.2, 0.0], [0.3, 0.9, 0.0]])
INVERSE_MASSES = np.array([0.5, 2.0, 1.0])
AREA = 0.5 * (1.0 * 0.9 - 0.3 * 0.2)
WARP, WEFT, SHEAR, POISSON = 200.0, 80.0, 15.0, 0.3
DIRECTION = np.array([0.8, 0.6, 0.0])


def woven(rest=REST, direction=DIRECTION):
    return build_membrane(rest, TRIANGLE, WARP, WEFT, SHEAR, POISSON, direction[None])


def compliance_matrix():
    cross = -POISSON / np.sqrt(WARP * WEFT)
    return np.array([[1 / WARP, cross, 0], [cross, 1 / WEFT, 0], [0, 0, 1 / SHEAR]])


def energy(x, block):
    """A/2 Cᵀ K C [J]."""
    strain = block.type.evaluate(x, block)[0]
    return 0.5 * AREA * strain @ np.linalg.solve(compliance_matrix(), strain)


def material_frame(direction=DIRECTION):
    return np.stack([direction, np.cross([0.0, 0.0, 1.0], direction)])


def planar_gradient(x, frame):
    edges, rest_edges = (x[1:] - x[0]).T, (frame @ (REST[1:] - REST[0]).T)
    return frame @ edges @ np.linalg.inv(rest_edges)


def test_short_steps_follow_the_forces_of_the_energy():
    """Δx → −h² W ∇U."""
    x, h, block = REST + np.random.default_rng(0).normal(0.0, 0.2, REST.shape), 3e-3, woven()
    expected = -INVERSE_MASSES[:, None] * slope(lambda y: energy(y, block), x)
    step = projected(block, x, INVERSE_MASSES, 1.0 / h**2)[0] - x
    np.testing.assert_allclose(step / h**2, expected, atol=0.02 * np.abs(expected).max())


@pytest.mark.parametrize("tension", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.5, -0.4, 0.3]])
@pytest.mark.parametrize("h", [0.01, 0.1, 10.0])
def test_strain_is_that_of_plane_stress_at_every_step(tension, h):
    """ε = α σ A in the material's frame, whatever the substep; the rows are solved as a block."""
    tension, frame, block = 0.05 * np.array(tension), material_frame(), woven()
    if h > 1.0:
        tension = tension * 1e-3
    stress = np.array([[tension[0], tension[2]], [tension[2], tension[1]]])
    pulls = AREA * (frame.T @ stress @ np.linalg.inv(frame @ (REST[1:] - REST[0]).T).T).T
    forces = np.concatenate([-pulls.sum(axis=0, keepdims=True), pulls])
    h = min(h, 0.3)
    x = settle(block, REST, forces, INVERSE_MASSES, h, 5000)
    f = planar_gradient(x, frame)
    strain = 0.5 * (f.T @ f - np.eye(2))
    expected = compliance_matrix() @ tension
    got = np.array([strain[0, 0], strain[1, 1], 2.0 * strain[0, 1]])
    np.testing.assert_allclose(got, expected, atol=0.01 * np.abs(expected).max() + 1e-6)


@pytest.mark.parametrize("poissons_ratio", [0.0, 0.3, 0.5])
def test_isotropic_membrane_does_not_know_its_frame(poissons_ratio):
    x = REST + np.random.default_rng(1).normal(0.0, 0.1, REST.shape)
    first, second = (
        projected(
            build_membrane(REST, TRIANGLE, 100.0, poissons_ratio=poissons_ratio, warp_directions=direction),
            x,
            INVERSE_MASSES,
            1e3,
        )[0]
        for direction in (None, np.array([[0.1, -0.7, 0.4]]))
    )
    assert np.abs(first - x).max() > 1e-3
    np.testing.assert_allclose(first, second, atol=2e-6)


def test_rigid_projection_restores_the_shape():
    block = woven()
    block.parameters[:, -1] = 0.0
    x, _ = projected(block, REST + np.random.default_rng(2).normal(0.0, 0.1, REST.shape), INVERSE_MASSES, iterations=8)
    assert np.abs(block.type.evaluate(x, block)).max() < 1e-5


@pytest.mark.parametrize("shape", ["small", "line", "nearly a point", "large"])
@pytest.mark.parametrize("pbd", [False, True])
def test_comes_back(shape, pbd):
    factors = {"small": [0.1, 0.1, 0], "line": [1.0, 1e-3, 0], "nearly a point": [1e-3, 1e-3, 0], "large": [9, 9, 0]}
    block = woven()
    block.parameters[:, -1] = 0.8 if pbd else 1e-6
    x = settle(block, REST * factors[shape], np.zeros((3, 3)), INVERSE_MASSES, 0.01, 200, pbd)
    assert np.abs(block.type.evaluate(x, block)).max() < 1e-2


@given(st.integers(0, 10**6), st.floats(0.0, 4.0), st.floats(-8.0, 2.0))
def test_any_shape_stays_finite_and_bounded(seed, size, exponent):
    x = np.random.default_rng(seed).normal(0.0, size, REST.shape)
    moved, multipliers = projected(woven(), x, INVERSE_MASSES, 10.0**-exponent, iterations=3)
    assert np.isfinite(moved).all()
    assert np.isfinite(multipliers).all()
    assert np.abs(moved).max() < 30.0 * (1.0 + np.abs(x).max())


def test_warp_follows_the_map():
    """A map turned by 30° turns the warp by 30°; a mirrored or stretched one does not turn it further."""
    angle = np.radians(30.0)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    expected = np.array([np.cos(angle), np.sin(angle), 0.0])
    for factors in ([1.0, 1.0], [1.0, -1.0], [3.0, 0.5]):
        uv = (REST[:, :2] @ turn.T * factors)[None]
        direction = warp_directions_from_uv(REST, TRIANGLE, uv)[0]
        np.testing.assert_allclose(direction / np.linalg.norm(direction), expected, atol=1e-12)
    np.testing.assert_array_equal(warp_directions_from_uv(REST, TRIANGLE, np.zeros((1, 3, 2))), np.zeros((1, 3)))


def test_build():
    points = np.concatenate([REST, 0.5 * (REST[:1] + REST[1:2])])
    triangles = np.array([[0, 1, 2], [0, 1, 3], [1, 2, 3]], np.int32)
    # the second has no area; across the third its direction says nothing
    directions = np.array([[1.0, 0, 0], [1.0, 0, 0], [0, 0, 1.0]])
    block = build_membrane(points, triangles, np.array([1.0, 2.0, 3.0]), 1.0, 1.0, 0.2, directions)
    np.testing.assert_array_equal(block.indices, triangles[[0, 2]])
    np.testing.assert_allclose(block.parameters[:, 4], [1.0, 3.0])
    np.testing.assert_allclose(block.type.evaluate(points, block), 0.0, atol=1e-12)
    with pytest.raises(ValueError, match="Poisson"):
        build_membrane(points, triangles, 1.0, poissons_ratio=1.0)
    with pytest.raises(ValueError, match="stiffness"):
        build_membrane(points, triangles, 1.0, shear_stiffness=0.0)
