# SPDX-License-Identifier: GPL-3.0-or-later
"""A vertex group of a bake over some frames, baked again."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blender_xpbd.jobs.cache_contents import job_folders
from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.job import read_job, write_job
from blender_xpbd.jobs.result import read_result
from blender_xpbd.scene.beginning import Beginning
from blender_xpbd.scene.body import Body
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.region import Region
from tests.solver.scenes import cloth, scene

FRAMES = 16
FIRST, LAST = 6, 12
INSIDE = (15, 16, 17, 18, 19, 20, 21, 22, 23, 24)


def files_of(summary):
    result = read_result(Path(summary.cache))
    counts = len(result.bodies), len(result.statistics), result.orientation_count
    cache = FrameCache(Path(summary.cache), result.vertex_count, *counts)
    return {frame: cache.path(frame).read_bytes() for frame in cache.available()}, cache


def keys_of(obj):
    """The coordinates of each key, shape (keys, vertices, 3)."""
    blocks = obj.data.shape_keys.key_blocks
    found = np.empty((len(blocks), 3 * len(obj.data.vertices)), np.float32)
    for row, block in zip(found, blocks, strict=True):
        block.points.foreach_get("co", row)
    return found.reshape(len(blocks), -1, 3)


@pytest.fixture
def bake(bpy, tmp_path):
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    def run(**values):
        wishes = {"cache": tmp_path / "cache", "frame_start": 1, "frame_end": FRAMES, "substeps": 6, **values}
        return run_bake(bpy.context, BakeOptions(**wishes))

    return run


@pytest.fixture
def body(bpy, make_body):
    """A sheet that hangs on one side, with a group of its lower rows."""
    obj = make_body("Tuch")
    pins = obj.vertex_groups.new(name="Pins")
    pins.add([0, 1, 2, 3, 4], 1.0, "REPLACE")
    obj.xpbd.pin_group = "Pins"
    obj.xpbd.stretch_stiffness = 200.0
    obj.vertex_groups.new(name="Saum").add(list(INSIDE), 1.0, "REPLACE")
    bpy.context.scene.xpbd.region_border = 1
    bpy.context.scene.xpbd.region_blend = 3
    return obj


def wish(group="Saum", first=FIRST, last=LAST, name="Tuch"):
    from blender_xpbd.addon.data.rebake_settings import RegionWish

    return RegionWish(name, group, first, last)


@pytest.mark.slow
def test_a_region_is_baked_again_and_taken_back(bpy, bake, body, select):
    before = bake()
    first_keys = keys_of(body)
    files, _ = files_of(before)
    body.xpbd.stretch_stiffness = 2.0
    after = bake(region=wish())
    assert after.complete
    assert after.region == f"Tuch: Saum, frames {FIRST} to {LAST}"
    assert after.seam_error_mm == 0.0
    assert after.stale == []
    found, _ = files_of(after)
    changed = [frame for frame in files if found[frame] != files[frame]]
    # at the last one it is led back
    assert changed == list(range(FIRST, LAST))
    keys = keys_of(body)
    moved = (keys != first_keys).any(axis=2)
    # the first key is the mesh itself
    assert set(np.flatnonzero(moved.any(axis=1))) == set(range(FIRST, LAST))
    assert set(np.flatnonzero(moved.any(axis=0))) <= set(INSIDE)
    assert np.abs(keys - first_keys).max() > 0.01
    # again from the cache, and of the bake before nothing is lost
    again = bake(take_back_region="Tuch")
    assert (again.from_cache, again.cache) == (True, before.cache)
    assert files_of(again)[0] == files
    np.testing.assert_array_equal(keys_of(body), first_keys)
    with pytest.raises(XpbdError, match="none to take back"):
        bake(take_back_region="Tuch")
    # with the settings as they were, a bake finds it too
    bake(region=wish())
    body.xpbd.stretch_stiffness = 200.0
    whole = bake()
    assert (whole.from_cache, whole.stale, whole.cache) == (True, [], before.cache)
    bake(region=wish())
    body.xpbd.stretch_stiffness = 2.0
    changed = bake()
    assert changed.stale
    assert all("Tuch" in text for text in changed.stale)
    select(body)
    bpy.ops.xpbd.clear()
    assert body.data.shape_keys is None
    assert not body.xpbd.bake_record


def test_a_region_that_covers_the_newest_takes_its_place(bake, body):
    """Who tries settings on a sleeve piles up no regions, each of which would have to be simulated with the others."""
    from blender_xpbd.addon.data.bake_record import read_record

    first = bake()
    body.xpbd.stretch_stiffness = 2.0
    bake(region=wish(first=FIRST + 1))
    body.xpbd.stretch_stiffness = 20.0
    second = bake(region=wish())
    assert read_record(body).regions == 1
    assert bake(take_back_region="Tuch").cache == first.cache
    # as if the first one had never been
    assert bake(region=wish()).cache == second.cache
    bake(region=wish(last=LAST - 1))
    assert read_record(body).regions == 2


def test_a_region_that_was_killed_is_no_hindrance(bake, fake_worker, body):
    """The object shows its first frames; the same one goes on there, and another one from the whole bake."""
    from blender_xpbd.addon.data.bake_record import read_record

    whole = bake()
    fake_worker(kill_at=LAST)
    with pytest.raises(XpbdError, match="killed"):
        bake(region=wish())
    killed = read_record(body).job
    assert killed != Path(whole.cache).name
    fake_worker()
    other = bake(region=wish(last=LAST - 1))
    assert read_record(body).regions == 1
    assert read_job(Path(other.cache)).beginning.job == Path(whole.cache).name
    assert [text for text in other.warnings if "left out" in text] == other.warnings
    assert bake(take_back_region="Tuch").cache == whole.cache
    fake_worker(kill_at=LAST)
    with pytest.raises(XpbdError, match="killed"):
        bake(region=wish())
    fake_worker()
    same = bake(region=wish())
    assert (Path(same.cache).name, same.warnings) == (killed, [])
    assert bake(take_back_region="Tuch").cache == whole.cache


@pytest.mark.parametrize("end", ["killed", "cancelled"])
def test_a_region_stays_until_the_bake_before_is_whole_again(bpy, bake, fake_worker, body, select, end):
    whole = bake()
    first = keys_of(body)
    bpy.context.scene.gravity.z = -1.0
    bake(region=wish())
    record, shown = body.xpbd.bake_record, keys_of(body)
    assert (shown != first).any()
    for path in (Path(whole.cache) / "frames").glob("frame_*"):
        if int(path.stem.removeprefix("frame_")) > FIRST:
            path.unlink()
    fake_worker(**({"kill_at": LAST} if end == "killed" else {"seconds": 0.1}))
    if end == "killed":
        with pytest.raises(XpbdError, match="killed"):
            bake(take_back_region="Tuch")
    else:
        from blender_xpbd.addon.baking.bake import bake as steps_of
        from blender_xpbd.addon.data.bake_options import BakeOptions

        wishes = {"cache": Path(whole.cache).parent, "frame_start": 1, "frame_end": FRAMES, "substeps": 6}
        steps = steps_of(bpy.context, BakeOptions(take_back_region="Tuch", **wishes))
        next(step for step in steps if step.frames_done >= FIRST)
        steps.close()
    assert body.xpbd.bake_record == record
    np.testing.assert_array_equal(keys_of(body), shown)
    select(body)
    assert bpy.ops.xpbd.take_back_region.poll()
    fake_worker()
    again = bake(take_back_region="Tuch")
    assert (again.complete, again.cache, again.from_cache) == (True, whole.cache, False)
    np.testing.assert_array_equal(keys_of(body), first)
    assert not bpy.ops.xpbd.take_back_region.poll()


def write_one_by_one(monkeypatch):
    """One frame in a slice; what closes the bake has its own time."""
    from blender_xpbd.addon.baking import bake as module

    monkeypatch.setattr(module, "SLICE_SECONDS", 1e-9)
    write = module.BakeOutput.write

    def write_one(self, seconds, newest):
        if seconds != module.SLICE_SECONDS:
            return write(self, seconds, newest)
        published = self._open()
        self._unchecked = set(self._writers)
        return published is not None and self._write_next(published, newest)

    monkeypatch.setattr(module.BakeOutput, "write", write_one)


@pytest.mark.parametrize("written", [False, True])
def test_a_bake_is_taken_back_whole_or_not_at_all(bpy, bake, fake_worker, body, select, monkeypatch, written):
    """A cancel while keys are written would leave a part of it, and no region that could be taken back."""
    from blender_xpbd.addon.baking import bake as module
    from blender_xpbd.addon.data.bake_options import BakeOptions
    from blender_xpbd.addon.keys.retiming import retime

    whole = bake()
    select(body)
    retime(body, (2, 3), 10, 0.5)
    before = keys_of(body), curve_of(body)
    bpy.context.scene.gravity.z = -1.0
    bake(region=wish())
    region = keys_of(body), curve_of(body)
    wishes = {"cache": Path(whole.cache).parent, "frame_start": 1, "frame_end": FRAMES, "substeps": 6}
    if written:
        write_one_by_one(monkeypatch)
    else:
        monkeypatch.setattr(module, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr(module, "CLOSING_SECONDS", 0.0)
    steps = module.bake(bpy.context, BakeOptions(take_back_region="Tuch", **wishes))
    for step, _ in enumerate(steps):
        if len(body.data.shape_keys.key_blocks) == 4 if written else step > 5:
            break
    steps.close()
    found = keys_of(body), curve_of(body)
    expected = before if written else region
    for mine, its in zip(found, expected, strict=True):
        np.testing.assert_array_equal(mine, its)
    assert bpy.ops.xpbd.take_back_region.poll() is not written
    from blender_xpbd.addon.baking.report_text import cancelled_text

    words = "The bake before is back" if written else "the region stays"
    assert words in cancelled_text(bpy.context.scene.xpbd.report)


@pytest.fixture
def taking_back(bpy, bake, fake_worker, body, select):
    """A function that makes a region, and gives the steps that take it back."""
    from blender_xpbd.addon.baking.bake import bake as steps_of
    from blender_xpbd.addon.data.bake_options import BakeOptions

    def begin(**values):
        whole = bake(**values)
        before = keys_of(body), curve_of(body)
        bpy.context.scene.gravity.z = -1.0
        bake(region=wish(), **values)
        select(body)
        wishes = {"cache": Path(whole.cache).parent, "frame_start": 1, "frame_end": FRAMES, "substeps": 6, **values}
        return before, BakeOptions(take_back_region="Tuch", **wishes), steps_of

    return begin


@pytest.mark.parametrize("stage", ["WRITING", "REDUCING"])
def test_what_is_taken_back_at_a_cancel_has_fewer_keys_too(bpy, taking_back, body, monkeypatch, stage):
    from blender_xpbd.addon.baking import key_reduction
    from blender_xpbd.addon.data.bake_record import read_record

    before, options, steps_of = taking_back(key_tolerance=5.0)
    assert len(before[0]) < FRAMES // 2
    write_one_by_one(monkeypatch)
    reduce = key_reduction.reduce_motion

    def slowly(*values):
        time.sleep(0.1)
        return reduce(*values)

    monkeypatch.setattr(key_reduction, "reduce_motion", slowly)
    steps = steps_of(bpy.context, options)
    next(step for step in steps if step.stage == stage and not read_record(body).regions)
    steps.close()
    for mine, its in zip((keys_of(body), curve_of(body)), before, strict=True):
        np.testing.assert_array_equal(mine, its)
    assert json.loads(bpy.context.scene.xpbd.report)["complete"]


@pytest.mark.parametrize("is_left", [False, True])
def test_what_is_taken_back_waits_for_the_end_of_edit_mode(bpy, taking_back, body, monkeypatch, is_left):
    """The artist's cancel does not count then; what ends it all the same tells what to do."""
    from blender_xpbd.addon.baking import window_bake
    from blender_xpbd.addon.baking.report_text import cancelled_text
    from blender_xpbd.addon.ui.operators.bake import BakeOperator

    class Operator:
        _tick: Any = BakeOperator._tick
        _shown = None

        def _report(self, _context, _kind, outcome):
            told.append(outcome)

    told: list[str] = []
    before, options, _ = taking_back()
    write_one_by_one(monkeypatch)
    monkeypatch.setattr(window_bake, "slice_seconds", lambda _seconds: 0.0)
    running, operator = window_bake.start(bpy.context, options), Operator()
    assert bpy.ops.xpbd.cancel.poll()
    for _ in range(1000):
        assert not operator._tick(bpy.context, running)
        if not running.may_stop:
            break
    assert not bpy.ops.xpbd.cancel.poll()
    bpy.ops.object.mode_set(mode="EDIT")
    running.stop_wanted = True
    for _ in range(20):
        assert not operator._tick(bpy.context, running)
    assert "leave Edit Mode" in bpy.context.window_manager.xpbd.status
    if not is_left:
        running.stop()
        assert "undo, and take the region back" in cancelled_text(bpy.context.scene.xpbd.report)
    bpy.ops.object.mode_set(mode="OBJECT")
    if is_left:
        assert any(operator._tick(bpy.context, running) for _ in range(1000))
        np.testing.assert_array_equal(keys_of(body), before[0])
    else:
        assert len(keys_of(body)) < FRAMES
    assert len(told) == is_left


