# SPDX-License-Identifier: GPL-3.0-or-later
"""What an object meets."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def collect(bpy):
    """A function that makes a collection of objects."""

    def make(*objects, name="Seen", parent=None):
        collection = bpy.data.collections.new(name)
        (parent or bpy.context.scene.collection).children.link(collection)
        for obj in objects:
            collection.objects.link(obj)
        return collection

    return make


def test_a_new_object_meets_everything_but_itself(bpy, make_body, read):
    make_body("Body")
    make_body("Wall", role="COLLIDER")
    reading = read()
    contact = reading.scene.bodies[0].contact
    assert (contact.self_collision, contact.body_collision, contact.thickness, contact.layer) == (False, True, 0.0, 0)
    assert contact.sees is None
    assert len(contact.left_out) == 0
    assert reading.notices == ()


def test_settings_are_read_in_metres(bpy, make_body, read):
    body = make_body("Body")
    own = body.xpbd
    own.use_self_collision, own.use_body_collision = True, False
    own.thickness, own.contact_layer = 0.5, 3
    bpy.context.scene.unit_settings.scale_length = 0.01
    contact = read().scene.bodies[0].contact
    assert (contact.self_collision, contact.body_collision, contact.layer) == (True, False, 3)
    assert contact.thickness == pytest.approx(0.005)


def test_a_group_leaves_out_what_weighs_more_than_a_half(bpy, make_body, read):
    body = make_body("Body")
    group = body.vertex_groups.new(name="Free")
    for vertex, weight in {7: 1.0, 3: 0.51, 5: 0.5, 9: 0.0}.items():
        group.add([vertex], weight, "REPLACE")
    body.xpbd.no_contact_group = "Free"
    reading = read()
    left_out = reading.scene.bodies[0].contact.left_out
    assert left_out.dtype == np.int32
    np.testing.assert_array_equal(left_out, [3, 7])
    assert reading.notices == ()


@pytest.mark.parametrize("state", ["missing", "empty"])
def test_a_group_that_leaves_nothing_out_is_told(bpy, make_body, read, state):
    body = make_body("Body")
    body.xpbd.no_contact_group = "Free"
    if state == "empty":
        body.vertex_groups.new(name="Free").add([0, 1], 0.4, "REPLACE")
    reading = read()
    assert len(reading.scene.bodies[0].contact.left_out) == 0
    assert [(notice.code, notice.object_name) for notice in reading.notices] == [("W_GROUP", "Body")]
    assert "Free" in reading.notices[0].message


def test_a_collection_names_what_is_seen(bpy, make_body, read, collect):
    """Colliders of nested collections count, the object itself and what takes no part do not, the floor always."""
    body, other, far = make_body("A"), make_body("B", role="JELLY"), make_body("C")
    wall, unseen = make_body("Wall", role="COLLIDER"), make_body("Unseen", role="COLLIDER")
    bystander = make_body("Bystander", role="NONE")
    collection = collect(body, other, bystander)
    collect(wall, name="Inner", parent=collection)
    body.xpbd.collision_collection = collection
    bpy.context.scene.xpbd.use_floor = True
    reading = read()
    names = {item.identifier: item.name for item in (*reading.scene.bodies, *reading.scene.colliders)}
    first, second, third = reading.scene.bodies
    assert [names[identifier] for identifier in first.contact.sees] == ["B", "Wall", "Floor"]
    assert (second.contact.sees, third.contact.sees) == (None, None)
    assert {far.name, unseen.name} <= set(names.values())
    assert reading.notices == ()


def test_a_collection_without_anything_to_meet_is_told(bpy, make_body, read, collect):
    body, other = make_body("A"), make_body("B")
    body.xpbd.collision_collection = collect(body, other)
    reading = read(objects=("A",))
    assert reading.scene.bodies[0].contact.sees == ()
    assert [(notice.code, notice.object_name) for notice in reading.notices] == [("W_GROUP", "A")]
    assert "Seen" in reading.notices[0].message


def test_a_role_keeps_the_settings_of_contact(bpy, make_body):
    body = make_body("Body")
    bpy.context.view_layer.objects.active = body
    body.select_set(True)
    body.xpbd.use_self_collision = False
    body.xpbd.thickness = 0.25
    bpy.ops.xpbd.set_role(role="JELLY")
    assert (body.xpbd.role, body.xpbd.use_self_collision, body.xpbd.thickness) == ("JELLY", False, 0.25)
