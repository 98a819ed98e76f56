# SPDX-License-Identifier: GPL-3.0-or-later
"""Selected vertices become pins."""

from __future__ import annotations


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