def curve_of(obj):
    """The points of the curve that plays the keys, shape (points, 2)."""
    from blender_xpbd.addon.keys.key_animation import curves_of

    (curve,) = curves_of(obj.data.shape_keys)
    return np.array([point.co[:] for point in curve.keyframe_points])


def test_frames_before_another_are_those_of_the_region(bake, body):
    bake()
    body.xpbd.stretch_stiffness = 2.0
    region = bake(region=wish())
    later = bake(from_frame=LAST + 1)
    kept, found = files_of(region)[0], files_of(later)[0]
    assert all(found[frame] == kept[frame] for frame in range(1, LAST + 1))


@pytest.mark.slow
def test_the_others_are_held(bpy, bake, body, make_body):
    other = make_body("Andere", location=(0.0, 0.0, 3.0))
    bake()
    first = keys_of(other)
    body.xpbd.stretch_stiffness = other.xpbd.stretch_stiffness = 2.0
    summary = bake(region=wish())
    assert sorted(summary.objects) == ["Andere", "Tuch"]
    np.testing.assert_array_equal(keys_of(other), first)


@pytest.mark.slow
def test_what_was_baked_alone_is_baked_again_alone(bpy, bake, body, make_body):
    other = make_body("Andere", location=(0.0, 0.0, 3.0))
    bake()
    bake(only=("Tuch",))
    first = keys_of(other)
    summary = bake(region=wish())
    assert summary.objects == ["Tuch"]
    np.testing.assert_array_equal(keys_of(other), first)


