# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shown in another shape than a bake reads or makes is told, with a button, and nothing else is."""

from __future__ import annotations

import pytest

from blender_xpbd.addon.reading.modifier_stack import deformers
from blender_xpbd.addon.reading.motion import curves_of


@pytest.fixture
def told(bpy, read):
    """A function that reads the scene; it returns the texts of the warnings of a code."""

    def run(code):
        return [str(notice) for notice in read().notices if notice.code == code]

    return run


def test_simplify_of_a_collider(bpy, make_body, told, codes, ball):
    make_body("Body", role="CLOTH")
    subdivision = ball.modifiers.new("Fine", "SUBSURF")
    subdivision.levels = subdivision.render_levels = 2
    render = bpy.context.scene.render
    render.simplify_subdivision, render.simplify_subdivision_render = 0, 6
    assert told("W_SIMPLIFY") == []
    render.use_simplify = True
    (text,) = told("W_SIMPLIFY")
    assert '"Ball"' in text
    render.simplify_subdivision = 6
    assert told("W_SIMPLIFY") == []
    render.simplify_subdivision_render = 1
    assert "W_SIMPLIFY" in codes()
    ball.xpbd.collider_shape = "PLANE"
    assert told("W_SIMPLIFY") == []
    ball.xpbd.collider_shape = "MESH"
    assert bpy.ops.xpbd.turn_simplify_off() == {"FINISHED"}
    assert not render.use_simplify
    assert "W_SIMPLIFY" not in codes()
    render.use_simplify, subdivision.show_viewport = True, False
    render.simplify_subdivision, render.simplify_subdivision_render = 0, 6
    assert told("W_SIMPLIFY") == [], "it takes nothing off"


def key_whether_it_is_on(modifier, path, is_on_first=True):
    for frame, is_on in ((1, is_on_first), (3, not is_on_first)):
        setattr(modifier, path, is_on)
        modifier.keyframe_insert(path, frame=frame)


@pytest.mark.parametrize("is_on_first", [True, False])
def test_keys_on_whether_a_deformer_of_a_goal_is_on(make_body, told, read, is_on_first):
    body = make_body("Body", role="CLOTH")
    modifier = body.modifiers.new("Even", "CAST")
    key_whether_it_is_on(modifier, "show_viewport", is_on_first)
    assert told("W_ANIMATED") == [], "it comes after the simulation"
    body.xpbd.goal_source = "DEFORMED"
    (text,) = told("W_ANIMATED")
    assert "a bake goes by viewports" in text
    assert '"Body"' in text
    key_whether_it_is_on(modifier, "show_render", is_on_first)
    assert told("W_ANIMATED") == []
    body.xpbd.mute_deformers = True
    (text,) = told("W_ANIMATED")
    assert "act twice" in text
    body.xpbd.mute_deformers = False
    targets = read().scene.bodies[0].goal.targets
    assert abs(targets[0] - targets[-1]).max() > 0.1


@pytest.mark.parametrize("silence", ["still", "muted"])
def test_curves_that_switch_nothing_change_nothing(make_body, told, silence):
    body = make_body("Body", role="CLOTH")
    body.xpbd.goal_source = "DEFORMED"
    fine, even = body.modifiers.new("Fine", "SUBSURF"), body.modifiers.new("Even", "CAST")
    for modifier in (fine, even):
        key_whether_it_is_on(modifier, "show_viewport", is_on_first=False)
    for curve in curves_of(body.animation_data):
        if silence == "muted":
            curve.mute = True
        else:
            curve.keyframe_points.remove(curve.keyframe_points[1])
    even.show_viewport, fine.show_viewport = True, False
    assert [modifier.name for modifier in deformers(body)] == ["Even"]
    assert told("W_ANIMATED") == []


def test_keys_on_whether_a_modifier_of_a_collider_is_on(make_body, told, read, ball):
    make_body("Body", role="CLOTH")
    modifier = ball.modifiers.new("Even", "CAST")
    modifier.cast_type = "CUBOID"
    key_whether_it_is_on(modifier, "show_viewport")
    (text,) = told("W_ANIMATED")
    assert "a bake goes by viewports" in text
    assert '"Ball"' in text
    key_whether_it_is_on(modifier, "show_render")
    assert told("W_ANIMATED") == [], "renders show what is simulated"
    first, *_, last = read().scene.colliders[0].positions
    assert abs(first - last).max() > 0.1
