# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons that mend what a check found: afterwards the check no longer finds it."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def codes(bpy):
    def read():
        return [row["code"] for row in json.loads(bpy.context.scene.xpbd.findings)]

    return read


def found_after(bpy, codes, code, operator, **values):
    """Check, see that it is found, and mend it; what is found then."""
    bpy.ops.xpbd.check()
    assert code in codes()
    assert operator(**values) == {"FINISHED"}
    return codes()


@pytest.mark.parametrize("scale_length", [1.0, 0.01])
def test_lift_out_of_the_floor(bpy, make_body, codes, scale_length):
    scene = bpy.context.scene
    scene.unit_settings.system, scene.unit_settings.scale_length = "METRIC", scale_length
    scene.xpbd.use_floor, scene.xpbd.floor_height = True, 0.5 / scale_length
    body = make_body("Cloth", location=(0.0, 0.0, -1.0 / scale_length), rotation_euler=(0.0, 0.7, 0.0))
    assert "W_INSIDE" not in found_after(bpy, codes, "W_INSIDE", bpy.ops.xpbd.lift, object_name="Cloth")
    lowest = min((body.matrix_world @ vertex.co).z for vertex in body.data.vertices)
    assert lowest * scale_length == pytest.approx(0.5, abs=1e-5)


def test_lift_out_of_a_mesh_and_a_sphere(bpy, make_body, codes):
    bpy.ops.mesh.primitive_uv_sphere_add(radius=1.0)
    ball = bpy.context.object
    ball.xpbd.role = "COLLIDER"
    for shape in ("MESH", "SPHERE"):
        ball.xpbd.collider_shape = shape
        body = make_body("Cloth", location=(0.0, 0.0, 0.1), scale=(0.3, 0.3, 0.3))
        assert "W_INSIDE" not in found_after(bpy, codes, "W_INSIDE", bpy.ops.xpbd.lift, object_name=body.name)
        bpy.data.objects.remove(body)


def test_what_moves_by_itself_is_not_lifted(bpy, make_body, codes):
    bpy.context.scene.xpbd.use_floor = True
    body = make_body("Cloth", location=(0.0, 0.0, -1.0))
    body.keyframe_insert("location", frame=1)
    bpy.ops.xpbd.check()
    assert bpy.ops.xpbd.lift(object_name="Cloth") == {"CANCELLED"}
    assert body.location.z == -1.0
    assert "W_INSIDE" in codes()


@pytest.mark.parametrize("name", ["Nobody", "Cloth"])
def test_nothing_to_lift(bpy, make_body, name):
    make_body("Cloth", location=(0.0, 0.0, 1.0))
    assert bpy.ops.xpbd.lift(object_name=name) == {"CANCELLED"}


@pytest.mark.parametrize(("height", "floor"), [(3.0, 0.0), (-3.0, -3.1)])
def test_a_floor_under_all(bpy, make_body, codes, height, floor):
    make_body("Cloth", location=(0.0, 0.0, height))
    left = found_after(bpy, codes, "W_FALLS", bpy.ops.xpbd.add_floor)
    assert not {"W_FALLS", "W_INSIDE"} & set(left)
    assert bpy.context.scene.xpbd.use_floor
    assert bpy.context.scene.xpbd.floor_height == pytest.approx(floor)


@pytest.mark.parametrize("role", ["CLOTH", "JELLY"])
def test_a_coarse_mesh_is_subdivided(bpy, make_body, codes, role):
    add = bpy.ops.mesh.primitive_plane_add if role == "CLOTH" else bpy.ops.mesh.primitive_cube_add
    add()
    obj = bpy.context.object
    obj.xpbd.role = role
    obj.vertex_groups.new(name="Pin").add([0, 1], 1.0, "REPLACE")
    size = tuple(obj.dimensions)
    assert "W_COARSE" not in found_after(bpy, codes, "W_COARSE", bpy.ops.xpbd.subdivide, object_name=obj.name)
    assert 200 < len(obj.data.vertices) < 2000
    assert tuple(obj.dimensions) == pytest.approx(size)
    # the edge between pinned vertices stays pinned
    pinned = [vertex for vertex in obj.data.vertices if any(entry.weight == 1.0 for entry in vertex.groups)]
    assert len(pinned) > 2


def test_nothing_to_subdivide(bpy, make_body):
    make_body("Cloth")
    assert bpy.ops.xpbd.subdivide(object_name="Nobody") == {"CANCELLED"}


def test_the_frames_of_the_scene(bpy, make_body, codes):
    make_body("Cloth")
    bpy.context.scene.frame_end = 77
    assert "W_RANGE" not in found_after(bpy, codes, "W_RANGE", bpy.ops.xpbd.use_scene_range)


def test_not_in_edit_mode(bpy, make_body, select):
    select(make_body("Cloth"))
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        assert not bpy.ops.xpbd.lift.poll()
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")


def test_a_scene_that_cannot_be_read_is_left_alone(bpy):
    assert bpy.ops.xpbd.add_floor() == {"CANCELLED"}
    assert not bpy.context.scene.xpbd.use_floor


def test_feel_like_another_size(bpy, codes):
    bpy.ops.mesh.primitive_cube_add(size=10.0)
    body = bpy.context.object
    body.xpbd.role = "JELLY"
    bpy.context.scene.xpbd.use_floor = True
    assert "W_SIZE" not in found_after(bpy, codes, "W_SIZE", bpy.ops.xpbd.feel_like, object_name=body.name)
    assert body.xpbd.feels_like == pytest.approx(0.9)
    assert bpy.ops.xpbd.feel_like(object_name=body.name) == {"CANCELLED"}
    assert bpy.ops.xpbd.feel_like(object_name="Nobody") == {"CANCELLED"}
    # a softer material asks for another size
    body.xpbd.preset = "GELATIN"
    assert "W_SIZE" not in found_after(bpy, codes, "W_SIZE", bpy.ops.xpbd.feel_like, object_name=body.name)


def test_lift_what_lies_on_the_floor(bpy, codes):
    bpy.ops.mesh.primitive_grid_add(size=1.0)
    body = bpy.context.object
    body.xpbd.role = "CLOTH"
    bpy.context.scene.xpbd.use_floor = True
    assert "W_LIES" not in found_after(bpy, codes, "W_LIES", bpy.ops.xpbd.lift, object_name=body.name)
    assert body.location.z == pytest.approx(0.5)