@pytest.mark.parametrize(
    ("wished", "code", "words"),
    [
        ({"group": "Fehlt"}, "E_PARAM", "no vertex group 'Fehlt'"),
        ({"group": "Leer"}, "E_PARAM", "is empty"),
        ({"group": "Alles"}, "E_PARAM", "has all vertices"),
        ({"first": 0}, "E_FRAME_RANGE", f"from 2 to {FRAMES}"),
        ({"last": FRAMES + 1}, "E_FRAME_RANGE", f"from 2 to {FRAMES}"),
        ({"first": 9, "last": 8}, "E_FRAME_RANGE", f"from 2 to {FRAMES}"),
        ({"first": 1, "last": 1}, "E_FRAME_RANGE", f"from 2 to {FRAMES}"),
        ({"name": "Niemand"}, "E_NOTHING", "no bake"),
    ],
)
def test_what_is_refused(bake, fake_worker, body, wished, code, words):
    body.vertex_groups.new(name="Leer")
    body.vertex_groups.new(name="Alles").add(list(range(25)), 0.5, "REPLACE")
    bake()
    with pytest.raises(XpbdError, match=words) as caught:
        bake(region=wish(**wished))
    assert caught.value.code == code


def test_a_region_needs_its_bake(bake, fake_worker, body):
    with pytest.raises(XpbdError, match="E_NOTHING"):
        bake(region=wish())
    bake()
    with pytest.raises(XpbdError, match=r"E_CACHE_STALE.*other frames"):
        bake(region=wish(), frame_end=FRAMES + 4)


