# SPDX-License-Identifier: GPL-3.0-or-later
"""Selected vertices become pins."""

from __future__ import annotations

import pytest

from tests.addon.selection import select_edges


def choose_vertices(body, *chosen):
    body.data.vertices.foreach_set("select", [index in chosen for index in range(len(body.data.vertices))])


def weights_in(body, name):
    group = body.vertex_groups[name].index
    return {v.index: g.weight for v in body.data.vertices for g in v.groups if g.group == group}


def test_pins_from_a_selection(bpy, make_body, select):
    body = make_body()
    select(body)
    choose_vertices(body, 0, 1, 2)
    body.vertex_groups.new(name="Own")
    assert bpy.ops.xpbd.add_pin_group() == {"FINISHED"}
    assert body.xpbd.pin_group == "Pin", "a group of another name is left alone"
    assert weights_in(body, "Pin") == {0: 1.0, 1: 1.0, 2: 1.0}


@pytest.mark.parametrize("mode", ["OBJECT", "EDIT"])
def test_what_is_pinned_is_not_told_to_fall(bpy, make_body, select, mode):
    body = make_body()
    select(body)
    choose_vertices(body, 0, 1, 2)
    bpy.ops.xpbd.check()
    assert "W_FALLS" in bpy.context.scene.xpbd.findings
    bpy.ops.object.mode_set(mode=mode)
    try:
        assert bpy.ops.xpbd.add_pin_group() == {"FINISHED"}
        assert body.mode == mode
        assert "W_FALLS" not in bpy.context.scene.xpbd.findings
        assert bpy.ops.xpbd.remove_pins() == {"FINISHED"}
        assert "W_FALLS" in bpy.context.scene.xpbd.findings, "it falls again"
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")


def test_pins_of_the_usual_name_count_on_where_none_is_chosen(bpy, make_body, select):
    body = make_body()
    select(body)
    choose_vertices(body, 0)
    bpy.ops.xpbd.add_pin_group()
    body.xpbd.pin_group = ""
    choose_vertices(body, 1)
    bpy.ops.xpbd.add_pin_group()
    assert [group.name for group in body.vertex_groups] == ["Pin"]
    assert body.xpbd.pin_group == "Pin"
    assert weights_in(body, "Pin") == {0: 1.0, 1: 1.0}


def test_pins_are_removed_and_selected(bpy, make_body, select):
    body = make_body()
    select(body)
    assert not bpy.ops.xpbd.remove_pins.poll()
    assert not bpy.ops.xpbd.select_pins.poll()
    choose_vertices(body, 0, 1, 2)
    bpy.ops.xpbd.add_pin_group()
    choose_vertices(body, 1, 7)
    assert bpy.ops.xpbd.remove_pins() == {"FINISHED"}
    assert weights_in(body, "Pin") == {0: 1.0, 2: 1.0}
    choose_vertices(body, 9)
    assert bpy.ops.xpbd.select_pins() == {"FINISHED"}
    assert [vertex.index for vertex in body.data.vertices if vertex.select] == [0, 2, 9]


def test_pins_are_assigned_and_removed_in_edit_mode(bpy, make_body, select):
    body = make_body()
    select(body)
    select_edges(body.data, [])
    choose_vertices(body, 0, 1)
    bpy.ops.object.mode_set(mode="EDIT")
    assert bpy.ops.xpbd.add_pin_group() == {"FINISHED"}
    assert bpy.ops.xpbd.add_pin_group() == {"FINISHED"}
    assert body.mode == "EDIT"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert [group.name for group in body.vertex_groups] == ["Pin"]
    assert weights_in(body, "Pin") == {0: 1.0, 1: 1.0}


def test_pins_are_painted_in_the_pin_group(bpy, make_body, select):
    body = make_body()
    select(body)
    body.vertex_groups.new(name="Other")
    assert bpy.ops.xpbd.paint_pins() == {"FINISHED"}
    assert body.mode == "WEIGHT_PAINT"
    assert body.vertex_groups.active.name == body.xpbd.pin_group == "Pin"
    bpy.ops.object.mode_set(mode="OBJECT")


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
