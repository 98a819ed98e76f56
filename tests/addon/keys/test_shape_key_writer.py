# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames in, shape keys out, and back again to the last property."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError

MATRIX = np.array([[0.0, -2.0, 0.0, 1.0], [1.0, 0.0, 0.0, 2.0], [0.0, 0.0, -0.5, 3.0], [0.0, 0.0, 0.0, 1.0]])


def target_of(obj, start=1, end=5, step=1, **values):
    from blender_xpbd.addon.keys.shape_key_writer import KeyTarget
    from blender_xpbd.addon.reading.mesh_reader import read_mixed_shape
    from blender_xpbd.addon.reading.points import topology_of

    return KeyTarget(
        **{
            "object_uid": obj.session_uid,
            "name": obj.name,
            "topology": topology_of(obj.data),
            "mixed_shape": read_mixed_shape(obj),
            "matrices": np.array(obj.matrix_world, np.float64)[None],
            "start": start,
            "end": end,
            "step": step,
            **values,
        }
    )


def motion(target, frame):
    """World positions [m] of a wobble, zero at the first frame."""
    matrix = target.matrices[frame - target.start if len(target.matrices) > 1 else 0]
    generator = np.random.default_rng(1000 + frame)
    local = target.mixed_shape + (frame > target.start) * generator.uniform(-1, 1, target.mixed_shape.shape)
    return (local @ matrix[:3, :3].T + matrix[:3, 3]) * target.unit_scale


def frame_of(positions):
    from blender_xpbd.addon.keys.body_frame import BodyFrame

    return BodyFrame(positions)


def write(bpy, obj, frames=None, **values):
    from blender_xpbd.addon.keys.shape_key_writer import ShapeKeyWriter

    target = target_of(obj, **values)
    writer = ShapeKeyWriter(target, "bake", Path("job"))
    writer.begin()
    end = target.end
    for frame in frames or sorted({*range(target.start, end + 1, target.step), end}):
        writer.add_frame(frame, frame_of(motion(target, frame)))
    writer.finish(bpy.context.scene.frame_current_final)
    return target


def played(bpy, obj, frame):
    """World positions that Blender shows, in Blender units."""
    bpy.context.scene.frame_set(int(np.floor(frame)), subframe=frame % 1)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    evaluated = obj.evaluated_get(depsgraph)
    points = np.array([vertex.co[:] for vertex in evaluated.data.vertices])
    matrix = np.array(evaluated.matrix_world)
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def give_own_keys(obj, value=0.5):
    obj.shape_key_add(name="Basis")
    smile = obj.shape_key_add(name="Smile")
    smile.points[3].co = (2.0, 3.0, 4.0)
    smile.value = value
    return smile


@pytest.mark.parametrize("style", ["ABSOLUTE", "RELATIVE"])
@pytest.mark.parametrize("own", [False, True])
def test_plays_frames_exactly_and_linearly_between(bpy, make_body, style, own):
    obj = make_body(matrix_world=MATRIX.tolist())
    if own:
        give_own_keys(obj)
    target = write(bpy, obj, key_style=style, unit_scale=0.01, start=-2, end=4)
    for frame in range(-2, 5):
        np.testing.assert_allclose(played(bpy, obj, frame), motion(target, frame) / 0.01, atol=2e-5)
    middle = (0.25 * motion(target, 1) + 0.75 * motion(target, 2)) / 0.01
    np.testing.assert_allclose(played(bpy, obj, 1.75), middle, atol=5e-4)
    np.testing.assert_allclose(played(bpy, obj, 90), motion(target, 4) / 0.01, atol=2e-5)
    np.testing.assert_allclose(played(bpy, obj, -90), motion(target, -2) / 0.01, atol=2e-5)


