# SPDX-License-Identifier: GPL-3.0-or-later
"""F-curves of shape keys, in whichever kind of actions the Blender at hand has."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError

VALUE = 'key_blocks["Smile"].value'
FRAMES, VALUES = [1.0, 3.0, 4.5, 10.0], [0.25, -2.0, 1.5, 0.75]


@pytest.fixture
def keys(make_body):
    """The shape keys of a mesh: Basis and Smile, of which Smile may have any value."""
    return own_keys(make_body())


def own_keys(obj):
    obj.shape_key_add(name="Basis")
    smile = obj.shape_key_add(name="Smile")
    smile.slider_min, smile.slider_max = -10.0, 10.0
    return obj.data.shape_keys


def animation_of(bpy):
    from blender_xpbd.addon.keys import key_animation

    return key_animation


def played(bpy, keys, frame, name="Smile"):
    bpy.context.scene.frame_set(int(np.floor(frame)), subframe=frame % 1)
    return keys.key_blocks[name].value


def write(bpy, keys, wanted, name="Bake"):
    animation = animation_of(bpy)
    created = animation.new_action(keys, name)
    animation.write_curves(keys, wanted)
    return created


@pytest.mark.parametrize("name", ["XPBD 0001", 'a "quoted" one', "back\\slash", "ümläut"])
def test_the_path_of_a_value_leads_to_it(bpy, keys, name):
    keys.key_blocks["Smile"].name = name
    keys.key_blocks[name].value = 0.375
    assert keys.path_resolve(animation_of(bpy).value_path(name)) == 0.375


@pytest.mark.parametrize("frame", [-50.0, 1.0, 2.0, 3.0, 3.5, 4.0, 4.5, 7.25, 10.0, 99.0])
def test_curves_are_straight_between_frames_and_level_beyond(bpy, keys, frame):
    write(bpy, keys, {VALUE: (FRAMES, VALUES)})
    assert played(bpy, keys, frame) == pytest.approx(np.interp(frame, FRAMES, VALUES), abs=1e-6)


def test_curves_are_replaced_and_others_are_left(bpy, keys):
    animation = animation_of(bpy)
    write(bpy, keys, {VALUE: (FRAMES, VALUES), "eval_time": ([1.0, 2.0], [5.0, 6.0])})
    animation.write_curves(keys, {VALUE: ([1.0, 2.0], [0.5, 1.0])})
    assert [played(bpy, keys, frame) for frame in (1, 2, 10)] == [0.5, 1.0, 1.0]
    assert keys.eval_time == pytest.approx(6.0)
    assert animation.is_animated(keys, "eval_time")


def test_curves_are_written_beside_those_of_the_artist(bpy, keys):
    """Into the artist's own action, whose curves stay as they are."""
    keys.key_blocks["Smile"].keyframe_insert("value", frame=1)
    keys.key_blocks["Smile"].value = 0.5
    keys.key_blocks["Smile"].keyframe_insert("value", frame=5)
    action = keys.animation_data.action
    before = [played(bpy, keys, frame) for frame in range(1, 6)]
    animation_of(bpy).write_curves(keys, {"eval_time": ([1.0, 5.0], [0.0, 40.0])})
    assert keys.animation_data.action == action
    assert [played(bpy, keys, frame) for frame in range(1, 6)] == before
    assert keys.eval_time == pytest.approx(40.0)


def test_what_moves_a_property(bpy, keys):
    animation = animation_of(bpy)
    assert not animation.is_animated(keys, VALUE)
    keys.animation_data_create()
    assert not animation.is_animated(keys, VALUE)
    write(bpy, keys, {VALUE: (FRAMES, VALUES)})
    assert animation.is_animated(keys, VALUE)
    assert not animation.is_animated(keys, "eval_time")
    keys.driver_add("eval_time")
    assert animation.is_animated(keys, "eval_time")


