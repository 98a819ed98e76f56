# SPDX-License-Identifier: GPL-3.0-or-later
"""What is there at some frames alone, and what hangs on what is simulated, is told."""

from __future__ import annotations

import pytest


@pytest.fixture
def warnings(read):
    """A function that reads the scene; it answers the texts of the warnings by their code, each once."""

    def run():
        notices = read().notices
        assert len({notice.code for notice in notices}) == len(notices)
        return {notice.code: notice.message for notice in notices}

    return run


@pytest.fixture
def add_field(bpy):
    """A function that adds a force field."""

    def add(kind="FORCE"):
        bpy.ops.object.effector_add(type="FORCE")
        obj = bpy.context.object
        obj.name, obj.field.type = "Field", kind
        return obj

    return add


@pytest.mark.parametrize(("first", "acts"), [(True, False), (False, True)])
@pytest.mark.parametrize("playhead", [1, 9])
def test_whether_a_field_is_there_goes_by_the_first_frame(bpy, make_body, warnings, add_field, first, acts, playhead):
    make_body()
    field = add_field("TEXTURE")
    for frame, value in ((1, first), (9, not first)):
        field.hide_viewport = value
        field.keyframe_insert("hide_viewport", frame=frame)
    bpy.context.scene.frame_set(playhead)
    found = warnings()
    assert '"Field"' in found["W_ANIMATED"]
    assert ("W_FORCE" in found) == acts


def test_colliders_that_are_there_at_some_frames_are_told(make_body, warnings):
    make_body()
    wall = make_body("Wall", role="COLLIDER")
    wall.hide_viewport = False
    wall.keyframe_insert("hide_viewport", frame=1)
    assert '"Wall"' in warnings()["W_ANIMATED"]


def hang_by_a_vertex(field, body):
    field.parent, field.parent_type = body, "VERTEX"


def hang_by_a_group(field, body):
    constraint = field.constraints.new("COPY_LOCATION")
    constraint.target, constraint.subtarget = body, body.vertex_groups.new(name="Tip").name


def hang_by_the_surface(field, body):
    field.constraints.new("SHRINKWRAP").target = body


@pytest.mark.parametrize("hang", [hang_by_a_vertex, hang_by_a_group, hang_by_the_surface])
def test_what_hangs_on_what_is_simulated_is_told(make_body, warnings, add_field, hang):
    body, other = make_body(), make_body("Other", role="COLLIDER")
    field = add_field()
    hang(field, other)
    assert "W_IGNORED" not in warnings()
    field.parent = None
    field.constraints.clear()
    hang(field, body)
    assert '"Field"' in warnings()["W_IGNORED"]