def test_a_mesh_that_has_changed(bpy, bake, fake_worker, body, tmp_path):
    import bmesh

    bake()
    record = body.xpbd.bake_record
    bpy.context.view_layer.objects.active = body
    body.select_set(True)
    bpy.ops.xpbd.clear()
    edited = bmesh.new()
    edited.from_mesh(body.data)
    bmesh.ops.triangulate(edited, faces=edited.faces[:1])
    edited.to_mesh(body.data)
    edited.free()
    body.xpbd.bake_record = record
    with pytest.raises(XpbdError, match=r"E_CACHE_STALE.*mesh has changed"):
        bake(region=wish())


def test_a_headless_region(bpy, bake, body, tmp_path, capfd):
    from blender_xpbd.addon import command_line

    body.name = "Rig:Tuch"
    bake()
    body.xpbd.stretch_stiffness = 2.0
    arguments = ["--cache", str(tmp_path / "cache"), "--frames", "1", str(FRAMES), "--substeps", "6", "--json"]
    assert command_line.main([*arguments, "--region", f"Rig:Tuch:Saum:{FIRST}-{LAST}"]) == 0
    summary = json.loads(capfd.readouterr().out.splitlines()[-1])
    assert summary["region"] == f"Rig:Tuch: Saum, frames {FIRST} to {LAST}"
    assert summary["seam_error_mm"] < 0.1
    assert command_line.main([*arguments, "--take-back-region", "Rig:Tuch"]) == 0
    assert command_line.main([*arguments, "--region", "Tuch-Saum"]) == 2