def test_an_action_that_serves_others_too_moves_only_what_has_their_curves(bpy, keys, make_body):
    """Layered actions keep the curves of each user apart; older ones are shared as they are."""
    other = own_keys(make_body("Other"))
    write(bpy, keys, {VALUE: (FRAMES, VALUES)})
    action = keys.animation_data.action
    other.animation_data_create().action = action
    is_layered = hasattr(action, "slots")
    if is_layered:
        other.animation_data.action_slot = action.slots.new(id_type="KEY", name="Other")
    assert animation_of(bpy).is_animated(keys, VALUE)
    assert animation_of(bpy).is_animated(other, VALUE) == (not is_layered)


def test_an_action_of_its_own_is_accepted(bpy, keys):
    animation = animation_of(bpy)
    animation.check_action(None, "Body")
    animation.check_action(keys, "Body")
    write(bpy, keys, {VALUE: (FRAMES, VALUES)})
    keys.animation_data.action.use_fake_user = True
    animation.check_action(keys, "Body")


def test_an_action_with_other_users_is_refused(bpy, keys, make_body):
    write(bpy, keys, {VALUE: (FRAMES, VALUES)})
    action = keys.animation_data.action
    other = own_keys(make_body("Other")).animation_data_create()
    other.action = action
    if hasattr(action, "slots"):
        other.action_slot = action.slots[0]
    with pytest.raises(XpbdError) as caught:
        animation_of(bpy).check_action(keys, "Body")
    assert (caught.value.code, caught.value.object_name) == ("E_DATA_SHARED", "Body")


def test_an_object_and_its_keys_may_have_one_action(bpy, make_body, fake_worker, tmp_path, dump):
    """As Blender puts their keys into one from 4.4 on, each into a slot of its own."""
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions
    from blender_xpbd.addon.keys.clearing import clear_bake

    body = make_body("Body")
    keys = own_keys(body)
    body.keyframe_insert("location", frame=1)
    keys.key_blocks["Smile"].keyframe_insert("value", frame=2)
    if bpy.app.version >= (4, 4):
        assert body.animation_data.action == keys.animation_data.action
    before = dump(body)
    assert run_bake(bpy.context, BakeOptions(cache=tmp_path / "cache", frame_start=1, frame_end=4)).complete
    clear_bake(body)
    assert dump(body) == before


@pytest.mark.parametrize("style", ["ABSOLUTE", "RELATIVE"])
@pytest.mark.parametrize("way", ["clear", "bake again"])
def test_keys_given_to_the_object_after_a_bake_stay(bpy, make_body, fake_worker, tmp_path, style, way):
    """From 4.4 on Blender puts them into the action that the bake made."""
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions
    from blender_xpbd.addon.keys.clearing import clear_bake

    body = make_body("Body")
    bpy.context.scene.xpbd.key_style = style
    wishes = BakeOptions(cache=tmp_path / "cache", frame_start=1, frame_end=4)
    assert run_bake(bpy.context, wishes).complete
    for frame, place in ((1, 0.0), (4, 3.0)):
        body.location.x = place
        body.keyframe_insert("location", frame=frame)
    action = body.animation_data.action
    if bpy.app.version >= (4, 4):
        assert action == body.data.shape_keys.animation_data.action
    clear_bake(body) if way == "clear" else run_bake(bpy.context, wishes)
    assert body.animation_data.action == action
    assert [played_place(bpy, body, frame) for frame in (1, 4)] == [0.0, 3.0]
    if way == "clear":
        assert list(bpy.data.actions) == [action]
        assert [slot.target_id_type for slot in getattr(action, "slots", ())] in ([], ["OBJECT"])


def test_curves_of_others_in_our_action_stay_even_where_nobody_plays_them(bpy, keys):
    animation = animation_of(bpy)
    created = write(bpy, keys, {VALUE: (FRAMES, VALUES)})
    action = keys.animation_data.action
    if not hasattr(action, "slots"):
        pytest.skip("actions without slots have no curves of others")
    other = action.slots.new(id_type="OBJECT", name="Other")
    action.layers[0].strips[0].channelbag(other, ensure=True).fcurves.new("location", index=0)
    animation.remove_animation(keys, [VALUE], created, "")
    assert keys.animation_data.action is None
    assert [slot.identifier for slot in bpy.data.actions[created].slots] == ["OBOther"]


