# SPDX-License-Identifier: GPL-3.0-or-later
"""How deep bodies start inside colliders of each shape."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.scene.body import Body
from blender_xpbd.scene.body_contact import BodyContact
from blender_xpbd.scene.collider import Collider
from tests.geometry.surfaces import cube, sphere


@pytest.fixture
def depths(bpy):
    from blender_xpbd.addon.checking.depths import depths

    return depths


def body(*points, **values):
    return Body(
        "b0", "Body", "CLOTH", np.array(points, np.float64), np.zeros(0, np.int32), np.zeros(0, np.int32), **values
    )


def placed(height=0.0, angle=0.0):
    matrix = np.eye(4)
    matrix[:3, :3] = [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]]
    matrix[2, 3] = height
    return matrix[None]


def test_a_plane(depths):
    found = depths(body([0.0, 0.0, 0.3], [1.0, 0.0, 0.7]), (Collider("c0", "Plane", "PLANE", placed(0.5)),))
    assert found == {"Plane": (pytest.approx(0.2), pytest.approx(0.2))}


def test_a_slope_is_left_upwards_and_a_wall_is_not(depths):
    point = body([0.0, 0.0, -1.0])
    slope = depths(point, (Collider("c0", "Slope", "PLANE", placed(0.0, np.pi / 3)),))["Slope"]
    assert (slope.depth, slope.lift) == (pytest.approx(0.5), pytest.approx(1.0))
    wall = depths(body([-1.0, 0.0, 0.0]), (Collider("c0", "Wall", "PLANE", placed(0.0, np.pi / 2)),))["Wall"]
    assert wall.depth == pytest.approx(1.0)
    assert np.isnan(wall.lift)


def test_a_sphere_is_left_over_its_top(depths):
    twice = np.array([[[2.0, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 1], [0, 0, 0, 1]]])
    ball = Collider("c0", "Ball", "SPHERE", twice, radius=0.5)
    found = depths(body([0.0, 0.0, 1.7], [3.0, 0.0, 1.8]), (ball,))["Ball"]
    assert (found.depth, found.lift) == (pytest.approx(0.3), pytest.approx(0.3))


@pytest.mark.parametrize("turned", [1, -1])
def test_a_closed_mesh_either_way_round(depths, turned):
    corners, triangles = cube()
    box = Collider("c0", "Box", "MESH", placed(1.0), corners[None], triangles[:, ::turned])
    top = corners[:, 2].max() + 1.0
    found = depths(body([0.05, 0.02, top - 0.2], [9.0, 0.0, top + 5.0]), (box,))["Box"]
    assert (found.depth, found.lift) == (pytest.approx(0.2, abs=1e-5), pytest.approx(0.2, abs=1e-5))
    assert depths(body([0.05, 0.02, top + 0.1], [0.0, 0.0, top + 5.0]), (box,)) == {}


def test_random_points_of_a_ball(depths):
    vertices, triangles = sphere(24, 16)
    ball = Collider("c0", "Ball", "MESH", np.eye(4)[None], vertices[None], triangles)
    radius = np.linalg.norm(vertices, axis=1).max()
    for point in np.random.default_rng(3).normal(size=(60, 3)) * 0.6 * radius:
        depth = radius - np.linalg.norm(point)
        found = depths(body(point), (ball,))
        if abs(depth) > 0.05 * radius:
            assert bool(found) == (depth > 0.0)
            assert not found or found["Ball"].depth == pytest.approx(depth, abs=0.05 * radius)


def test_an_open_mesh_has_no_inside(depths):
    corners, triangles = cube()
    box = Collider("c0", "Box", "MESH", placed(), corners[None], triangles[1:])
    assert depths(body([0.01, 0.02, 0.03]), (box,)) == {}


def test_what_is_not_seen_does_not_count(depths):
    plane = Collider("c0", "Plane", "PLANE", placed(5.0))
    assert depths(body([0.0, 0.0, 0.0], contact=BodyContact(sees=())), (plane,)) == {}
    assert len(depths(body([0.0, 0.0, 0.0], contact=BodyContact(sees=("c0",))), (plane,))) == 1
