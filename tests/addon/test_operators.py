# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators as scripts call them; the window's side is tested in the application."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def select(bpy):
    """A function that selects objects, the first of them active."""

    def choose(*objects):
        for obj in bpy.context.view_layer.objects:
            obj.select_set(obj in objects)
        bpy.context.view_layer.objects.active = objects[0] if objects else None

    return choose


@pytest.fixture
def short(bpy, tmp_path):
    """A scene whose bake is short."""
    settings = bpy.context.scene.xpbd
    settings.frame_end, settings.substeps, settings.cache_directory = 5, 2, str(tmp_path / "cache")
    return settings


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


def test_set_role_needs_a_mesh(bpy, select):
    select()
    assert not bpy.ops.xpbd.set_role.poll()
    with pytest.raises(RuntimeError, match="Select a mesh object first"):
        bpy.ops.xpbd.set_role(role="JELLY")


def test_bake_and_clear(bpy, make_body, select, short, fake_worker, dump):
    body, other = make_body("Body"), make_body("Other", role="NONE")
    select(body)
    before = dump(body)
    assert bpy.ops.xpbd.bake() == {"FINISHED"}
    assert len(body.data.shape_keys.key_blocks) == 6
    assert body.xpbd.bake_record
    assert other.data.shape_keys is None
    assert json.loads(short.report)["frames"] == 5
    assert not bpy.context.window_manager.xpbd.is_baking
    assert bpy.ops.xpbd.clear() == {"FINISHED"}
    assert dump(body) == before
    assert not body.xpbd.bake_record
    assert not short.report


def test_clear_takes_the_selected_or_all(bpy, make_body, select, short, fake_worker):
    bodies = [make_body("A"), make_body("B"), make_body("C")]
    bpy.ops.xpbd.bake()
    select(bodies[0])
    bpy.ops.xpbd.clear()
    assert [bool(body.xpbd.bake_record) for body in bodies] == [False, True, True]
    select()
    assert bpy.ops.xpbd.clear() == {"CANCELLED"}
    assert bpy.ops.xpbd.clear(all=True) == {"FINISHED"}
    assert not any(body.data.shape_keys for body in bodies)


def test_a_body_that_cannot_be_cleared_is_named_and_the_others_are(bpy, make_body, select, short, fake_worker):
    body, edited = make_body("Body"), make_body("Edited")
    bpy.ops.xpbd.bake()
    select(edited)
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        with pytest.raises(RuntimeError, match="E_MODE_EDIT"):
            bpy.ops.xpbd.clear(all=True)
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
    assert not body.xpbd.bake_record
    assert edited.xpbd.bake_record


def test_bake_needs_a_body(bpy, make_body):
    make_body(role="COLLIDER")
    assert not bpy.ops.xpbd.bake.poll()
    with pytest.raises(RuntimeError, match="Make an object Jelly or Cloth first"):
        bpy.ops.xpbd.bake()


def test_an_error_is_raised_and_kept_for_the_panel(bpy, make_body, short, fake_worker):
    body = make_body()
    body.xpbd.area_density = 0.0
    with pytest.raises(RuntimeError, match='E_PARAM: object "Body"'):
        bpy.ops.xpbd.bake()
    assert bpy.context.window_manager.xpbd.message.startswith("E_PARAM")
    assert body.data.shape_keys is None
    body.xpbd.area_density = 0.2
    bpy.ops.xpbd.bake()
    assert bpy.context.window_manager.xpbd.message == ""


def test_a_bake_without_a_window_blocks(bpy, make_body, short, fake_worker):
    body = make_body()
    assert bpy.ops.xpbd.bake("INVOKE_DEFAULT") == {"FINISHED"}
    assert len(body.data.shape_keys.key_blocks) == 6


def test_cancel_needs_a_bake(bpy):
    assert not bpy.ops.xpbd.cancel.poll()


def choose_vertices(body, *chosen):
    body.data.vertices.foreach_set("select", [index in chosen for index in range(len(body.data.vertices))])


