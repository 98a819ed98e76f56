# SPDX-License-Identifier: GPL-3.0-or-later
"""Quadratic bending: its coefficients, its torque, and its limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.constraints.bending.dihedral_bending import hinge_compliance
from blender_xpbd.constraints.bending.isometric_bending import THINNEST, build_isometric_bending, isometric_compliance
from tests.constraints.bending.test_dihedral_bending import HINGE, WEIGHTS, folded
from tests.constraints.projection_kernel import projected

ALONG = (0.3, 0.6)


def turned(positions):
    axis, angle = np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0), 0.8
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return positions @ (np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross).T + [0.4, -0.3, 0.6]


@given(st.floats(-0.5, 1.5), st.floats(-0.5, 1.5), st.floats(0.1, 3.0), st.floats(0.1, 3.0))
def test_coefficients_are_those_of_a_linear_function_that_vanishes(along_c, along_d, height_c, height_d):
    """K takes 1, x and y to 0, whatever the shape: a flat hinge, moved or sheared in its plane, has no energy."""
    flat = folded(0.0, (along_c, along_d), (height_c, height_d))
    coefficients = build_isometric_bending(flat, HINGE, 1.0).parameters[0, :4]
    functions = np.c_[np.ones(4), flat[:, :2]]
    np.testing.assert_allclose(coefficients @ functions, 0.0, atol=1e-10 * np.abs(coefficients).max())
    # and the rest is that of the fold: |K x| = l θ for a small angle
    small = folded(1e-4, (along_c, along_d), (height_c, height_d))
    assert np.linalg.norm(coefficients @ small) == pytest.approx(1e-4, rel=1e-6)


def test_only_the_shapes_of_the_triangles_count():
    flat, bent = (build_isometric_bending(places, HINGE, 1.0) for places in (folded(0.0), turned(folded(1.2))))
    np.testing.assert_allclose(bent.parameters, flat.parameters, rtol=1e-9)


@pytest.mark.parametrize("angle", [0.1, 1.0, 2.0, 3.0])
def test_energy_goes_with_the_sine_of_half_the_angle(angle):
    """U = 2 l² sin²(θ/2)/α, so the torque goes with sin θ: most at a right angle, none where folded flat."""
    block = build_isometric_bending(folded(0.0), HINGE, 0.5)
    energy = (block.type.evaluate(folded(angle), block) ** 2).sum() / (2.0 * 0.5)
    assert energy == pytest.approx(2.0 * np.sin(angle / 2.0) ** 2 / 0.5, rel=1e-9)


def test_compliance_is_the_dihedral_one_times_the_squared_edge():
    positions = 0.3 * folded(0.0)
    for stiffness in (0.02, np.array([0.02])):
        found = isometric_compliance(positions, HINGE, stiffness)
        np.testing.assert_allclose(found, 0.09 * hinge_compliance(positions, HINGE, stiffness), rtol=1e-12)
    assert isometric_compliance(positions, HINGE, 0.0)[0] == np.inf


@pytest.mark.parametrize(("thickness", "count"), [(0.5 * THINNEST, 0), (2.0 * THINNEST, 1)])
def test_slivers_have_no_cotangents(thickness, count):
    positions = folded(0.0, heights=(thickness, 0.7))
    assert len(build_isometric_bending(positions, HINGE, 1.0)) == count
    assert len(build_isometric_bending(positions, HINGE, np.inf)) == 0


@pytest.mark.usefixtures("taichi_cpu")
@pytest.mark.parametrize("angle", [0.3, 1.5, 2.8])
def test_a_rigid_hinge_is_flat_after_one_projection(angle):
    block = build_isometric_bending(folded(0.0, ALONG), HINGE, 0.0)
    found, _ = projected(block, turned(folded(angle, ALONG)), WEIGHTS)
    np.testing.assert_allclose(block.type.evaluate(found, block), 0.0, atol=1e-5)
    singular = np.linalg.svd(found - found.mean(axis=0), compute_uv=False)
    assert singular[2] < 1e-5


@pytest.mark.usefixtures("taichi_cpu")
def test_a_hinge_folded_onto_itself_or_to_a_point_stays_finite():
    block = build_isometric_bending(folded(0.0), HINGE, 1e-3)
    for places in (folded(np.pi), np.zeros((4, 3)), 1e6 * folded(1.0)):
        found, multipliers = projected(block, places, WEIGHTS, iterations=3)
        assert np.isfinite(found).all()
        assert np.isfinite(multipliers).all()
