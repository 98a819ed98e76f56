# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether objects may move or deform, told without playing the frames."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.scene.errors import XpbdError
from tests.addon.readings import animate
from tests.geometry.surfaces import rotation_of_seed


def nothing(obj, parent):
    pass


def own_action(obj, parent):
    animate(obj)


def own_driver(obj, parent):
    obj.driver_add("location", 0)


def own_track(obj, parent):
    animate(obj)
    animation = obj.animation_data
    action, animation.action = animation.action, None
    animation.nla_tracks.new().strips.new("Strip", 1, action)


def constraint(obj, parent):
    obj.constraints.new("COPY_LOCATION")


def muted_constraint(obj, parent):
    obj.constraints.new("COPY_LOCATION").mute = True


def still_parent(obj, parent):
    obj.parent = parent


def animated_parent(obj, parent):
    obj.parent = animate(parent)


def constrained_grandparent(obj, parent):
    grandparent = obj.copy()
    grandparent.constraints.new("TRACK_TO")
    obj.parent, parent.parent = parent, grandparent


def vertex_parent(obj, parent):
    obj.parent, obj.parent_type = parent, "VERTEX"


@pytest.mark.parametrize(
    ("state", "moves"),
    [
        (nothing, False),
        (own_action, True),
        (own_driver, True),
        (own_track, True),
        (constraint, True),
        (muted_constraint, False),
        (still_parent, False),
        (animated_parent, True),
        (constrained_grandparent, True),
        (vertex_parent, True),
    ],
)
def test_what_may_move(bpy, make_body, state, moves):
    from blender_xpbd.addon.reading.motion import may_move

    obj = make_body()
    state(obj, make_body("Parent", role="NONE"))
    assert may_move(obj) == moves


def modified(obj):
    obj.modifiers.new("Wave", "WAVE")


def animated_mesh(obj):
    obj.data.vertices[0].keyframe_insert("co", frame=1)


def still_keys(obj):
    obj.shape_key_add(name="Basis")


def animated_keys(obj):
    still_keys(obj)
    obj.data.shape_keys.keyframe_insert("eval_time", frame=1)


@pytest.mark.parametrize(
    ("state", "deforms"),
    [(animate, False), (modified, True), (animated_mesh, True), (still_keys, False), (animated_keys, True)],
)
def test_what_may_deform(bpy, make_body, state, deforms):
    from blender_xpbd.addon.reading.motion import may_deform

    obj = make_body()
    state(obj)
    assert may_deform(obj) == deforms


def test_paths_that_are_animated(bpy, make_body):
    from blender_xpbd.addon.reading.motion import animated_paths

    obj, other = make_body("Body"), make_body("Other")
    assert animated_paths(obj) == frozenset()
    own_track(obj, None)
    assert animated_paths(obj) == {"location"}
    obj.driver_add("scale", 1)
    obj.keyframe_insert("rotation_euler", frame=1)
    assert animated_paths(obj) == {"location", "scale", "rotation_euler"}
    assert animated_paths(other) == frozenset()


def test_paths_of_strips_in_a_meta_strip(bpy):
    """They move the object, and were seen by nobody: gravity and settings with such keys were read once."""
    from blender_xpbd.addon.reading.motion import animated_paths

    # an empty file has no window in which strips could be joined
    bpy.ops.wm.read_factory_settings(use_empty=False)
    obj = bpy.data.objects["Cube"]
    own_track(obj, None)
    (track,) = obj.animation_data.nla_tracks
    track.select = track.strips[0].select = True
    window = bpy.context.window_manager.windows[0]
    area = window.screen.areas[0]
    area.type = "NLA_EDITOR"
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=window, area=area, region=region, selected_objects=[obj]):
        bpy.ops.nla.meta_add()
    (meta,) = track.strips
    assert meta.type == "META"
    assert animated_paths(obj) == {"location"}
    meta.mute = True
    assert animated_paths(obj) == {"location"}
    assert animated_paths(obj, with_muted=False) == frozenset()


def test_paths_of_another_user_of_the_action_do_not_count(bpy, make_body):
    """Layered actions keep the curves of each user apart; older ones have them for all users."""
    from blender_xpbd.addon.reading.motion import animated_paths

    obj, other = animate(make_body("Body")), make_body("Other")
    action = obj.animation_data.action
    other.animation_data_create().action = action
    if hasattr(action, "slots"):
        other.animation_data.action_slot = action.slots.new(id_type="OBJECT", name="Other")
        assert animated_paths(other) == frozenset()
        other.keyframe_insert("scale", frame=1)
        assert animated_paths(other) == {"scale"}
        assert animated_paths(obj) == {"location"}
    else:
        assert animated_paths(other) == {"location"}


def test_handlers_of_frames_are_seen(bpy):
    from blender_xpbd.addon.reading.motion import has_frame_handlers

    def handler(*_arguments):
        pass

    before = has_frame_handlers()
    for handlers in (bpy.app.handlers.frame_change_pre, bpy.app.handlers.frame_change_post):
        handlers.append(handler)
        assert has_frame_handlers()
        handlers.remove(handler)
    assert has_frame_handlers() == before


@pytest.mark.parametrize(
    ("scale", "is_refused"), [((1, 1, 0), True), ((1, 1, 1e-7), True), ((1, 1, 1e-5), False), ((1e-9,) * 3, False)]
)
def test_an_object_without_a_size_has_no_matrix(bpy, make_body, scale, is_refused):
    from blender_xpbd.addon.reading.motion import world_matrix

    obj = make_body(scale=scale, location=(1, 2, 3))
    depsgraph = bpy.context.evaluated_depsgraph_get()
    if is_refused:
        with pytest.raises(XpbdError, match="E_TRANSFORM_SINGULAR") as caught:
            world_matrix(obj, depsgraph, 7)
        assert (caught.value.object_name, caught.value.frame) == ("Body", 7)
    else:
        np.testing.assert_allclose(world_matrix(obj, depsgraph), np.array(obj.matrix_world), rtol=1e-6)


def test_the_rotation_is_that_of_the_polar_decomposition(bpy):
    from blender_xpbd.addon.reading.motion import rotation_of

    @given(st.integers(0, 10_000), st.booleans(), st.sampled_from([1e-6, 1.0, 1e6]))
    def check(seed, is_mirrored, size):
        turn = rotation_of_seed(seed)
        random = np.random.default_rng(seed).uniform(-0.3, 0.3, (3, 3))
        stretch = size * (np.eye(3) + random @ random.T)
        mirror = -1.0 if is_mirrored else 1.0
        np.testing.assert_allclose(rotation_of(mirror * turn @ stretch), turn, atol=1e-9)

    check()
