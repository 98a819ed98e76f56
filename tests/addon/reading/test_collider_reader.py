# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders and the floor."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError
from tests.addon.readings import animate


def test_colliders_and_floor(bpy, make_body, read):
    make_body("Body")
    plane = make_body("Plane", role="COLLIDER", location=(0, 0, -2))
    plane.xpbd.collider_shape = "PLANE"
    plane.xpbd.friction = 0.25
    ball = make_body("Sphere", role="COLLIDER", scale=(2, 2, 2))
    ball.xpbd.collider_shape = "SPHERE"
    animate(ball)
    mesh = make_body("Wall", role="COLLIDER")
    mesh.modifiers.new("Subdivision", "SUBSURF").subdivision_type = "SIMPLE"
    scene = bpy.context.scene
    scene.unit_settings.scale_length = 0.5
    scene.xpbd.use_floor = True
    scene.xpbd.floor_height = 3.0
    scene.xpbd.floor_restitution = 0.75
    colliders = {collider.name: collider for collider in read().scene.colliders}
    assert list(colliders) == ["Plane", "Sphere", "Wall", "Floor"]
    assert colliders["Plane"].transforms.shape == (1, 4, 4)
    assert colliders["Plane"].transforms[0, 2, 3] == -1.0
    assert colliders["Plane"].friction == 0.25
    assert colliders["Sphere"].radius == pytest.approx(np.linalg.norm([1, 1, 0.1]))
    assert colliders["Sphere"].transforms.shape == (5, 4, 4)
    assert colliders["Sphere"].transforms[4, 0, 3] == pytest.approx(2.5)
    assert colliders["Sphere"].transforms[0, 0, 0] == pytest.approx(1.0)
    assert len(colliders["Wall"].triangles) == 16 * 4 * 2
    assert colliders["Floor"].transforms[0, 2, 3] == pytest.approx(1.5)
    assert colliders["Floor"].restitution == 0.75


def test_a_collider_of_instances_is_told_how_it_gets_faces(bpy, make_body, read):
    make_body("Body")
    wall = make_body("Wall", role="COLLIDER")
    group = bpy.data.node_groups.new("Nodes", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    own, ball, placed, shown = (
        group.nodes.new(name)
        for name in ("NodeGroupInput", "GeometryNodeMeshCube", "GeometryNodeInstanceOnPoints", "NodeGroupOutput")
    )
    group.links.new(own.outputs[0], placed.inputs["Points"])
    group.links.new(placed.outputs[0], shown.inputs[0])
    wall.modifiers.new("Nodes", "NODES").node_group = group
    with pytest.raises(XpbdError, match=r"E_GEOM_EMPTY.*has no faces"):
        read()
    group.links.new(ball.outputs[0], placed.inputs["Instance"])
    with pytest.raises(XpbdError, match=r"E_GEOM_EMPTY.*Realize Instances"):
        read()
    real = group.nodes.new("GeometryNodeRealizeInstances")
    group.links.new(placed.outputs[0], real.inputs[0])
    group.links.new(real.outputs[0], shown.inputs[0])
    (collider,) = read().scene.colliders
    assert len(collider.triangles) == 12 * len(wall.data.vertices)


def key_height(scene):
    for frame, height in ((1, 1.0), (5, 3.0)):
        scene.xpbd.floor_height = height
        scene.keyframe_insert("xpbd.floor_height", frame=frame)


def drive_height(scene):
    scene.driver_add("xpbd.floor_height").driver.expression = "0.5 * frame + 0.5"


@pytest.mark.parametrize("move", [key_height, drive_height])
def test_the_floor_follows_its_height(bpy, make_body, read, move):
    make_body("Body")
    scene = bpy.context.scene
    scene.unit_settings.scale_length = 0.5
    scene.xpbd.use_floor = True
    move(scene)
    scene.frame_set(4)
    shown = scene.xpbd.floor_height
    (floor,) = read().scene.colliders
    assert floor.transforms.shape == (5, 4, 4)
    heights = floor.transforms[:, 2, 3]
    assert (heights[0], heights[4]) == (0.5, 1.5)
    assert (np.diff(heights) > 0.0).all()
    np.testing.assert_array_equal(
        np.delete(floor.transforms.reshape(5, 16), 11, axis=1), np.tile(np.delete(np.eye(4), 11), (5, 1))
    )
    assert (scene.frame_current, scene.xpbd.floor_height) == (4, shown)


def test_a_floor_that_stands_still_has_one_transform(bpy, make_body, read):
    make_body("Body")
    scene = bpy.context.scene
    scene.xpbd.use_floor, scene.xpbd.floor_height = True, 2.0
    scene.keyframe_insert("xpbd.floor_height", frame=1)
    (floor,) = read().scene.colliders
    assert floor.transforms.shape == (1, 4, 4)


def test_keys_of_a_floor_that_is_off_are_not_played(bpy, make_body, read):
    make_body("Body")
    key_height(bpy.context.scene)
    assert read().scene.colliders == ()
    assert read.steps == []


def read_one(bpy, obj):
    from blender_xpbd.addon.reading.collider_reader import read_collider

    return read_collider(obj, "c0", np.eye(4)[None], bpy.context.evaluated_depsgraph_get())


def test_a_sphere_reaches_to_the_farthest_vertex_of_the_shown_mesh(bpy, make_body):
    obj = make_body(role="COLLIDER")
    obj.xpbd.collider_shape = "SPHERE"
    obj.data.vertices[12].co = (0.0, -3.0, 4.0)
    bpy.context.view_layer.update()
    assert read_one(bpy, obj).radius == pytest.approx(5.0)
    modifier = obj.modifiers.new("Displace", "DISPLACE")
    modifier.direction, modifier.strength, modifier.mid_level = "Z", 8.0, 0.0
    bpy.context.view_layer.update()
    found = read_one(bpy, obj)
    assert found.radius == pytest.approx(np.hypot(3.0, 12.0))
    assert (len(found.triangles), found.positions.shape) == (0, (1, 0, 3))


def test_a_mesh_comes_with_its_modifiers_and_leaves_none_behind(bpy, make_body):
    obj = make_body(role="COLLIDER")
    obj.modifiers.new("Subdivision", "SUBSURF").subdivision_type = "SIMPLE"
    bpy.context.view_layer.update()
    before = len(bpy.data.meshes)
    found = read_one(bpy, obj)
    assert len(bpy.data.meshes) == before
    corners = found.positions[0][found.triangles]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2.0
    assert len(areas) == 2 * 4 * 16
    # x and y from -1 to 1, z = x y / 10: but for a few thousandths a square of side 2
    assert areas.sum() == pytest.approx(4.0, rel=5e-3)


@pytest.mark.parametrize("shape", ["MESH", "SPHERE"])
def test_a_collider_without_faces_or_at_no_place_is_refused(bpy, make_body, shape):
    hollow, broken = make_body("Hollow", mesh=bpy.data.meshes.new("Empty")), make_body("Broken")
    broken.data.vertices[7].co.x = float("nan")
    bpy.context.view_layer.update()
    for obj, words in ((hollow, "E_GEOM_EMPTY.*Hollow"), (broken, "E_GEOM_NONFINITE.*Broken.*Vertex 7")):
        obj.xpbd.role, obj.xpbd.collider_shape = "COLLIDER", shape
        with pytest.raises(XpbdError, match=words):
            read_one(bpy, obj)
        obj.xpbd.collider_shape = "PLANE"
        assert read_one(bpy, obj).shape == "PLANE", "a plane asks for no mesh"