@pytest.mark.parametrize("style", ["ABSOLUTE", "RELATIVE"])
def test_a_step_leaves_frames_out_and_plays_the_line(bpy, make_body, style):
    obj = make_body()
    target = write(bpy, obj, key_style=style, start=1, end=6, step=2)
    assert [block.name for block in obj.data.shape_keys.key_blocks][1:] == [
        "XPBD 0001",
        "XPBD 0003",
        "XPBD 0005",
        "XPBD 0006",
    ]
    middle = 0.5 * (motion(target, 3) + motion(target, 5))
    np.testing.assert_allclose(played(bpy, obj, 4), middle, atol=2e-5)
    np.testing.assert_allclose(played(bpy, obj, 6), motion(target, 6), atol=2e-5)


def test_a_moving_object_gets_the_world_positions(bpy, make_body):
    obj = make_body()
    matrices = []
    for frame in (1, 2, 3):
        obj.location = (frame, 0, 0)
        obj.rotation_euler = (0, 0.3 * frame, 0)
        for path in ("location", "rotation_euler"):
            obj.keyframe_insert(path, frame=frame)
    for frame in (1, 2, 3):
        bpy.context.scene.frame_set(frame)
        matrices.append(np.array(obj.matrix_world))
    target = write(bpy, obj, matrices=np.array(matrices), end=3)
    for frame in (1, 2, 3):
        np.testing.assert_allclose(played(bpy, obj, frame), motion(target, frame), atol=2e-5)


@pytest.mark.parametrize("unit_scale", [1.0, 0.01])
def test_world_positions_come_into_sheared_mirrored_and_scaled_objects(bpy, make_body, unit_scale):
    matrix = np.array([[-2.0, 0.3, 0.1, 5.0], [0.2, 1e-3, 0.4, -6.0], [0.0, 0.7, 30.0, 7.0], [0.0, 0.0, 0.0, 1.0]])
    target = target_of(make_body(), matrices=matrix[None], unit_scale=unit_scale)
    local = np.random.default_rng(1).normal(size=(50, 3))
    world = (local @ matrix[:3, :3].T + matrix[:3, 3]) * unit_scale
    np.testing.assert_allclose(target.local(1, world), local, atol=1e-12)


def test_a_frame_is_written_without_the_threads_of_linear_algebra(bpy, make_body, monkeypatch):
    """They spin on the core that the solver needs, for 5 ms per frame, even for a matrix of 3 x 3."""

    def refuse(*_, **__):
        raise AssertionError

    for name in ("inv", "solve", "lstsq", "det"):
        monkeypatch.setattr(np.linalg, name, refuse)
    target = target_of(make_body())
    assert target.local(1, np.zeros((5, 3))).shape == (5, 3)


def test_the_users_keys_add_on_top_of_relative_ones(bpy, make_body):
    obj = make_body()
    smile = give_own_keys(obj, 0.5)
    target = write(bpy, obj)
    smile.value = 1.0
    expected = motion(target, 3)
    expected[3] += 0.5 * (np.array([2.0, 3.0, 4.0]) - np.array(obj.data.shape_keys.reference_key.points[3].co))
    np.testing.assert_allclose(played(bpy, obj, 3), expected, atol=2e-5)


def plain(obj):
    pass


def own_keys(obj):
    give_own_keys(obj)


def own_keys_active(obj):
    give_own_keys(obj)
    obj.active_shape_key_index = 1
    obj.show_only_shape_key = True


def driven_keys(obj):
    smile = give_own_keys(obj)
    driver = smile.driver_add("value").driver
    driver.type = "SCRIPTED"
    driver.expression = "0.25"


def animated_keys(obj):
    smile = give_own_keys(obj)
    smile.keyframe_insert("value", frame=1)
    smile.value = 0.9
    smile.keyframe_insert("value", frame=5)


def muted_keys(obj):
    give_own_keys(obj).mute = True


def absolute_keys(obj):
    give_own_keys(obj)
    obj.data.shape_keys.use_relative = False
    obj.data.shape_keys.eval_time = 5.0


def modified(obj):
    obj.modifiers.new("Mirror", "MIRROR")
    obj.modifiers.new("Multires", "MULTIRES")
    obj.vertex_groups.new(name="Pins").add([0, 1], 0.5, "REPLACE")