def weights_in(body, name):
    group = body.vertex_groups[name].index
    return {v.index: g.weight for v in body.data.vertices for g in v.groups if g.group == group}


def test_pins_from_a_selection(bpy, make_body, select):
    body = make_body()
    select(body)
    choose_vertices(body, 0, 1, 2)
    body.vertex_groups.new(name="Pin")
    assert bpy.ops.xpbd.add_pin_group() == {"FINISHED"}
    assert body.xpbd.pin_group == "Pin.001", "a group that is not the pin group is left alone"
    assert weights_in(body, "Pin.001") == {0: 1.0, 1: 1.0, 2: 1.0}


def test_more_pins_are_added_to_those_that_there_are(bpy, make_body, select):
    body = make_body()
    select(body)
    body.vertex_groups.new(name="Own").add([0, 1], 0.25, "REPLACE")
    body.xpbd.pin_group = "Own"
    for chosen in ([1, 2], [3]):
        choose_vertices(body, *chosen)
        assert bpy.ops.xpbd.add_pin_group() == {"FINISHED"}
    assert [group.name for group in body.vertex_groups] == ["Own"]
    assert body.xpbd.pin_group == "Own"
    assert weights_in(body, "Own") == {0: 0.25, 1: 1.0, 2: 1.0, 3: 1.0}


def test_pins_whose_group_was_renamed_are_told(bpy, make_body, select, capfd):
    body = make_body()
    select(body)
    choose_vertices(body, 0)
    bpy.ops.xpbd.add_pin_group()
    body.vertex_groups["Pin"].name = "Held"
    choose_vertices(body, 1)
    capfd.readouterr()
    bpy.ops.xpbd.add_pin_group()
    assert 'There was no vertex group "Pin" any more' in capfd.readouterr().out
    assert (weights_in(body, "Held"), weights_in(body, "Pin")) == ({0: 1.0}, {1: 1.0})


def test_locked_weights_stay(bpy, make_body, select):
    body = make_body()
    select(body)
    choose_vertices(body, 0)
    bpy.ops.xpbd.add_pin_group()
    body.vertex_groups["Pin"].lock_weight = True
    choose_vertices(body, 1)
    assert bpy.ops.xpbd.add_pin_group() == {"CANCELLED"}
    assert weights_in(body, "Pin") == {0: 1.0}


def test_pins_from_a_selection_in_edit_mode(bpy, make_body, select):
    body = make_body()
    select(body)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.xpbd.add_pin_group()
    assert body.mode == "EDIT"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert body.xpbd.pin_group == "Pin"
    assert all(len(vertex.groups) == 1 for vertex in body.data.vertices)


def test_no_pins_without_a_selection(bpy, make_body, select):
    body = make_body()
    select(body)
    body.data.vertices.foreach_set("select", [False] * len(body.data.vertices))
    assert bpy.ops.xpbd.add_pin_group() == {"CANCELLED"}
    assert not body.vertex_groups
    body.xpbd.role = "COLLIDER"
    assert not bpy.ops.xpbd.add_pin_group.poll()


def test_the_range_of_the_scene(bpy):
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 10, 90
    bpy.ops.xpbd.use_scene_range()
    assert (scene.xpbd.frame_start, scene.xpbd.frame_end) == (10, 90)


def test_a_preset_becomes_an_own_material(bpy, make_body, select):
    body = make_body(role="JELLY")
    select(body)
    body.xpbd.preset = "RUBBER"
    bpy.ops.xpbd.own_material()
    assert body.xpbd.preset == "MATERIAL"
    assert body.xpbd.youngs_modulus == pytest.approx(1.5e6)
    assert not bpy.ops.xpbd.own_material.poll()


def test_every_operator_explains_itself(bpy):
    from blender_xpbd.addon.ui.operators import CLASSES

    for cls in CLASSES:
        module, _, function = cls.bl_idname.partition(".")
        definition = getattr(getattr(bpy.ops, module), function).get_rna_type()
        assert definition.description == cls.__doc__.removesuffix(".") or definition.description == cls.__doc__
        for prop in definition.properties:
            assert prop.identifier == "rna_type" or prop.description
