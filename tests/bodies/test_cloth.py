# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cloth is made of, by its material."""

import dataclasses

import numpy as np
import pytest

from blender_xpbd.bodies.cloth import DIAGONALS, EDGES, LIMITS, bind_to_cloth, build_cloth, other_triangulation
from blender_xpbd.constraints.diagonal import COMPRESSION_SHARE
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.settings import SolverSettings
from tests.solver.scenes import cloth


def built(body, **settings):
    return build_cloth(body, SolverSettings(**settings))


def kinds(model):
    return [block.type.name for block in model.blocks]


def test_mass_is_the_weight_of_the_area():
    model = built(cloth(5, size=2.0, area_density=0.3))
    assert model.masses.sum() == pytest.approx(0.3 * 4.0)
    # an inner vertex has what a cell weighs
    assert model.masses[12] == pytest.approx(0.3 * 0.5**2)


def test_the_vertices_are_the_particles():
    body = cloth(4)
    model = built(body)
    assert model.positions is body.positions
    np.testing.assert_array_equal(model.elements[:, 0], np.arange(16))
    np.testing.assert_array_equal(model.weights, np.tile([1.0, 0.0, 0.0, 0.0], (16, 1)))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"bending_model": "NONE"}, ["diagonal", "distance"]),
        ({"bending_stiffness": 0.0}, ["diagonal", "distance"]),
        ({"bending_model": "DISTANCE"}, ["distance", "diagonal", "distance"]),
        ({"membrane_model": "ISOTROPIC"}, ["membrane"]),
        ({"greatest_stretch": 5.0}, ["diagonal", "distance", "two_sided_distance"]),
        ({"stiffness_input": "COMPLIANCE", "bending_model": "NONE"}, ["distance", "distance"]),
        ({"compression_share": 0.1}, ["two_sided_distance", "two_sided_distance"]),
    ],
)
def test_constraints_follow_from_the_material(values, expected):
    assert kinds(built(cloth(4, **values))) == expected


def test_bending_comes_first_and_limits_last():
    model = built(cloth(4, greatest_stretch=5.0, bending_model="DISTANCE"))
    assert [block.layer for block in model.blocks] == [0, DIAGONALS, EDGES, LIMITS] == [0, 1, 2, 3]
    diagonals, edges = model.blocks[1:3]
    assert (len(diagonals), len(edges)) == (2 * 9, 2 * 3 * 4)


def test_only_diagonals_of_quads_give_way():
    """Not the braces of polygons, and of triangles there are none."""
    ring = np.arange(5) * 0.4 * np.pi
    positions = np.concatenate([cloth(3).positions, np.stack([2.0 + np.cos(ring), np.sin(ring), 0.0 * ring], axis=1)])
    body = dataclasses.replace(
        cloth(3, bending_model="NONE"),
        positions=positions,
        face_sizes=np.array([4, 3, 3, 4, 4, 5], np.int32),
        corners=np.array([0, 1, 4, 3, 1, 2, 4, 2, 5, 4, 3, 4, 7, 6, 4, 5, 8, 7, *range(9, 14)], np.int32),
    )
    model = built(body)
    assert kinds(model) == ["diagonal", "distance", "distance"]
    soft, braces, edges = model.blocks
    assert {tuple(pair) for pair in soft.indices.tolist()} == {(0, 4), (1, 3), (3, 7), (4, 6), (4, 8), (5, 7)}
    assert braces.indices.min() == 9
    assert len(braces) == 5
    assert len(edges) == 12 + 1 + 5
    triangles = dataclasses.replace(
        cloth(2, bending_model="NONE"),
        face_sizes=np.array([3, 3], np.int32),
        corners=np.array([0, 1, 3, 0, 3, 2], np.int32),
    )
    assert kinds(built(triangles)) == ["distance"]


def test_diagonals_give_way_in_what_gives_way_itself():
    """As much more as without: a share of the share."""
    diagonals, edges = built(cloth(3, compression_share=0.5, bending_model="NONE")).blocks
    np.testing.assert_allclose(edges.parameters[:, 2], edges.parameters[:, 1] / 0.5)
    np.testing.assert_allclose(diagonals.parameters[:, 2], diagonals.parameters[:, 1] / (0.5 * COMPRESSION_SHARE))


def test_springs_are_as_stiff_as_the_material():
    """A uniform stretch e in both directions stores 2 Σ ½ k L² e² = k A e² / (1 − ν), with ν = 1/3 of a network."""
    stiffness, strain = 500.0, 1e-3
    model = built(cloth(7, size=1.0, stretch_stiffness=stiffness, bending_model="NONE"))
    energy = 0.0
    for block in model.blocks:
        ends = model.positions[block.indices]
        lengths = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
        energy += float((0.5 * (strain * lengths) ** 2 / block.parameters[:, -1]).sum())
    assert energy == pytest.approx(stiffness * strain**2 / (1.0 - 1.0 / 3.0), rel=1e-3)


def test_tethers_need_pins():
    assert "two_sided_distance" not in kinds(built(cloth(4, use_tethers=True)))
    held = built(cloth(4, use_tethers=True, pinned=[0]))
    assert kinds(held).count("two_sided_distance") == 1
    assert len(held.blocks[-1]) == 15


def test_gas_needs_a_closed_mesh():
    with pytest.raises(XpbdError, match="Close it, or set Filled With to Nothing") as caught:
        built(cloth(4, pressure_model="GAS"))
    assert caught.value.code == "E_PARAM"


def test_points_are_bound_to_the_nearest_triangle():
    model = built(cloth(3))
    point = np.array([[0.1, 0.2, 0.05]])
    particles, weights = bind_to_cloth(model, point)
    np.testing.assert_allclose(weights[0] @ model.positions[particles[0]], [0.1, 0.2, 0.0], atol=1e-12)
    assert weights[0].sum() == pytest.approx(1.0)
    assert weights[0, 3] == 0.0


def test_quads_are_cut_along_the_other_diagonal():
    body = cloth(2)
    quad = body.corners
    # the ends of a cut are in both triangles, the other two corners in one
    corners, counts = np.unique(other_triangulation(body), return_counts=True)
    assert set(corners[counts == 2]) == {quad[1], quad[3]}
    assert set(corners[counts == 1]) == {quad[0], quad[2]}
    triangle = dataclasses.replace(body, face_sizes=np.array([3], np.int32), corners=quad[:3])
    assert len(other_triangulation(triangle)) == 0