def animated_object(obj):
    obj.keyframe_insert("location", frame=1)


STATES = [
    plain,
    own_keys,
    own_keys_active,
    driven_keys,
    animated_keys,
    muted_keys,
    absolute_keys,
    modified,
    animated_object,
]


@pytest.mark.parametrize("style", ["AUTO", "ABSOLUTE", "RELATIVE"])
@pytest.mark.parametrize("state", STATES)
def test_clear_takes_all_back(bpy, make_body, dump, state, style):
    from blender_xpbd.addon.keys.clearing import clear_bake

    obj = make_body(matrix_world=MATRIX.tolist())
    state(obj)
    if state is absolute_keys and style == "RELATIVE":
        pytest.skip("refused")
    bpy.context.scene.frame_set(1)
    before = dump(obj)
    write(bpy, obj, key_style=style)
    assert dump(obj) != before
    assert clear_bake(obj)
    bpy.context.view_layer.update()
    assert dump(obj) == before
    assert obj.xpbd.bake_record == ""
    assert not clear_bake(obj)


@pytest.mark.parametrize("state", [plain, own_keys, animated_keys])
@pytest.mark.parametrize("stop", ["begin", "frame", "finish"])
def test_a_bake_that_broke_off_can_be_taken_back(bpy, make_body, dump, state, stop):
    """As from a file that was saved while it ran."""
    from blender_xpbd.addon.keys.shape_key_writer import ShapeKeyWriter, clear_bake

    obj = make_body()
    state(obj)
    bpy.context.scene.frame_set(1)
    before = dump(obj)
    target = target_of(obj)
    writer = ShapeKeyWriter(target, "bake", Path("job"))
    writer.begin()
    if stop != "begin":
        writer.add_frame(1, frame_of(motion(target, 1)))
        writer.add_frame(2, frame_of(motion(target, 2)))
    if stop == "finish":
        writer.finish(1.0)
    assert clear_bake(obj)
    assert dump(obj) == before


def test_finish_without_a_frame_leaves_nothing(bpy, make_body, dump):
    from blender_xpbd.addon.keys.shape_key_writer import ShapeKeyWriter

    obj = make_body()
    before = dump(obj)
    writer = ShapeKeyWriter(target_of(obj), "bake", Path("job"))
    writer.begin()
    writer.finish(1.0)
    assert dump(obj) == before
    assert obj.xpbd.bake_record == ""


def test_the_users_work_after_the_bake_survives_clear(bpy, make_body):
    from blender_xpbd.addon.keys.clearing import clear_bake

    obj = make_body()
    write(bpy, obj)
    later = obj.shape_key_add(name="Later", from_mix=False)
    later.points[0].co = (9.0, 9.0, 9.0)
    clear_bake(obj)
    keys = obj.data.shape_keys
    assert [block.name for block in keys.key_blocks] == ["Basis", "Later"]
    assert keys.use_relative
    assert later.points[0].co[:] == (9.0, 9.0, 9.0)


def test_a_key_named_as_ours_stays_the_users(bpy, make_body, dump):
    from blender_xpbd.addon.keys.clearing import clear_bake

    obj = make_body()
    give_own_keys(obj).name = "XPBD 0003"
    before = dump(obj)
    target = write(bpy, obj)
    np.testing.assert_allclose(played(bpy, obj, 3), motion(target, 3), atol=2e-5)
    bpy.context.scene.frame_set(1)
    clear_bake(obj)
    assert dump(obj) == before


@pytest.mark.parametrize("style", ["ABSOLUTE", "RELATIVE"])
def test_a_bake_over_a_bake_starts_from_the_original(bpy, make_body, dump, style):
    from blender_xpbd.addon.keys.clearing import clear_bake
    from blender_xpbd.addon.reading.mesh_reader import read_rest_shape

    obj = make_body()
    rest = read_rest_shape(obj)
    before = dump(obj)
    for end in (5, 3):
        write(bpy, obj, key_style=style, end=end)
        bpy.context.scene.frame_set(3)
        np.testing.assert_array_equal(read_rest_shape(obj), rest)
    assert len(obj.data.shape_keys.key_blocks) == 4
    bpy.context.scene.frame_set(1)
    clear_bake(obj)
    assert dump(obj) == before


