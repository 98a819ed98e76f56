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


def cube(bpy, size=2.0):
    bpy.ops.mesh.primitive_cube_add(size=size)
    return bpy.context.object


def test_one_that_a_bake_would_refuse_does_not_keep_others_from_their_size(bpy, select):
    body = cube(bpy, 10.0)
    empty = bpy.data.objects.new("Empty Mesh", bpy.data.meshes.new("Empty Mesh"))
    bpy.context.scene.collection.objects.link(empty)
    select(empty, body)
    bpy.ops.xpbd.set_role(role="JELLY")
    assert body.xpbd.feels_like == pytest.approx(1.0)
    assert empty.xpbd.feels_like == 0.0
    assert "E_GEOM_EMPTY" in bpy.context.scene.xpbd.findings


def test_linked_copies_get_their_size(bpy, select):
    body = cube(bpy, 10.0)
    select(body)
    bpy.ops.object.duplicate(linked=True)
    copy = bpy.context.object
    assert copy != body
    assert copy.data == body.data
    select(body, copy)
    bpy.ops.xpbd.set_role(role="JELLY")
    assert [obj.xpbd.feels_like for obj in (body, copy)] == pytest.approx([1.0, 1.0])


def test_the_button_tells_what_it_set(bpy, select, capfd):
    select(cube(bpy, 10.0))
    bpy.ops.xpbd.set_role(role="JELLY")
    assert 'Feels Like was set: "Cube" 1 m, 10 times as stiff; 0 is true to life' in capfd.readouterr().out


def test_what_was_typed_stays(bpy, select):
    body = cube(bpy, 10.0)
    select(body)
    body.xpbd.feels_like = 3.0
    bpy.ops.xpbd.set_role(role="JELLY")
    bpy.ops.xpbd.set_material(preset="RUBBER")
    assert body.xpbd.feels_like == 3.0
    body.xpbd.feels_like = 0.0
    bpy.ops.xpbd.set_role(role="CLOTH")
    bpy.ops.xpbd.set_role(role="JELLY")
    assert body.xpbd.feels_like == 0.0


def test_the_size_goes_with_the_material(bpy, select):
    body = cube(bpy, 10.0)
    select(body)
    bpy.ops.xpbd.set_role(role="JELLY")
    assert body.xpbd.feels_like == pytest.approx(1.0)
    bpy.ops.xpbd.set_material(preset="RUBBER")
    assert body.xpbd.feels_like == 0.0
    assert "W_SIZE" not in bpy.context.scene.xpbd.findings
    bpy.ops.xpbd.set_material(preset="JELLY_MEDIUM")
    assert body.xpbd.feels_like == pytest.approx(1.0)


def test_copied_settings_suit_the_size_of_the_copy(bpy, select):
    large, small = cube(bpy, 10.0), cube(bpy, 1.0)
    select(large)
    bpy.ops.xpbd.set_role(role="JELLY")
    select(small, large)
    bpy.context.view_layer.objects.active = large
    bpy.ops.xpbd.copy_settings()
    assert (large.xpbd.feels_like, small.xpbd.feels_like) == (pytest.approx(1.0), 0.0)
    large.xpbd.feels_like = 3.0
    bpy.ops.xpbd.copy_settings()
    assert small.xpbd.feels_like == 3.0
    assert not small.xpbd.fits_size


def test_what_could_be_a_mesh_is_told_how(bpy):
    from blender_xpbd.addon.data.object_types import conversion_advice

    for add in (bpy.ops.object.text_add, bpy.ops.object.metaball_add, bpy.ops.curve.primitive_bezier_circle_add):
        add()
        assert "Convert" in conversion_advice([bpy.context.object])
    bpy.ops.mesh.primitive_cube_add()
    assert conversion_advice([bpy.context.object]) == ""
    instance = bpy.data.objects.new("Instance", None)
    instance.instance_type = "COLLECTION"
    assert conversion_advice([instance]) == ""
    instance.instance_collection = bpy.data.collections.new("Copied")
    assert "Make Instances Real" in conversion_advice([instance])