def test_the_operators(bpy, bake, body, select):
    scene = bpy.context.scene.xpbd
    scene.frame_end, scene.substeps, scene.use_floor = FRAMES, 6, False
    select(body)
    assert not bpy.ops.xpbd.rebake_region.poll()
    bpy.ops.xpbd.bake()
    assert not bpy.ops.xpbd.rebake_region.poll()
    body.xpbd.region_group = "Saum"
    scene.region_start, scene.region_end = FIRST, LAST
    assert not bpy.ops.xpbd.take_back_region.poll()
    assert bpy.ops.xpbd.rebake_region() == {"FINISHED"}
    assert json.loads(scene.report)["region"] == f"Tuch: Saum, frames {FIRST} to {LAST}"
    from blender_xpbd.addon.baking.report_text import summary_rows

    rows = dict(summary_rows(scene.report))
    assert rows["Region"].startswith("Tuch")
    assert rows["Seam"].endswith(" mm")
    assert bpy.ops.xpbd.take_back_region() == {"FINISHED"}
    assert not bpy.ops.xpbd.take_back_region.poll()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Shirt:Sleeve:40-60", ("Shirt", "Sleeve", 40, 60)),
        ("A:b:c:-5--2", ("A", "b:c", -5, -2)),
        ("Ä b:Ärmel links:1-2", ("Ä b", "Ärmel links", 1, 2)),
        ("rig:Shirt:Sleeve:1-2", ("rig:Shirt", "Sleeve", 1, 2)),
        ("rig:Shirt:left:Sleeve:1-2", ("rig:Shirt", "left:Sleeve", 1, 2)),
    ],
)
def test_a_region_as_text(bpy, text, found):
    """Names may have colons; which of them ends the object's name is told by what there is."""
    from blender_xpbd.addon.data.rebake_settings import RegionWish

    groups = {("rig:Shirt", "Sleeve"), ("rig:Shirt", "left:Sleeve")}
    assert RegionWish.parsed(text, lambda *names: names in groups) == RegionWish(*found)