def test_the_viewport_shows_the_newest_frame_and_then_the_present_one(bpy, make_body):
    from blender_xpbd.addon.keys.shape_key_writer import ShapeKeyWriter

    bpy.context.scene.frame_set(2)
    obj = make_body()
    target = target_of(obj)
    writer = ShapeKeyWriter(target, "bake", Path("job"))
    writer.begin()

    def shown():
        depsgraph = bpy.context.evaluated_depsgraph_get()
        return np.array([vertex.co[:] for vertex in obj.evaluated_get(depsgraph).data.vertices])

    for frame in (1, 2, 3):
        writer.add_frame(frame, frame_of(motion(target, frame)))
        np.testing.assert_allclose(shown(), motion(target, frame), atol=2e-5)
    writer.finish(2.0)
    np.testing.assert_allclose(shown(), motion(target, 2), atol=2e-5)
    assert bpy.context.scene.frame_current == 2


def test_an_edited_mesh_is_refused(bpy, make_body):
    from blender_xpbd.addon.keys.shape_key_writer import ShapeKeyWriter

    obj = make_body()
    target = target_of(obj)
    points = [vertex.co[:] for vertex in obj.data.vertices]
    faces = [tuple(polygon.vertices) for polygon in obj.data.polygons]
    obj.data.clear_geometry()
    obj.data.from_pydata(points, [], [faces[0][::-1], *faces[1:]])
    with pytest.raises(XpbdError, match="E_CACHE_STALE"):
        ShapeKeyWriter(target, "bake", Path("job")).begin()
    assert obj.data.shape_keys is None
    assert obj.xpbd.bake_record == ""


def test_styles_that_the_users_keys_rule_out(bpy, make_body):
    from blender_xpbd.addon.keys.shape_key_writer import choose_style

    obj = make_body()
    absolute_keys(obj)
    with pytest.raises(XpbdError, match="E_PARAM"):
        choose_style(obj, "RELATIVE")
    obj.data.shape_keys.keyframe_insert("eval_time", frame=1)
    with pytest.raises(XpbdError, match="E_PARAM"):
        choose_style(obj, "AUTO")


def test_an_action_with_other_users_is_refused(bpy, make_body, dump):
    from blender_xpbd.addon.keys.shape_key_writer import ShapeKeyWriter

    obj, other = make_body("A"), make_body("B")
    animated_keys(obj)
    give_own_keys(other)
    action = obj.data.shape_keys.animation_data.action
    animation = other.data.shape_keys.animation_data_create()
    animation.action = action
    if hasattr(action, "slots"):
        # of a layered action, what others play is their slot
        animation.action_slot = action.slots[0]
    before = dump(obj)
    with pytest.raises(XpbdError, match="E_DATA_SHARED"):
        ShapeKeyWriter(target_of(obj), "bake", Path("job")).begin()
    assert dump(obj) == before


@pytest.mark.parametrize("style", ["ABSOLUTE", "RELATIVE"])
@pytest.mark.parametrize("shares_action", [True, False])
def test_a_duplicate_of_a_baked_object_is_cleared_alone(bpy, make_body, style, shares_action):
    from blender_xpbd.addon.keys.clearing import clear_bake

    obj = make_body()
    target = write(bpy, obj, key_style=style)
    twin = obj.copy()
    twin.data = obj.data.copy()
    bpy.context.scene.collection.objects.link(twin)
    animation = twin.data.shape_keys.animation_data
    if not shares_action:
        animation.action = animation.action.copy()
    np.testing.assert_allclose(played(bpy, twin, 3), motion(target, 3), atol=2e-5)
    assert clear_bake(twin)
    assert twin.data.shape_keys is None
    np.testing.assert_allclose(played(bpy, obj, 3), motion(target, 3), atol=2e-5)
    assert clear_bake(obj)
    assert len(bpy.data.actions) == 0


