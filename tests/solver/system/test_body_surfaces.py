# SPDX-License-Identifier: GPL-3.0-or-later
from dataclasses import replace

import numpy as np

from blender_xpbd.bodies.kinds import build_body
from blender_xpbd.scene.body_contact import BodyContact
from blender_xpbd.scene.settings import SolverSettings
from blender_xpbd.solver.system.body_surfaces import (
    body_elements,
    body_frictions,
    body_mesh,
    body_weights,
    vertex_numbers,
)
from tests.solver.scenes import cloth, jelly_cube

CORNERS = 8


def model_of(body, **contact):
    return build_body(replace(body, contact=BodyContact(**contact)), SolverSettings())


def test_a_coarse_jelly_has_points_between_its_vertices():
    model = model_of(jelly_cube(1.0))
    mesh, elements, weights = body_mesh(model), body_elements(model), body_weights(model)
    assert len(mesh.rest) == len(elements) == len(weights) > CORNERS + 200
    np.testing.assert_allclose(np.einsum("pj,pjk->pk", weights, model.positions[elements]), mesh.rest, atol=1e-12)
    # all of them lie on a side of the cube
    beside = np.abs(mesh.rest - mesh.rest[:CORNERS].mean(axis=0))
    np.testing.assert_allclose(beside.max(axis=1), 0.5, atol=1e-9)
    assert max(mesh.triangles.max(), mesh.edges.max()) < CORNERS
    assert mesh.takes_part.all()


def test_cloth_has_its_vertices_alone():
    model = model_of(cloth(5))
    assert len(body_mesh(model).rest) == len(body_elements(model)) == 25


def test_what_lies_in_a_face_that_takes_no_part_takes_none():
    model = model_of(jelly_cube(1.0), left_out=np.array([0], np.int32))
    mesh = body_mesh(model)
    has_it = (model.between.corners == 0).any(axis=1)
    assert 0 < has_it.sum() < len(has_it)
    assert np.array_equal(mesh.takes_part[CORNERS:], ~has_it)


def test_a_jelly_that_meets_itself_makes_no_pair_of_a_point_and_its_own_face():
    assert len(body_mesh(model_of(jelly_cube(1.0))).origins) == 0
    model = model_of(jelly_cube(1.0), self_collision=True)
    origins = body_mesh(model).origins
    assert np.array_equal(origins[:CORNERS], np.arange(CORNERS))
    assert (origins[CORNERS:, None] == model.between.corners).any(axis=1).all()


def test_points_between_have_the_friction_of_their_place():
    body = jelly_cube(1.0, friction=0.5)
    assert (body_frictions(model_of(body)) == 0.5).all()
    # ice below, the material above
    body = replace(body, vertex_factors={"friction": (body.positions[:, 2] > 0.5).astype(np.float32)})
    model = model_of(body)
    frictions, heights = body_frictions(model), body_mesh(model).rest[:, 2]
    assert len(frictions) == len(heights)
    assert np.corrcoef(frictions, heights)[0, 1] > 0.9


def test_vertices_are_numbered_through_all_bodies():
    jelly, sheet = model_of(jelly_cube(1.0)), model_of(cloth(3))
    numbers = vertex_numbers([sheet, jelly, sheet])
    between = len(jelly.between)
    assert numbers[:9].tolist() == list(range(9))
    assert numbers[9 : 9 + CORNERS].tolist() == list(range(9, 9 + CORNERS))
    assert (numbers[9 + CORNERS : 9 + CORNERS + between] == -1).all()
    assert numbers[9 + CORNERS + between :].tolist() == list(range(9 + CORNERS, 18 + CORNERS))
