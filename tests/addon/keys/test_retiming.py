# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes that are shown at other times: what is seen, what is written, and how it is taken back."""

from types import SimpleNamespace

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError
from tests.addon.export.conftest import FRAMES, baked, jobs
from tests.addon.export.test_export import IMPORTERS, SIZE, export, shown
from tests.addon.keys.test_shape_key_writer import animated_keys, write

__all__ = ("baked", "export", "jobs")

STYLES = {"absolute": {}, "blended or chosen": {"key_tolerance": 400.0}, "relative": {"prepare": animated_keys}}


def state(positions, frame):
    """Of a bake from frame 1 on, on the straight way between two frames."""
    frame = min(max(frame, 1.0), float(FRAMES))
    before = min(int(frame), FRAMES - 1)
    return (before + 1 - frame) * positions[before - 1] + (frame - before) * positions[before]


def retime(bpy, obj, **values):
    for other in bpy.context.scene.objects:
        other.select_set(other == obj)
    return bpy.ops.xpbd.retime(**values)


def values_seen(bpy, obj):
    """At frames, and between some."""
    seen = [shown(bpy, obj, frame) for frame in range(-3, 25)]
    bpy.context.scene.frame_set(4, subframe=0.5)
    return np.array([*seen, shown(bpy, obj, 4)])


@pytest.mark.parametrize("style", ["absolute", "blended or chosen"])
@pytest.mark.parametrize(
    ("cuts", "offset", "speed"),
    [((0, 0), 7, 1.0), ((2, 1), 0, 1.0), ((0, 0), 0, 0.5), ((1, 2), -3, 0.3), ((0, 1), 2, 2.0)],
)
def test_keys_show_the_chosen_frames_when_they_are_asked_to(bpy, baked, style, cuts, offset, speed):
    (obj,), positions = baked(names=("C",), **STYLES[style])
    assert retime(bpy, obj, trim_start=cuts[0], trim_end=cuts[1], offset=offset, speed=speed) == {"FINISHED"}
    first, last = 1 + cuts[0], FRAMES - cuts[1]
    for frame in range(-5, 25):
        wanted = first + (frame - first - offset) * speed
        expected = state(positions["C"], min(max(wanted, first), last))
        np.testing.assert_allclose(shown(bpy, obj, frame), expected, atol=3e-6 * SIZE)


@pytest.mark.parametrize("style", list(STYLES))
def test_what_is_retimed_and_back_is_as_it_was(bpy, baked, dump, style):
    (obj,), _ = baked(names=("C",), **STYLES[style])
    bpy.context.scene.frame_set(3)
    before, seen = dump(obj), values_seen(bpy, obj)
    for speed in (0.3, 3.0, 0.7):
        retime(bpy, obj, trim_start=2, offset=5, speed=speed)
    assert not np.array_equal(values_seen(bpy, obj), seen)
    retime(bpy, obj)
    np.testing.assert_array_equal(values_seen(bpy, obj), seen)
    bpy.context.scene.frame_set(3)
    assert dump(obj) == before


@pytest.mark.parametrize(("first", "speed"), [(1, 50.0), (1, 0.01), (1001, 50.0), (86400, 2.5), (86400, 24.0)])
def test_all_keys_come_back_to_their_frames_from_any_speed(bpy, make_body, first, speed):
    """Of relative keys, each of which has a point before, at and after its frame."""
    obj = make_body()
    write(bpy, obj, key_style="RELATIVE", start=first, end=first + 59)
    before = key_points(obj)
    for offset in (0, 3):
        assert retime(bpy, obj, speed=speed, offset=offset) == {"FINISHED"}
    assert {path: len(points) for path, points in key_points(obj).items()} == {
        path: len(points) for path, points in before.items()
    }
    retime(bpy, obj)
    assert key_points(obj) == before


def key_points(obj):
    from blender_xpbd.addon.keys.key_animation import curves_of

    return {
        curve.data_path: [tuple(point.co) for point in curve.keyframe_points]
        for curve in curves_of(obj.data.shape_keys)
    }