def test_a_duplicate_leaves_the_artists_action_to_the_other(bpy, make_body):
    """The baked curves lie in the artist's own action, which both use."""
    from blender_xpbd.addon.keys.clearing import clear_bake

    obj = make_body()
    animated_keys(obj)
    write(bpy, obj)
    twin = obj.copy()
    twin.data = obj.data.copy()
    bpy.context.scene.collection.objects.link(twin)
    shown = [played(bpy, obj, frame) for frame in (1, 3, 5)]
    assert twin.data.shape_keys.animation_data.action == obj.data.shape_keys.animation_data.action
    assert clear_bake(twin)
    for frame, before in zip((1, 3, 5), shown, strict=True):
        np.testing.assert_array_equal(played(bpy, obj, frame), before)
    assert [block.name for block in twin.data.shape_keys.key_blocks] == ["Basis", "Smile"]
    bpy.context.scene.frame_set(5)
    assert twin.data.shape_keys.key_blocks["Smile"].value == pytest.approx(0.9)
    assert clear_bake(obj)


def test_an_action_that_the_user_renamed_is_cleared_too(bpy, make_body):
    from blender_xpbd.addon.keys.clearing import clear_bake

    obj = make_body()
    write(bpy, obj)
    obj.data.shape_keys.animation_data.action.name = "Mine"
    assert clear_bake(obj)
    assert len(bpy.data.actions) == 0


@pytest.mark.parametrize("style", ["ABSOLUTE", "RELATIVE"])
def test_keys_that_come_and_go_during_a_bake_do_no_harm(bpy, make_body, style):
    from blender_xpbd.addon.keys.shape_key_writer import ShapeKeyWriter

    obj = make_body()
    give_own_keys(obj)
    first = obj.data.shape_keys.key_blocks[1]
    if style == "ABSOLUTE":
        obj.data.shape_keys.use_relative = False
    writer = ShapeKeyWriter(target_of(obj, key_style="AUTO"), "bake", Path("job"))
    writer.begin()
    for frame in range(1, 6):
        writer.add_frame(frame, frame_of(motion(writer.target, frame)))
        assert writer.is_intact()
        if frame == 2:
            obj.shape_key_remove(first)
        if frame == 4:
            obj.shape_key_add(name="Meanwhile", from_mix=False)
        assert writer.is_intact()
    writer.finish(1.0)
    names = [block.name for block in obj.data.shape_keys.key_blocks if block.name.startswith("XPBD")]
    assert names == [f"XPBD {frame:04d}" for frame in range(1, 6)]
    obj.shape_key_remove(obj.data.shape_keys.key_blocks["XPBD 0005"])
    assert not writer.is_intact()


@pytest.mark.parametrize("style", ["ABSOLUTE", "RELATIVE"])
@pytest.mark.parametrize("way", ["deleted", "renamed"])
def test_frames_whose_key_is_gone_are_left_out(bpy, make_body, style, way):
    from blender_xpbd.addon.keys.shape_key_writer import ShapeKeyWriter

    obj = make_body()
    writer = ShapeKeyWriter(target_of(obj, end=6, key_style=style), "bake", Path("job"))
    writer.begin()
    for frame in range(1, 7):
        writer.add_frame(frame, frame_of(motion(writer.target, frame)))
    for name in ("XPBD 0001", "XPBD 0004"):
        block = obj.data.shape_keys.key_blocks[name]
        if way == "deleted":
            obj.shape_key_remove(block)
        else:
            block.name = f"Mine {name}"
    assert writer.is_intact()
    writer.finish(1.0)
    assert list(writer.written) == [2, 3, 5, 6]
    for frame in writer.written:
        np.testing.assert_allclose(played(bpy, obj, frame), motion(writer.target, frame), atol=2e-5)
    if way == "deleted" or style == "RELATIVE":
        between = (motion(writer.target, 3) + motion(writer.target, 5)) / 2
        np.testing.assert_allclose(played(bpy, obj, 4), between, atol=2e-5)