@pytest.mark.parametrize(
    "other", [{"from_frame": 5}, {"loop": 4}, {"take_back_region": "Tuch"}], ids=["first frame", "loop", "take back"]
)
def test_a_bake_goes_on_in_one_way(bake, fake_worker, body, other):
    bake()
    shown = keys_of(body)
    with pytest.raises(XpbdError, match=r"E_PARAM.*in one way"):
        bake(region=wish(), **other)
    np.testing.assert_array_equal(keys_of(body), shown)


def test_rings_are_counted_from_outside(bpy):
    from blender_xpbd.addon.baking.region import _freedoms, rings_of

    corners = np.array([[i, i + 1, i + 7, i + 6] for i in range(5)]).ravel().astype(np.int32)
    body = Body("b0", "Strip", "CLOTH", np.zeros((12, 3)), np.full(5, 4, np.int32), corners)
    rings = rings_of(body, np.array([2, 3, 4, 5, 8, 9, 10, 11], np.int32))
    assert rings.tolist() == [0, 0, 1, 2, 3, 4] * 2
    freedoms = _freedoms(rings, 2)
    assert freedoms[0] == 0.0
    assert 0.0 < freedoms[2] < freedoms[3] < freedoms[4] == freedoms[5] == 1.0
    # however wide the border is, something is free
    assert _freedoms(rings, 50)[5] == 1.0
    assert (_freedoms(rings, 0)[2:6] == 1.0).all()


def test_a_played_run_has_no_regions(bake, fake_worker, body, tmp_path):
    """Its frames, which a hand has moved, would lie in the cache as those of a bake."""
    from blender_xpbd.jobs.play_inputs import PlayInputs

    PlayInputs(Path(bake().cache)).begin_run()
    elsewhere = tmp_path / "elsewhere"
    for wished in ({"region": wish()}, {"take_back_region": "Tuch"}):
        with pytest.raises(XpbdError, match=r"E_CACHE_STALE.*was played"):
            bake(cache=elsewhere, **wished)
    assert job_folders(elsewhere) == []


def test_a_job_that_goes_on_from_itself(bpy, tmp_path):
    from blender_xpbd.addon.baking.region import region_count, whole_bake

    name = "0123456789abcdef01234567"
    region = Region("b0", np.arange(5, dtype=np.int32), np.ones(5, np.float32), 4, 6, 1)
    made = replace(scene(cloth(5, pinned=(0,)), frames=(1, 10)), beginning=Beginning(name, 3), region=region)
    job = write_job(tmp_path, made).rename(tmp_path / name)
    assert whole_bake(job) == job
    with pytest.raises(XpbdError, match=r"E_JOB.*from itself"):
        region_count(job)


def test_a_region_of_a_job_that_goes_on_from_itself_is_refused(bake, fake_worker, body, monkeypatch):
    """As a stranger's job may, with a digest that fits; it was followed for ever."""
    from blender_xpbd.addon.baking import region

    bake()
    bake(region=wish())
    followed = []

    def to_itself(job):
        followed.append(job)
        assert len(followed) < 5
        return job

    monkeypatch.setattr(region, "job_before", to_itself)
    with pytest.raises(XpbdError, match=r"E_JOB.*from itself"):
        bake(region=wish())


