# SPDX-License-Identifier: GPL-3.0-or-later
"""The angle of a hinge: its sign, its branch, its gradient on all sides, and hinges of no area."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.constraints.bending.dihedral_bending import (
    build_dihedral_bending,
    dihedral_angles,
    free_shares,
    hinge_compliance,
    hinge_shares,
    mean_squared_folds,
)
from tests.constraints.projection_kernel import projected

pytestmark = pytest.mark.usefixtures("taichi_cpu")

HINGE = np.array([[0, 1, 2, 3]], np.int32)
WEIGHTS = np.array([0.5, 2.0, 1.0, 0.7])


def folded(angle, along=(0.3, 0.6), heights=(0.9, 0.7)):
    """An edge of length 1 along Y, and two triangles that enclose π less ``angle``."""
    c = [-heights[0], along[0], 0.0]
    d = [heights[1] * np.cos(angle), along[1], heights[1] * np.sin(angle)]
    return np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], c, d])


def held(angle, compliance=0.0):
    return build_dihedral_bending(folded(0.0), HINGE, compliance, np.array([angle]))


@pytest.mark.parametrize("angle", [-3.1, -1.6, -0.5, 0.0, 1e-9, 0.5, 1.6, 3.1])
def test_the_angle_is_that_of_the_fold(angle):
    found = dihedral_angles(folded(angle), HINGE)[0]
    assert abs(found) == pytest.approx(abs(angle), rel=1e-9, abs=1e-15)
    # the other side of the same edge is the same fold, and the opposite winding is the opposite one
    assert dihedral_angles(folded(angle), HINGE[:, [1, 0, 3, 2]])[0] == pytest.approx(found, rel=1e-9)
    assert dihedral_angles(folded(angle), HINGE[:, [0, 1, 3, 2]])[0] == pytest.approx(-found, rel=1e-9)
    assert np.sign(found) == np.sign(dihedral_angles(folded(0.5), HINGE)[0]) * np.sign(angle)


def slope(positions, step=1e-6):
    rows = []
    for particle in range(4):
        for axis in range(3):
            shift = np.zeros((4, 3))
            shift[particle, axis] = step
            ahead, behind = (dihedral_angles(positions + sign * shift, HINGE)[0] for sign in (1.0, -1.0))
            rows.append((ahead - behind) / (2.0 * step))
    return np.array(rows).reshape(4, 3)


@pytest.mark.parametrize("angle", [-2.5, -0.7, 0.0, 0.7, 2.5])
@pytest.mark.parametrize("along", [(0.3, 0.6), (-0.4, 1.7), (0.0, 1.0)])
def test_a_small_correction_follows_the_gradient(angle, along):
    """Also where a corner lies beyond an end of the edge, so that an end moves the other way."""
    positions = folded(angle, along)
    gradient = slope(positions)
    rest = dihedral_angles(positions, HINGE)[0] - 0.01
    found, multipliers = projected(held(rest), positions, WEIGHTS)
    weight = (WEIGHTS[:, None] * gradient**2).sum()
    np.testing.assert_allclose(found - positions, -0.01 / weight * WEIGHTS[:, None] * gradient, atol=2e-6)
    assert multipliers[0, 0] == pytest.approx(-0.01 / weight, rel=1e-3)


@pytest.mark.parametrize("angle", [3.0, -3.0])
def test_the_shorter_way_is_taken_over_half_a_turn(angle):
    """A fold of 3 that rests at −3 closes through π by 0.28, not back by 6."""
    sign = np.sign(dihedral_angles(folded(angle), HINGE)[0])
    block = held(-sign * 3.0)
    start = block.type.evaluate(folded(angle), block)[0, 0]
    assert start == pytest.approx(-sign * (2.0 * np.pi - 6.0), abs=1e-9)
    found, _ = projected(block, folded(angle), WEIGHTS, iterations=20)
    assert abs(block.type.evaluate(found, block)[0, 0]) < 1e-4
    assert np.abs(found - folded(angle)).max() < 0.3


@given(seed=st.integers(0, 10**6), size=st.floats(1e-3, 1e3), rest=st.floats(-3.0, 3.0))
def test_momentum_is_kept(seed, size, rest):
    positions = size * np.random.default_rng(seed).normal(size=(4, 3))
    found, _ = projected(held(rest), positions, WEIGHTS)
    impulse = (found - positions) / WEIGHTS[:, None]
    scale = np.abs(impulse).max() + 1e-12
    np.testing.assert_allclose(impulse.sum(axis=0), 0.0, atol=2e-4 * scale)
    np.testing.assert_allclose(
        np.cross(positions, impulse).sum(axis=0), 0.0, atol=2e-4 * scale * np.abs(positions).max()
    )


@pytest.mark.parametrize("size", [1.0, 1e-4, 1e3])
@pytest.mark.parametrize("shape", ["point", "line", "edge of no length", "one triangle of no area", "closed"])
def test_degenerate_hinges_stay_finite(shape, size):
    positions = {
        "point": np.zeros((4, 3)),
        "line": np.outer([0.0, 1.0, 0.4, 2.0], [1.0, 2.0, 3.0]),
        "edge of no length": folded(0.5) * [1.0, 0.0, 1.0],
        "one triangle of no area": folded(0.5, heights=(0.0, 0.7)),
        "closed": folded(np.pi, (0.5, 0.5), (0.7, 0.7)),
    }[shape]
    found, multipliers = projected(held(1.0), size * positions, WEIGHTS, iterations=3)
    assert np.isfinite(found).all()
    assert np.isfinite(multipliers).all()


def test_rigid_motion_is_not_damped_and_folding_is():
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    rest = dihedral_angles(folded(0.4), HINGE)[0]
    block = build_dihedral_bending(folded(0.4), HINGE, 1.0)
    assert block.parameters[0, 0] == rest
    moved = folded(0.4) @ turn.T + [1.0, 2.0, 3.0]
    slow = folded(0.4) @ turn.T + [1.0, 2.0, 3.0 - 1e-3]
    np.testing.assert_allclose(projected(block, moved, WEIGHTS, previous=slow, damping=0.1)[0], moved, atol=1e-6)
    free, damped = (
        projected(block, folded(0.5), WEIGHTS, previous=folded(0.4), damping=time)[0] for time in (0.0, 5.0)
    )
    ends = [dihedral_angles(found, HINGE)[0] - rest for found in (folded(0.5), free, damped)]
    assert abs(ends[2]) < abs(ends[1]) < abs(ends[0])


def test_compliance_of_an_equilateral_lattice_is_the_closed_form():
    """α = (A₁ + A₂)/(k l²) where every triangle has three hinges."""
    length, stiffness = 0.4, 0.02
    positions = length * folded(0.0, (0.5, 0.5), (np.sqrt(0.75), np.sqrt(0.75)))
    area = np.sqrt(3.0) / 4.0 * length**2
    # alone, a hinge has the whole of both triangles
    np.testing.assert_allclose(hinge_shares(positions, HINGE), [2.0 * area])
    alone = hinge_compliance(positions, HINGE, stiffness)[0]
    # M/(k (A₁/3 + A₂/3)) = (A₁ + A₂)/(k l²), of which a third remains
    assert alone == pytest.approx(2.0 * area / (stiffness * length**2) / 3.0, rel=1e-9)


def test_a_fold_beside_a_clamp_stands_for_what_is_free():
    positions = folded(0.0, heights=(0.9, 0.3))
    hinges = np.repeat(HINGE, 4, axis=0)
    fixed = np.array([[1, 1, 1, 0], [1, 1, 0, 1], [1, 1, 0, 0], [1, 1, 1, 1]], np.bool_)
    found = [free_shares(positions, hinges, which)[0] for which in fixed]
    np.testing.assert_allclose(found, [0.25, 0.75, 1.0, 1.0])


@given(seed=st.integers(0, 10**6))
def test_mean_of_the_squared_folds_is_that_over_all_directions(seed):
    """Against cylinders of small curvature, direction by direction."""
    random = np.random.default_rng(seed)
    flat = folded(0.0, random.uniform(-0.5, 1.5, 2), random.uniform(0.2, 2.0, 2))
    curvature, squares = 1e-4, []
    for angle in np.pi * np.arange(16) / 16:
        along = flat[:, :2] @ [np.cos(angle), np.sin(angle)]
        bent = flat + 0.5 * curvature * np.c_[np.zeros((4, 2)), along**2]
        squares.append((dihedral_angles(bent, HINGE)[0] / curvature) ** 2)
    assert mean_squared_folds(flat, HINGE)[0] == pytest.approx(np.mean(squares), rel=1e-4)