@pytest.mark.parametrize("style", ["ABSOLUTE", "RELATIVE"])
def test_without_any_key_left_the_object_is_as_before(bpy, make_body, dump, style):
    from blender_xpbd.addon.keys.shape_key_writer import ShapeKeyWriter

    obj = make_body()
    before = dump(obj)
    writer = ShapeKeyWriter(target_of(obj, key_style=style), "bake", Path("job"))
    writer.begin()
    writer.add_frame(1, frame_of(motion(writer.target, 1)))
    obj.shape_key_remove(obj.data.shape_keys.key_blocks["XPBD 0001"])
    writer.finish(1.0)
    assert dump(obj) == before


class Watched:
    """Blender's data, with the keys in it, that notes each search among the keys."""

    def __init__(self, thing, searches):
        object.__setattr__(self, "thing", thing)
        object.__setattr__(self, "searches", searches)

    def __getattr__(self, name):
        value = getattr(self.thing, name)
        if name == "key_blocks":
            return WatchedKeys(value, self.searches)
        return Watched(value, self.searches) if name in {"data", "shape_keys"} else value

    def __setattr__(self, name, value):
        setattr(self.thing, name, value)


class WatchedKeys:
    """What passes all keys is noted, for it takes the longer the more there are."""

    def __init__(self, blocks, searches):
        self.blocks = blocks
        self.searches = searches

    def __getitem__(self, place):
        if not isinstance(place, int):
            self.searches.append(place)
        return self.blocks[place]

    def __iter__(self):
        self.searches.append("all")
        return iter(self.blocks)

    def __getattr__(self, name):
        self.searches.append(name)
        return getattr(self.blocks, name)


@pytest.mark.parametrize("style", ["ABSOLUTE", "RELATIVE"])
def test_a_late_frame_costs_no_more_than_an_early_one(bpy, make_body, monkeypatch, style):
    """No frame but the first searches the keys that there are; the end goes through them a few times in all."""
    from blender_xpbd.addon.keys import shape_key_writer

    obj = make_body()
    writer = shape_key_writer.ShapeKeyWriter(target_of(obj, end=40, key_style=style), "bake", Path("job"))
    writer.begin()
    searches = []
    find = shape_key_writer.object_by_uid
    monkeypatch.setattr(shape_key_writer, "object_by_uid", lambda uid: Watched(find(uid), searches))
    for frame in range(1, 41):
        assert writer.is_intact()
        writer.add_frame(frame, frame_of(motion(writer.target, frame)))
        if frame in (1, 21):
            searches.clear()
        if frame == 20:
            assert searches == []
            obj.shape_key_remove(obj.data.shape_keys.key_blocks["XPBD 0002"])
    assert searches == []
    writer.finish(1.0)
    assert len(searches) <= 2


def test_250_frames_of_10000_vertices_take_well_under_a_second(bpy, make_body):
    from blender_xpbd.addon.keys.shape_key_writer import ShapeKeyWriter

    mesh = bpy.data.meshes.new("Large")
    side = np.linspace(0, 1, 100)
    points = np.array([(x, y, 0.0) for x in side for y in side])
    mesh.from_pydata(points.tolist(), [], [(i, i + 1, i + 101, i + 100) for i in range(99)])
    obj = make_body(mesh=mesh)
    target = target_of(obj, end=250)
    writer = ShapeKeyWriter(target, "bake", Path("job"))
    # Not the wall's time: other processes may have most of the machine
    start = time.process_time()
    writer.begin()
    for frame in range(1, 251):
        writer.add_frame(frame, frame_of(points))
    writer.finish(1.0)
    seconds = time.process_time() - start
    assert seconds < 1.0
