# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles for the selected objects."""

from __future__ import annotations

import pytest

from tests.addon.strands import make_curve, make_hair, make_line


@pytest.mark.parametrize("role", ["JELLY", "CLOTH", "COLLIDER", "NONE"])
def test_set_role_of_all_selected_meshes(bpy, make_body, select, role):
    bodies = [make_body(f"Body {number}", role="CLOTH") for number in range(3)]
    empty = bpy.data.objects.new("Empty", None)
    bpy.context.scene.collection.objects.link(empty)
    select(bodies[0], bodies[1], empty)
    assert bpy.ops.xpbd.set_role(role=role) == {"FINISHED"}
    assert [body.xpbd.role for body in bodies] == [role, role, "CLOTH"]
    assert empty.xpbd.role == "NONE"


def test_set_role_of_the_active_object(bpy, make_body, select):
    body = make_body(role="NONE")
    select()
    bpy.context.view_layer.objects.active = body
    bpy.ops.xpbd.set_role(role="JELLY")
    assert body.xpbd.role == "JELLY"
    assert body.xpbd.preset == "JELLY_MEDIUM"


def test_curves_and_hair_become_strands(bpy, make_body, select):
    objects = [make_line(), make_curve(), make_hair()]
    for obj in objects:
        obj.xpbd.role = "NONE"
    body = make_body(role="NONE")
    select(*objects)
    assert bpy.ops.xpbd.set_role(role="STRAND") == {"FINISHED"}
    assert [obj.xpbd.role for obj in (*objects, body)] == ["STRAND", "STRAND", "STRAND", "NONE"]
    assert {obj.xpbd.preset for obj in objects} == {"ROPE"}
    assert bpy.ops.xpbd.set_role(role="CLOTH") == {"FINISHED"}
    assert [obj.xpbd.role for obj in objects] == ["CLOTH", "STRAND", "STRAND"]


def test_set_role_needs_a_mesh(bpy, select):
    select()
    assert not bpy.ops.xpbd.set_role.poll()
    with pytest.raises(RuntimeError, match="Select a curve, hair or mesh object first"):
        bpy.ops.xpbd.set_role(role="JELLY")


@pytest.mark.parametrize(("size", "is_changed"), [(20.0, True), (2.0, True), (1.0, False), (0.1, False), (0.01, True)])
def test_a_jelly_of_a_size_at_which_it_does_not_look_like_one(bpy, select, size, is_changed):
    bpy.ops.mesh.primitive_cube_add(size=size)
    body = bpy.context.object
    select(body)
    bpy.ops.xpbd.set_role(role="JELLY")
    assert (body.xpbd.feels_like > 0.0) == is_changed
    assert "W_SIZE" not in bpy.context.scene.xpbd.findings
    # whoever wants it true to life keeps it so
    body.xpbd.feels_like = 0.0
    bpy.ops.xpbd.set_role(role="JELLY")
    assert body.xpbd.feels_like == 0.0
    assert ("W_SIZE" in bpy.context.scene.xpbd.findings) == is_changed


def test_what_a_bake_would_refuse_gets_its_role(bpy, make_body, select):
    body = make_body("Body", role="NONE", scale=(10.0, 10.0, 0.0))
    select(body)
    assert bpy.ops.xpbd.set_role(role="JELLY") == {"FINISHED"}
    assert body.xpbd.role == "JELLY"
    assert body.xpbd.feels_like == 0.0
    assert "E_" in bpy.context.scene.xpbd.findings
