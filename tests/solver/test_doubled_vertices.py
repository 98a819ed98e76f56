# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices in one place, as imported meshes have them, count as one where a body meets itself."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.solver.system.system import build_system
from tests.geometry.surfaces import sphere
from tests.solver.scenes import cloth, jelly_cube, jelly_of, scene, touching

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def soup(body):
    """Each face with vertices of its own."""
    return replace(body, positions=body.positions[body.corners], corners=np.arange(len(body.corners), dtype=np.int32))


def twice(body, places):
    """The same surface twice in one body, the second time with its vertices at some places."""
    corners = np.concatenate([body.corners, body.corners + len(body.positions)]).astype(np.int32)
    positions = np.concatenate([body.positions, places])
    return replace(body, positions=positions, face_sizes=np.tile(body.face_sizes, 2), corners=corners)


def meeting(body):
    return replace(body, contact=replace(body.contact, self_collision=True))


@pytest.mark.parametrize("turned", [False, True])
def test_copies_of_a_vertex_have_one_origin(turned):
    body = soup(cloth(5))
    turn = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0] if turned else np.eye(3)
    body = replace(body, positions=body.positions @ turn.T + 3.0)
    origins = build_system(scene(meeting(body), meet=True)).objects.surfaces.origins
    assert len(np.unique(origins)) == 25
    for origin in np.unique(origins):
        same = body.positions[origins == origin]
        assert np.ptp(same, axis=0).max() < 1e-12


def test_what_has_no_doubled_vertices_has_no_origins():
    assert len(build_system(scene(meeting(cloth(5)), meet=True)).objects.surfaces.origins) == 0


def origins_of(body):
    return build_system(scene(meeting(body), meet=True)).objects.surfaces.origins


def test_closed_pieces_that_touch_are_no_copies():
    """Else two cubes of one object would go through each other where they are face on face."""
    cube = jelly_cube(1.0)
    assert len(origins_of(twice(cube, cube.positions + np.array([0.0, 0.0, 1.0])))) == 0


def test_layers_in_one_place_are_copies_at_their_borders_alone():
    """Else the two sides of a flat pillow would go through each other."""
    sheet = cloth(5)
    origins = origins_of(twice(sheet, sheet.positions))
    assert len(origins) - len(np.unique(origins)) == 16


def test_a_soup_of_triangles_meets_nothing_where_it_was_one():
    """Each of its faces touches its neighbours at the first frame."""
    simulation = touching(soup(cloth(5, height=1.0)), substeps=4)
    assert not simulation.crossings().counts.any()
    for _ in range(3):
        simulation.advance()
    assert not simulation.contact_counts().any()
    # a free fall
    assert np.ptp(simulation.positions()[:, 2]) < 1e-6


def test_a_jelly_of_loose_triangles_is_not_told_to_pass_through_itself():
    positions, triangles = sphere(12, 6)
    ball = jelly_of((0.2 * positions + [0.0, 0.0, 1.0], triangles), cloth(2).material)
    simulation = touching(soup(ball), substeps=4)
    for _ in range(3):
        simulation.advance()
    assert simulation.contact_counts()[:, 1].max() == 0.0
