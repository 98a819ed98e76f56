# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices that ride on what is not simulated."""

import numpy as np
import pytest

from tests.addon.deformers import animate, armature

VERTICES = [0, 1, 2, 7]


@pytest.fixture
def cloth(make_body):
    body = make_body("Cloth", location=(0.0, 0.0, 1.0))
    body.vertex_groups.new(name="Held").add(VERTICES, 1.0, "REPLACE")
    body.xpbd.attach_group = "Held"
    return body


def places(reading):
    """Of the riding vertices at each frame, relative to the first."""
    (body,) = reading.scene.bodies
    assert body.attachment is None
    np.testing.assert_array_equal(np.sort(body.pins.vertices), VERTICES)
    rows = np.stack([body.pins.places(body.positions, frame) for frame in range(5)])
    np.testing.assert_allclose(rows[0], body.positions[body.pins.vertices], atol=1e-6)
    return rows


def add_empty(bpy):
    empty = bpy.data.objects.new("Empty", None)
    bpy.context.scene.collection.objects.link(empty)
    return empty


def test_on_an_empty_they_go_and_turn_with_it(bpy, cloth, read):
    empty = add_empty(bpy)
    animate(empty, "location", {1: (0, 0, 0), 5: (4, 0, 0)})
    animate(empty, "rotation_euler", {1: (0, 0, 0), 5: (0, 0, np.pi / 2)})
    cloth.xpbd.attach_object = empty
    rows = places(read())
    x, y, z = rows[0].T
    np.testing.assert_allclose(rows[-1], np.column_stack([4.0 - y, x, z]), atol=1e-5)


def test_on_a_bone_they_go_with_the_pose(bpy, cloth, read):
    rig = armature(bpy)
    animate(rig.pose.bones["Bone"], "location", {1: (0, 0, 0), 5: (0, 2, 0)})
    cloth.xpbd.attach_object, cloth.xpbd.attach_bone = rig, "Bone"
    rows = places(read())
    # a bone lies along its own Y, this one upright
    np.testing.assert_allclose(rows[-1] - rows[0], [[0, 0, 2]] * 4, atol=1e-5)


def test_a_bone_that_is_not_there_is_told(bpy, cloth, read):
    rig = armature(bpy)
    cloth.xpbd.attach_object, cloth.xpbd.attach_bone = rig, "Nobody"
    reading = read()
    assert [(notice.code, notice.object_name) for notice in reading.notices] == [("W_GROUP", "Cloth")]
    np.testing.assert_allclose(places(reading)[-1], places(reading)[0])


def test_on_a_skin_they_go_with_its_deformation(bpy, cloth, make_body, read):
    skin = make_body("Skin", role="NONE", location=(0.0, 0.0, 0.95))
    rig = armature(bpy)
    skin.vertex_groups.new(name="Bone").add(range(25), 1.0, "REPLACE")
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    skin.modifiers.new("Subdivision", "SUBSURF")
    animate(rig.pose.bones["Bone"], "location", {1: (0, 0, 0), 5: (0, 2, 0)})
    cloth.xpbd.attach_object = skin
    rows = places(read())
    np.testing.assert_allclose(rows[-1] - rows[0], [[0, 0, 2]] * 4, atol=1e-5)


def test_own_pins_and_riding_vertices_go_two_ways(bpy, cloth, read):
    empty = add_empty(bpy)
    animate(empty, "location", {1: (0, 0, 0), 5: (4, 0, 0)})
    cloth.xpbd.attach_object = empty
    cloth.vertex_groups.new(name="Pins").add([7, 20], 1.0, "REPLACE")
    cloth.xpbd.pin_group = "Pins"
    (body,) = read().scene.bodies
    last = dict(zip(body.pins.vertices.tolist(), body.pins.places(body.positions, 4), strict=True))
    assert sorted(last) == [0, 1, 2, 7, 20]
    np.testing.assert_allclose(last[20], body.positions[20], atol=1e-6)
    np.testing.assert_allclose(last[7], body.positions[7] + [4.0, 0.0, 0.0], atol=1e-5)


def test_a_role_on_the_object_that_is_ridden_changes_nothing(make_body, cloth, read):
    """A collider carries as what has no role does."""
    cloth.xpbd.attach_object = make_body("Wall", role="COLLIDER", location=(0.0, 0.0, 1.0))
    assert len(read().scene.bodies[0].pins.vertices) == 4
