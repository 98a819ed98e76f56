# SPDX-License-Identifier: GPL-3.0-or-later
"""Both models of bending have the stiffness of the material."""

import numpy as np
import pytest

from blender_xpbd.constraints.bending.dihedral_bending import build_dihedral_bending, hinge_compliance
from blender_xpbd.constraints.bending.isometric_bending import build_isometric_bending, isometric_compliance
from blender_xpbd.geometry.surface.topology import hinges
from tests.constraints.bent_sheets import CURVATURE, area, equilateral_sheet, jittered, rolled
from tests.constraints.projection_kernel import projected

STIFFNESS = 0.02
MODELS = {
    "dihedral": (build_dihedral_bending, hinge_compliance),
    "isometric": (build_isometric_bending, isometric_compliance),
}
HINGE = np.array([[0, 1, 2, 3]], np.int32)
FOLDED = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.1], [-0.9, 0.4, 0.3], [0.8, 0.6, 0.2]])


def energy(block, positions):
    """U = Σ C²/(2α) [J]."""
    return float(((block.type.evaluate(positions, block) ** 2).sum(axis=1) / (2.0 * block.parameters[:, -1])).sum())


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("amount", [0.0, 0.25])
@pytest.mark.parametrize("angle", [0.0, 0.4, 1.1])
def test_a_cylinder_stores_half_k_kappa_squared_per_area(model, amount, angle):
    build, compliance = MODELS[model]
    flat, triangles = equilateral_sheet()
    flat = jittered(flat, amount)
    folds = hinges(triangles)
    block = build(flat, folds, compliance(flat, folds, STIFFNESS))
    expected = 0.5 * STIFFNESS * CURVATURE**2 * area(flat, triangles)
    # folds at the border stand for more than their part, which is right only in the mean over the directions
    assert energy(block, rolled(flat, angle)) == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize("model", MODELS)
def test_no_stiffness_and_no_area_give_no_constraint(model):
    build, compliance = MODELS[model]
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0.5, 1, 0], [0.5, -1, 0], [0.5, 0, 0]])
    folds = np.array([[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 4]], np.int32)
    assert len(build(corners, folds, compliance(corners, folds, np.array([1.0, 0.0, 1.0])))) == 1


def test_isometric_rest_is_flat_whatever_the_mesh():
    block = build_isometric_bending(FOLDED, HINGE, 1.0)
    edge = np.linalg.norm(FOLDED[1] - FOLDED[0])
    n1 = np.cross(FOLDED[2] - FOLDED[0], FOLDED[2] - FOLDED[1])
    n2 = np.cross(FOLDED[3] - FOLDED[1], FOLDED[3] - FOLDED[0])
    angle = np.arccos(n1 @ n2 / np.linalg.norm(n1) / np.linalg.norm(n2))
    # |Kx| = 2 l sin(θ/2): two vectors of length l, an angle θ apart
    got = np.linalg.norm(block.type.evaluate(FOLDED, block))
    assert got == pytest.approx(2.0 * edge * np.sin(angle / 2.0), rel=1e-9)


def test_isometric_bending_does_not_feel_a_stretch_of_the_plane():
    flat, triangles = equilateral_sheet(6)
    block = build_isometric_bending(flat, hinges(triangles), 1.0)
    sheared = flat @ np.array([[1.3, 0.2, 0.0], [0.1, 0.8, 0.0], [0.0, 0.0, 1.0]]).T
    np.testing.assert_allclose(block.type.evaluate(sheared, block), 0.0, atol=1e-12)


@pytest.mark.usefixtures("taichi_cpu")
def test_a_dihedral_may_rest_flat_or_at_a_given_angle():
    for rest_angles, expected in ((None, None), ("flat", 0.0), (np.array([0.7]), 0.7)):
        block = build_dihedral_bending(FOLDED, HINGE, 0.0, rest_angles)
        moved, _ = projected(block, FOLDED, np.ones(4), iterations=50)
        if expected is None:
            np.testing.assert_allclose(moved, FOLDED, atol=1e-6)
        else:
            assert block.parameters[0, 0] == expected
            assert abs(block.type.evaluate(moved, block)[0, 0]) < 1e-5