def test_a_speed_at_which_keys_would_fall_together_is_refused(bpy, make_body):
    from blender_xpbd.addon.keys.key_animation import curves_of

    obj = make_body()
    write(bpy, obj, key_style="RELATIVE")
    with pytest.raises(RuntimeError, match=r"up to a speed of.*E_PARAM"):
        retime(bpy, obj, offset=900_000, speed=10.0)
    curves_of(obj.data.shape_keys)[2].keyframe_points.insert(3.25, 0.5)
    before = key_points(obj)
    with pytest.raises(RuntimeError, match=r"too close.*E_PARAM"):
        retime(bpy, obj, speed=20.0)
    assert key_points(obj) == before
    assert retime(bpy, obj, speed=5.0) == {"FINISHED"}
    retime(bpy, obj)
    for path, points in key_points(obj).items():
        np.testing.assert_allclose(points, before[path], rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("name", ["", "Mine"])
def test_what_an_artist_has_given_our_curves_goes_along(bpy, make_body, name):
    """A modifier stays, and a curve between two points keeps its shape."""
    from blender_xpbd.addon.keys.key_animation import curves_of

    obj = make_body()
    write(bpy, obj, key_style="RELATIVE")
    curve = curves_of(obj.data.shape_keys)[2]
    own = curve.modifiers.new("LIMITS")
    own.name = name or own.name
    own.use_max_y, own.max_y = True, 0.9
    for number, point in enumerate(curve.keyframe_points):
        point.interpolation = "BEZIER"
        point.handle_left_type = point.handle_right_type = "FREE"
        point.handle_left = point.co[0] - 0.5, point.co[1] + 0.1 * number
        point.handle_right = point.co[0] + 0.3, point.co[1] - 0.1 * number
    curve.update()
    values = [curve.evaluate(1.0 + 0.1 * number) for number in range(60)]
    retime(bpy, obj, trim_end=1, speed=0.25, offset=7)
    assert [modifier.name for modifier in curve.modifiers] == [own.name, "XPBD Trim"]
    shown_values = [curve.evaluate(8.0 + 0.4 * number) for number in range(30)]
    np.testing.assert_allclose(shown_values, values[:30], atol=1e-5)
    retime(bpy, obj)
    assert [modifier.name for modifier in curve.modifiers] == [own.name]
    np.testing.assert_allclose([curve.evaluate(1.0 + 0.1 * number) for number in range(60)], values, atol=1e-5)


def test_clear_takes_a_retimed_bake_back(bpy, baked):
    from blender_xpbd.addon.keys.clearing import clear_bake

    (obj,), _ = baked(names=("C",))
    retime(bpy, obj, trim_end=2, speed=0.5)
    clear_bake(obj)
    assert obj.data.shape_keys is None
    assert not [action for action in bpy.data.actions if action.name.startswith("XPBD")]


def test_no_frame_is_no_clip(bpy, baked):
    (obj,), _ = baked(names=("C",))
    record = obj.xpbd.bake_record
    with pytest.raises(RuntimeError, match=r"at least one.*E_PARAM"):
        retime(bpy, obj, trim_start=4, trim_end=2)
    assert obj.xpbd.bake_record == record


@pytest.mark.parametrize("offset", [2_000_000, -2_000_000])
def test_a_bake_that_was_put_far_away_can_be_cleared(bpy, baked, offset):
    """The operator takes the farthest offset that a record may have; a script is told."""
    from blender_xpbd.addon.data.bake_record import read_record
    from blender_xpbd.addon.keys.clearing import clear_bake
    from blender_xpbd.addon.keys.retiming import retimed

    (obj,), _ = baked(names=("C",))
    with pytest.raises(XpbdError, match=r"E_PARAM.*offset"):
        retimed(read_record(obj), (0, 0), offset, 1.0)
    retime(bpy, obj, offset=offset)
    assert abs(read_record(obj).shift) == 1_000_000
    assert clear_bake(obj)
    assert obj.data.shape_keys is None


def test_a_record_with_an_impossible_clip_is_not_understood(bpy, baked):
    from blender_xpbd.addon.data.bake_record import read_record

    (obj,), _ = baked(names=("C",))
    text = obj.xpbd.bake_record
    for wrong in ('"speed": 0.0', '"speed": NaN', '"speed": 1e9'):
        obj.xpbd.bake_record = text.replace('"speed": 1.0', wrong)
        assert read_record(obj) is None
    obj.xpbd.bake_record = text.replace('"cut_start": 0', '"cut_start": 600')
    assert read_record(obj) is None


@pytest.mark.parametrize("suffix", [".abc", ".usdc", ".npz", ".pc2"])
def test_files_hold_what_keys_show_with_velocities_of_its_speed(bpy, baked, export, tmp_path, suffix):
    (obj,), positions = baked(names=("C",))
    retime(bpy, obj, trim_start=1, trim_end=1, offset=3, speed=0.5)
    first, start, end = 2, 5, 5 + 2 * (FRAMES - 3)
    expected = {
        frame: state(positions["C"], min(first + 0.5 * (frame - start), FRAMES - 1)) for frame in range(start, end + 1)
    }
    assert end - start == 6
    path = tmp_path / f"out{suffix}"
    export(path, [obj], replaces_keys=suffix == ".pc2")
    if suffix == ".npz":
        with np.load(path) as arrays:
            assert arrays["C/frames"].tolist() == list(range(start, end + 1))
            np.testing.assert_allclose(arrays["C/positions"], list(expected.values()), atol=1e-6 * SIZE)
            fps = bpy.context.scene.render.fps
            middle = 0.5 * fps * (positions["C"][3] - positions["C"][1]) / 2.0
            np.testing.assert_allclose(arrays["C/velocities"][2], middle, atol=1e-4 * SIZE)
        return
    if suffix != ".pc2":
        bpy.data.objects.remove(obj)
        IMPORTERS[suffix](bpy, str(path))
        (obj,) = [other for other in bpy.data.objects if other.type == "MESH"]
    for frame, places in expected.items():
        np.testing.assert_allclose(shown(bpy, obj, frame), places, atol=1e-6 * SIZE)


@pytest.mark.parametrize("speed", [1.0, 0.5, 2.0])
def test_velocities_at_the_ends_of_a_clip_go_on_with_the_motion_of_the_object(bpy, baked, export, tmp_path, speed):
    """States beside the clip count for them, placed where the object is when these would be shown."""
    (obj,), positions = baked(names=("A",))
    retime(bpy, obj, trim_start=2, trim_end=1, offset=1, speed=speed)
    export(tmp_path / "out.npz", [obj])
    with np.load(tmp_path / "out.npz") as arrays:
        velocities, frames = arrays["A/velocities"], arrays["A/frames"].tolist()
    fps = bpy.context.scene.render.fps
    for time, baked_frame in ((4, 3), (4 + 2 / speed, 5)):
        before, after = (
            positions["A"][baked_frame + side - 1]
            - place(bpy, obj, baked_frame + side)
            + place(bpy, obj, time + side / speed)
            for side in (-1, 1)
        )
        np.testing.assert_allclose(
            velocities[frames.index(time)], speed * fps * (after - before) / 2.0, atol=1e-4 * SIZE
        )


def place(bpy, obj, time):
    """On the line between two frames, as files have it."""
    places = []
    for frame in (int(np.floor(time)), int(np.ceil(time))):
        bpy.context.scene.frame_set(frame)
        places.append(np.array(obj.matrix_world.translation))
    return (1.0 - time % 1) * places[0] + (time % 1) * places[1]


@pytest.mark.parametrize(("trims", "frames"), [((1, 2), [2, 4]), ((2, 0), [3, 5, 6]), ((0, 0), [1, 5, 6])])
def test_arrays_of_a_trimmed_bake_have_its_ends(bpy, baked, export, tmp_path, trims, frames):
    (obj,), positions = baked(names=("C",), step=4)
    retime(bpy, obj, trim_start=trims[0], trim_end=trims[1])
    export(tmp_path / "out.npz", [obj])
    with np.load(tmp_path / "out.npz") as arrays:
        assert arrays["C/frames"].tolist() == frames
        found = arrays["C/positions"]
    first, fifth = positions["C"][:2]
    expected = [first + (fifth - first) * (frame - 1) / 4.0 for frame in frames if frame <= 5]
    np.testing.assert_allclose(found[: len(expected)], expected, atol=1e-6 * SIZE)


def test_a_bake_that_is_gone_is_told(bpy, make_body):
    from blender_xpbd.addon.keys.retiming import check_retiming

    with pytest.raises(XpbdError, match="E_NOTHING"):
        check_retiming(make_body(), (0, 0), 0, 1.0)


def test_what_is_shown_when_is_told(bpy, baked, monkeypatch):
    from blender_xpbd.addon.ui.operators.retime import XPBD_OT_retime

    objects, _ = baked()
    told = []
    operator = SimpleNamespace(trim_start=2, trim_end=1, speed=0.5, offset=3, report=lambda *text: told.append(text))
    for obj in bpy.context.scene.objects:
        obj.select_set(obj == objects[0])
    assert XPBD_OT_retime.execute(operator, bpy.context) == {"FINISHED"}
    end = 6 + 2 * (FRAMES - 4)
    assert told == [({"INFO"}, f"{objects[0].name}: frames 3 to {FRAMES - 1} at 6 to {end}")]