def played_place(bpy, obj, frame):
    bpy.context.scene.frame_set(frame)
    return obj.matrix_world.translation.x


def test_an_action_of_a_library_is_refused(bpy, make_body, tmp_path):
    own_keys(make_body()).key_blocks["Smile"].keyframe_insert("value", frame=1)
    path = str(tmp_path / "library.blend")
    bpy.data.actions[0].use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (there, wanted):
        wanted.actions = there.actions
    keys = own_keys(make_body())
    keys.animation_data_create().action = bpy.data.actions[0]
    with pytest.raises(XpbdError) as caught:
        animation_of(bpy).check_action(keys, "Body")
    assert (caught.value.code, caught.value.object_name) == ("E_DATA_LINKED", "Body")


def remembered_slot(keys):
    return getattr(keys.animation_data, "last_slot_identifier", "")


def test_our_action_goes_with_its_curves(bpy, keys):
    last_slot = "" if not hasattr(keys.animation_data_create(), "last_slot_identifier") else "KEBefore"
    created = write(bpy, keys, {VALUE: (FRAMES, VALUES)})
    animation_of(bpy).remove_animation(keys, [VALUE], created, last_slot)
    assert keys.animation_data.action is None
    assert remembered_slot(keys) == last_slot
    assert not bpy.data.actions


def test_a_curve_that_the_artist_added_keeps_our_action(bpy, keys):
    created = write(bpy, keys, {VALUE: (FRAMES, VALUES)})
    animation_of(bpy).write_curves(keys, {"eval_time": ([1.0, 2.0], [5.0, 6.0])})
    animation_of(bpy).remove_animation(keys, [VALUE], created, "")
    assert keys.animation_data.action.name == created
    assert not animation_of(bpy).is_animated(keys, VALUE)
    assert animation_of(bpy).is_animated(keys, "eval_time")


def test_the_action_of_the_artist_stays_even_without_a_curve(bpy, keys):
    action = write(bpy, keys, {VALUE: (FRAMES, VALUES)})
    animation_of(bpy).remove_animation(keys, [VALUE], "", "")
    assert keys.animation_data.action.name == action
    assert not animation_of(bpy).is_animated(keys, VALUE)


def test_our_action_under_another_name_goes_too(bpy, keys):
    created = write(bpy, keys, {VALUE: (FRAMES, VALUES)})
    keys.animation_data.action.name = "Mine"
    animation_of(bpy).remove_animation(keys, [VALUE], created, "")
    assert not bpy.data.actions


def test_an_action_that_the_artist_put_in_the_place_of_ours_stays(bpy, keys):
    animation = animation_of(bpy)
    created = write(bpy, keys, {VALUE: (FRAMES, VALUES)})
    own = animation.new_action(keys, "Own")
    animation.write_curves(keys, {"eval_time": ([1.0, 2.0], [5.0, 6.0])})
    animation.remove_animation(keys, [VALUE], created, "")
    assert keys.animation_data.action.name == own
    assert animation.is_animated(keys, "eval_time")
    assert [action.name for action in bpy.data.actions] == [own], "nobody uses ours any more"


def test_our_action_stays_with_a_duplicate(bpy, make_body):
    obj = make_body()
    keys = own_keys(obj)
    created = write(bpy, keys, {VALUE: (FRAMES, VALUES)})
    twin = obj.data.copy()
    animation_of(bpy).remove_animation(keys, [VALUE], created, "")
    assert keys.animation_data.action is None
    assert twin.shape_keys.animation_data.action.name == created
    assert animation_of(bpy).is_animated(twin.shape_keys, VALUE)
