# SPDX-License-Identifier: GPL-3.0-or-later
"""What starts wholly inside a closed collider is told, unless all of it leaves to one side; walls hold it inside."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.body_contact import BodyContact
from blender_xpbd.scene.collider import Collider
from tests.geometry.surfaces import cube, sphere, torus
from tests.solver.scenes import cloth, jelly_of, scene


@pytest.fixture
def told(bpy):
    from blender_xpbd.addon.checking.checks import starts_inside

    def codes(body, *colliders):
        return [notice.code for notice in starts_inside(scene(body, colliders=colliders, meet=True))]

    return codes


def of(surface, shape="MESH", **values):
    positions, triangles = surface
    return Collider("c0", "Outer", shape, np.eye(4)[None], positions[None], triangles, **values)


BALL = Collider("c0", "Outer", "SPHERE", np.eye(4)[None], radius=1.0)


@pytest.mark.parametrize("collider", [of(cube()), of(sphere()), BALL])
@pytest.mark.parametrize("body", [cloth(8, size=0.6), replace(jelly_of(sphere(), cloth(2).material), role="JELLY")])
def test_a_body_within(told, collider, body):
    if body.role == "JELLY":
        body = replace(body, positions=0.4 * body.positions)
    assert told(body, collider) == ["W_ENCLOSED"]


def test_what_leaves_to_one_side_comes_through_or_does_not_meet_it(told):
    assert told(cloth(8, size=0.1, height=0.9), of(cube())) == ["W_INSIDE"]
    assert told(cloth(8, size=3.0), of(cube())) == ["W_INSIDE"]
    assert told(replace(cloth(8, size=0.6), contact=BodyContact(sees=())), of(cube())) == []


def test_an_open_mesh_and_a_hole_have_no_inside(told):
    corners, triangles = cube()
    assert told(cloth(8, size=0.6), of((corners, triangles[1:]))) == []
    assert told(cloth(8, size=0.1), of(torus())) == []


@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_walls_hold_it_inside(bpy, make_body, scale):
    def codes():
        return [row["code"] for row in json.loads(bpy.context.scene.xpbd.findings)]

    bpy.ops.mesh.primitive_cube_add(size=1.0 / scale)
    box = bpy.context.object
    box.scale, box.xpbd.role = (4.0 * scale,) * 3, "COLLIDER"
    make_body("Sheet")
    bpy.ops.xpbd.check()
    assert "W_ENCLOSED" in codes()
    assert bpy.ops.xpbd.make_hollow(object_name="Sheet") == {"FINISHED"}
    assert not {"W_ENCLOSED", "W_INSIDE"} & set(codes())
    assert bpy.ops.xpbd.make_hollow(object_name="Sheet") == {"CANCELLED"}
    (walls,) = box.modifiers
    low, high = (np.array([corner[:] for corner in box.evaluated_get(bpy.context.evaluated_depsgraph_get()).bound_box])
                 * box.scale[0]).take([0, 6], axis=0)  # fmt: skip
    np.testing.assert_allclose(high - low, 4.0 + 2.0 * walls.thickness * box.scale[0], rtol=1e-5)
    assert walls.thickness * box.scale[0] == pytest.approx(0.2, rel=1e-5)


def test_a_sphere_gets_no_walls(bpy, make_body):
    bpy.ops.mesh.primitive_uv_sphere_add(radius=3.0)
    ball = bpy.context.object
    ball.xpbd.role, ball.xpbd.collider_shape = "COLLIDER", "SPHERE"
    make_body("Sheet")
    assert bpy.ops.xpbd.make_hollow(object_name="Sheet") == {"CANCELLED"}
    assert len(ball.modifiers) == 0


def test_where_one_gets_no_walls_none_does(bpy, make_body):
    """The scene stays as it was: a remedy that is cancelled leaves nothing to undo."""
    bpy.ops.mesh.primitive_cube_add(size=4.0)
    box = bpy.context.object
    bpy.ops.mesh.primitive_uv_sphere_add(radius=3.0)
    ball = bpy.context.object
    box.xpbd.role = ball.xpbd.role = "COLLIDER"
    ball.xpbd.collider_shape = "SPHERE"
    make_body("Sheet")
    assert bpy.ops.xpbd.make_hollow(object_name="Sheet") == {"CANCELLED"}
    assert len(box.modifiers) == len(ball.modifiers) == 0


def test_walls_of_a_flipped_mesh_grow_outwards(bpy, make_body):
    bpy.ops.mesh.primitive_cube_add(size=4.0)
    box = bpy.context.object
    box.data.flip_normals()
    box.xpbd.role = "COLLIDER"
    make_body("Sheet")
    assert bpy.ops.xpbd.make_hollow(object_name="Sheet") == {"FINISHED"}
    heights = {round(vertex.co.z, 4) for vertex in
               box.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices}  # fmt: skip
    assert heights == {-2.2, -2.0, 2.0, 2.2}
    assert not {"W_ENCLOSED", "W_INSIDE"} & {row["code"] for row in json.loads(bpy.context.scene.xpbd.findings)}


def test_it_may_be_let_out_of_all_that_it_starts_inside_of(bpy, make_body):
    """Wholly inside one collider, and partly inside another: one click for both, and each is told anew by itself."""
    from blender_xpbd.addon.ui import panels
    from tests.addon.recorded_layout import draw

    def codes():
        bpy.ops.xpbd.check()
        return sorted(row["code"] for row in json.loads(bpy.context.scene.xpbd.findings))

    objects = []
    for size, place in ((4.0, 0.0), (1.0, 1.0)):
        bpy.ops.mesh.primitive_cube_add(size=size, location=(place, 0.0, 0.0))
        objects.append(bpy.context.object)
        objects[-1].xpbd.role = "COLLIDER"
    body = make_body("Sheet")
    bpy.context.view_layer.objects.active = body
    assert codes() == ["W_ENCLOSED", "W_INSIDE"]
    assert "xpbd.let_out" in {name for name, _ in draw(panels.XPBD_PT_main).operators}
    assert bpy.ops.xpbd.let_out(object_name="Sheet") == {"FINISHED"}
    assert codes() == codes() == ["W_LET_OUT", "W_LET_OUT"]
    assert "xpbd.let_out" not in {name for name, _ in draw(panels.XPBD_PT_main).operators}
    objects[1].location.x = 1.2
    assert codes() == ["W_INSIDE", "W_LET_OUT"]
    objects[1].location.x = 1.0
    assert codes() == ["W_INSIDE", "W_LET_OUT"], "nobody has said again that it is fine"
    objects[1].location.x = 9.0
    assert codes() == ["W_LET_OUT"]
    objects[0].name = "Other"
    assert codes() == ["W_ENCLOSED"]
    assert body.xpbd.let_out == ""


def test_only_what_is_inside_can_be_let_out_of_a_box(bpy, make_body):
    bpy.ops.mesh.primitive_cube_add(size=4.0)
    bpy.context.object.xpbd.role = "COLLIDER"
    body = make_body("Sheet")
    bpy.ops.xpbd.check()
    assert bpy.ops.xpbd.let_out(object_name="Sheet") == {"FINISHED"}
    assert bpy.ops.xpbd.let_out(object_name="Sheet") == {"CANCELLED"}
    body.location.z = 9.0
    bpy.ops.xpbd.check()
    assert body.xpbd.let_out == ""
