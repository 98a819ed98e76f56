# SPDX-License-Identifier: GPL-3.0-or-later
"""A body whose result is smoothed is told of what it may be shown inside, and of nothing that is out of its reach."""

from __future__ import annotations

import pytest

SMOOTHERS = ("SMOOTH", "CORRECTIVE_SMOOTH", "LAPLACIANSMOOTH")


@pytest.fixture
def found(named_by):
    return named_by("W_SHOWN_SMOOTH")


@pytest.mark.parametrize("role", ["CLOTH", "JELLY"])
@pytest.mark.parametrize("kind", SMOOTHERS)
def test_smoothing_of_what_may_lie_on_something(bpy, make_body, found, kind, role):
    body = make_body("Body", role="CLOTH")
    modifier = body.modifiers.new("Even", kind)
    if kind == "LAPLACIANSMOOTH":
        modifier.lambda_factor = 0.1
    bpy.context.scene.xpbd.use_floor = True
    assert found() == [], "a mean of points over a floor is over it"
    bpy.ops.mesh.primitive_cube_add(location=(0.0, 0.0, -2.0))
    bpy.context.object.name, bpy.context.object.xpbd.role = "Other", role
    assert found() == [("Body", "Other")]
    modifier.iterations = 0
    assert found() == []


def test_what_is_out_of_reach_and_its_own_layers_are_not_told(bpy, make_body, found, ball):
    body = make_body("Body", role="CLOTH")
    body.modifiers.new("Even", "SMOOTH")
    body.xpbd.use_self_collision = True
    assert found() == [("Body", "Ball")]
    ball.location.x = 20.0
    assert found() == []
    ball.location.x = 0.0
    body.vertex_groups.new(name="Pins").add([0, 20], 1.0, "REPLACE")
    body.xpbd.pin_group, ball.location.z = "Pins", -9.0
    assert found() == [], "it hangs above"


def test_what_comes_to_it_is_told(bpy, make_body, found):
    body = make_body("Body", role="CLOTH")
    body.modifiers.new("Even", "SMOOTH")
    body.vertex_groups.new(name="Pins").add([0, 20], 1.0, "REPLACE")
    body.xpbd.pin_group = "Pins"
    bpy.ops.mesh.primitive_cube_add(location=(0.0, 0.0, 9.0))
    bpy.context.object.name, bpy.context.object.xpbd.role = "Falls", "JELLY"
    assert found() == [("Body", "Falls")]
    bpy.context.object.location.x = 20.0
    assert found() == []


def test_what_a_goal_follows_is_taken_out(make_body, found, ball):
    body = make_body("Body", role="CLOTH")
    body.modifiers.new("Even", "SMOOTH")
    assert found()
    body.xpbd.goal_source = "DEFORMED"
    assert found() == []


def test_the_button_turns_smoothing_off(bpy, make_body, found, ball):
    body = make_body("Body", role="CLOTH")
    modifier = body.modifiers.new("Even", "SMOOTH")
    assert found()
    assert bpy.ops.xpbd.turn_smoothing_off(object_name="Body") == {"FINISHED"}
    assert not modifier.show_viewport
    assert not modifier.show_render
    assert found() == []
    assert bpy.ops.xpbd.turn_smoothing_off(object_name="Body") == {"CANCELLED"}