def test_what_was_moved_since_takes_its_keys_along(bake, fake_worker, body):
    bake()
    first = keys_of(body)
    bake(region=wish())
    body.location.x += 1.0
    bake(take_back_region="Tuch")
    np.testing.assert_array_equal(keys_of(body), first)


def test_other_frames_have_no_region_to_take_back(bake, fake_worker, body):
    bake()
    bake(region=wish())
    shown = keys_of(body)
    with pytest.raises(XpbdError, match=r"E_CACHE_STALE.*other frames"):
        bake(take_back_region="Tuch", frame_end=FRAMES + 4)
    np.testing.assert_array_equal(keys_of(body), shown)


@pytest.mark.parametrize("name", ["Tuch", "Tuch.001"])
def test_a_copy_of_a_baked_object_is_no_part_of_its_bake(bpy, bake, fake_worker, body, name):
    bake()
    bake(region=wish())
    copy = body.copy()
    copy.data = body.data.copy()
    bpy.context.scene.collection.objects.link(copy)
    assert bake(take_back_region=name).objects == [name]
    assert bake(region=wish(name="Tuch")).objects == ["Tuch"]


def test_a_loop_has_no_regions(bake, fake_worker, body):
    from blender_xpbd.addon.data.bake_record import read_record

    bake()
    bake(loop=4)
    assert read_record(body).loop == 4
    with pytest.raises(XpbdError, match=r"E_CACHE_STALE.*shows a loop"):
        bake(region=wish())
    assert read_record(body).loop == 4


def test_a_region_is_no_change_of_inputs(bake, fake_worker, body):
    bake()
    bake(region=wish())
    assert bake(from_frame=LAST + 1).stale == []


def test_a_retimed_bake_stays_retimed(bake, fake_worker, body):
    from blender_xpbd.addon.data.bake_record import read_record
    from blender_xpbd.addon.keys.key_animation import curves_of
    from blender_xpbd.addon.keys.retiming import retime

    def points():
        return [[tuple(point.co) for point in curve.keyframe_points] for curve in curves_of(body.data.shape_keys)]

    bake()
    retime(body, (2, 3), 10, 0.5)
    clip, shown = read_record(body).clip(), points()
    for wished in ({"region": wish()}, {"take_back_region": "Tuch"}):
        bake(**wished)
        assert read_record(body).clip() == clip
        assert points() == shown


@pytest.mark.slow
def test_a_region_goes_into_its_pose(bpy, bake, body):
    body.shape_key_add(name="Basis", from_mix=False)
    key = body.shape_key_add(name="Up", from_mix=False)
    key.value = 0.0
    for point in key.data:
        point.co.z += 0.1
    pose = body.xpbd.poses.add()
    pose.target, pose.frame, pose.lead, pose.tolerance = "Up", LAST - 2, 5, 500.0
    whole = bake()
    (error,) = whole.pose_error_mm
    # with nothing changed it is led there as it was
    same = bake(region=wish())
    assert files_of(same)[0] == files_of(whole)[0]
    assert same.pose_error_mm == [error]
    assert bake(take_back_region=body.name).pose_error_mm == []
    # a region of other frames goes into no pose
    assert bake(region=wish(last=LAST - 3)).pose_error_mm == []
    bake(take_back_region=body.name)
    for point in key.data:
        point.co.z += 0.1
    bpy.context.scene.xpbd.region_blend = 0
    changed = bake(region=wish())
    assert [found["frame"] for found in changed.pose_error_mm] == [LAST - 2]
    before, after = (files_of(summary)[1].read(LAST - 2).positions for summary in (whole, changed))
    assert 0.02 < (after - before)[list(INSIDE[5:]), 2].mean() < 0.15
