# SPDX-License-Identifier: GPL-3.0-or-later
"""Which types of objects can have which role: one table, which everything asks."""

from __future__ import annotations

import pytest

from blender_xpbd.scene.body_kinds import body_roles


@pytest.fixture
def curve(bpy):
    """A curve object in the scene."""
    obj = bpy.data.objects.new("Curve", bpy.data.curves.new("Curve", "CURVE"))
    bpy.context.scene.collection.objects.link(obj)
    return obj


@pytest.fixture
def curves_are_cloth(bpy, monkeypatch):
    """A kind of body that is no mesh: cloth, for a test, is made of curves."""
    from blender_xpbd.addon.data import object_types

    monkeypatch.setattr(object_types, "OBJECT_TYPES", {**object_types.OBJECT_TYPES, "CLOTH": ("CURVE",)})


def test_every_role_but_none_has_a_type(bpy):
    from blender_xpbd.addon.data.object_types import OBJECT_TYPES
    from blender_xpbd.addon.data.specs import ROLES

    assert set(body_roles()) < set(OBJECT_TYPES)
    assert {role.identifier for role in ROLES} - {"NONE"} == set(OBJECT_TYPES)


def test_an_object_is_a_body_by_its_role_and_its_type(bpy, make_body):
    from blender_xpbd.addon.data.object_types import is_body, takes_part

    body = make_body()
    assert is_body(body)
    body.xpbd.role = "COLLIDER"
    assert not is_body(body)
    assert takes_part(body)
    empty = bpy.data.objects.new("Empty", None)
    empty.xpbd.role = "CLOTH"
    assert not is_body(empty)
    assert not takes_part(empty)


@pytest.mark.usefixtures("curves_are_cloth")
def test_a_role_goes_to_objects_of_its_type(bpy, make_body, select, curve, monkeypatch):
    # no reader knows these
    monkeypatch.setattr("blender_xpbd.addon.ui.operators.set_role.note_findings", lambda _context: ())
    monkeypatch.setattr("blender_xpbd.addon.ui.operators.set_role.follow_size", lambda _context, _objects: "")
    body = make_body(role="NONE")
    select(body, curve)
    assert bpy.ops.xpbd.set_role(role="CLOTH") == {"FINISHED"}
    assert (body.xpbd.role, curve.xpbd.role) == ("NONE", "CLOTH")
    bpy.ops.xpbd.set_role(role="JELLY")
    assert (body.xpbd.role, curve.xpbd.role) == ("JELLY", "CLOTH")
    bpy.ops.xpbd.set_role(role="NONE")
    assert (body.xpbd.role, curve.xpbd.role) == ("NONE", "NONE")


@pytest.mark.usefixtures("curves_are_cloth")
def test_a_role_that_no_selected_object_can_have_changes_nothing(bpy, make_body, select):
    body = make_body(role="NONE")
    select(body)
    assert bpy.ops.xpbd.set_role(role="CLOTH") == {"CANCELLED"}
    assert body.xpbd.role == "NONE"


@pytest.mark.usefixtures("curves_are_cloth")
def test_panels_ask_for_the_type(bpy, make_body, select, curve):
    from blender_xpbd.addon.ui.sidebar import active_object, active_role

    body, mesh = make_body("Body", role="JELLY"), make_body("Mesh", role="CLOTH")
    curve.xpbd.role = "CLOTH"
    for obj, role in ((curve, "CLOTH"), (mesh, "NONE"), (body, "JELLY")):
        select(obj)
        bpy.context.view_layer.objects.active = obj
        assert (active_object(bpy.context), active_role(bpy.context)) == (obj, role)


@pytest.mark.usefixtures("curves_are_cloth")
def test_only_vertices_of_a_mesh_are_pinned(bpy, make_body, select, curve):
    curve.xpbd.role = "CLOTH"
    select(curve)
    bpy.context.view_layer.objects.active = curve
    with pytest.raises(RuntimeError, match="Only vertices of a mesh can be pinned"):
        bpy.ops.xpbd.add_pin_group()


@pytest.mark.usefixtures("curves_are_cloth")
def test_what_can_have_a_role_is_told(bpy, select):
    select()
    with pytest.raises(RuntimeError, match="Select a curve, hair or mesh object first"):
        bpy.ops.xpbd.set_role(role="JELLY")
