# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake with a key tolerance: fewer keys in the end, told in the summary, whatever happens meanwhile."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError
from tests.addon.baking.test_bake import drop, height


@pytest.fixture
def options(tmp_path):
    from blender_xpbd.addon.data.bake_options import BakeOptions

    def make(**values):
        wishes = {"cache": tmp_path / "cache", "frame_start": 1, "frame_end": 60, "substeps": 4}
        return BakeOptions(**{**wishes, "key_tolerance": 50.0, **values})

    return make


@pytest.fixture
def slow_reduction(monkeypatch):
    """A reduction goes on until it is stopped, or until the returned list holds something."""
    from blender_xpbd.addon.baking import key_reduction
    from blender_xpbd.addon.reduction.motion import ReductionStoppedError

    go_on: list[bool] = []
    reduce_motion = key_reduction.reduce_motion

    def reduce_slowly(motion, tolerance, style, should_stop):
        while not go_on:
            time.sleep(0.002)
            if should_stop():
                raise ReductionStoppedError
        return reduce_motion(motion, tolerance, style, should_stop)

    monkeypatch.setattr(key_reduction, "reduce_motion", reduce_slowly)
    return go_on


def error_of(bpy, obj, frames, start):
    """The greatest error [mm] at the middle vertex of what falls."""
    return 1e3 * max(abs(height(bpy, obj, frame) - start + drop(frame)) for frame in range(1, frames + 1))


def blocks(obj):
    return [block.name for block in obj.data.shape_keys.key_blocks[1:]]


def reducing(steps):
    """Go on until keys are looked for."""
    for progress in steps:
        if progress.stage == "REDUCING":
            return
        time.sleep(0.002)
    raise AssertionError


def test_a_fall_takes_few_keys(bpy, make_body, fake_worker, options):
    from blender_xpbd.addon.baking.bake import run_bake

    bodies = [make_body("A", location=(0, 0, 5)), make_body("B", location=(4, 0, 1))]
    for obj in bodies:
        obj.xpbd.key_style = "ABSOLUTE"
    summary = run_bake(bpy.context, options())
    assert summary.complete
    assert summary.frames == 60
    assert summary.keys == sum(len(blocks(obj)) for obj in bodies) < 40
    worst = max(error_of(bpy, obj, 60, start) for obj, start in zip(bodies, (5.0, 1.0), strict=True))
    assert 0.0 < worst <= 50.0
    assert summary.key_error_mm == pytest.approx(worst, abs=0.01)
    assert 0 < summary.key_bytes < summary.every_frame_bytes
    assert summary.seconds["reducing"] > 0.0


def test_a_straight_fall_is_one_blend(bpy, make_body, fake_worker, options):
    from blender_xpbd.addon.baking.bake import run_bake

    mesh = bpy.data.meshes.new("Large")
    points = np.random.default_rng(1).uniform(-1, 1, (900, 3))
    points[12] = 0.0
    mesh.from_pydata(points.tolist(), [], [(i, i + 1, i + 2) for i in range(898)])
    body = make_body(mesh=mesh, location=(0, 0, 5))
    summary = run_bake(bpy.context, options(key_tolerance=1.0))
    assert blocks(body) == ["XPBD Blend 001"]
    assert summary.keys == 1
    assert error_of(bpy, body, 60, 5.0) == pytest.approx(summary.key_error_mm, abs=0.01)


def test_without_a_tolerance_each_frame_has_a_key(bpy, make_body, fake_worker, options):
    from blender_xpbd.addon.baking.bake import run_bake

    body = make_body()
    summary = run_bake(bpy.context, options(key_tolerance=None))
    assert len(blocks(body)) == summary.keys == 60
    assert summary.key_error_mm == 0.0
    assert summary.key_bytes == summary.every_frame_bytes


def test_another_tolerance_is_taken_from_the_cache(bpy, make_body, fake_worker, options):
    from blender_xpbd.addon.baking.bake import run_bake

    body = make_body(location=(0, 0, 5))
    body.xpbd.key_style = "ABSOLUTE"
    bpy.context.scene.xpbd.key_tolerance = 200.0
    counts = []
    for tolerance in (None, 20.0, 0.0):
        counts.append(run_bake(bpy.context, options(key_tolerance=tolerance)).keys)
        assert len(blocks(body)) == counts[-1]
    assert counts[0] < counts[1] < counts[2] == 60
    assert json.loads(bpy.context.scene.xpbd.report)["from_cache"]


@pytest.mark.parametrize("tolerance", [-1.0, float("nan"), float("inf")])
def test_what_is_no_tolerance_is_refused(bpy, make_body, fake_worker, options, tolerance):
    from blender_xpbd.addon.baking.bake import run_bake

    body = make_body()
    with pytest.raises(XpbdError, match=r"E_PARAM.*Key Tolerance"):
        run_bake(bpy.context, options(key_tolerance=tolerance))
    assert body.data.shape_keys is None


def test_a_cancel_keeps_every_frame(bpy, make_body, fake_worker, options, slow_reduction):
    from blender_xpbd.addon.baking.bake import bake

    body = make_body(location=(0, 0, 5))
    steps = bake(bpy.context, options())
    reducing(steps)
    start = time.perf_counter()
    steps.close()
    assert time.perf_counter() - start < 2.0
    assert len(blocks(body)) == 60
    assert error_of(bpy, body, 60, 5.0) < 0.1
    report = json.loads(bpy.context.scene.xpbd.report)
    assert (report["frames"], report["keys"], report["frames_waiting"]) == (60, 60, 0)


def test_an_undo_while_keys_are_looked_for(bpy, make_body, fake_worker, options, slow_reduction):
    from blender_xpbd.addon.baking.bake import bake
    from blender_xpbd.addon.keys.clearing import clear_bake

    body = make_body(location=(0, 0, 5))
    steps = bake(bpy.context, options())
    reducing(steps)
    clear_bake(body)
    slow_reduction.append(True)
    list(steps)
    report = json.loads(bpy.context.scene.xpbd.report)
    assert len(blocks(body)) == report["keys"] < 30
    assert error_of(bpy, body, 60, 5.0) == pytest.approx(report["key_error_mm"], abs=0.01)


def test_an_object_deleted_while_keys_are_looked_for(bpy, make_body, fake_worker, options, slow_reduction):
    from blender_xpbd.addon.baking.bake import bake

    gone, body = make_body("A", location=(0, 0, 5)), make_body("B", location=(4, 0, 5))
    steps = bake(bpy.context, options())
    reducing(steps)
    bpy.data.objects.remove(gone)
    slow_reduction.append(True)
    list(steps)
    assert json.loads(bpy.context.scene.xpbd.report)["keys"] == len(blocks(body)) < 30


def test_edit_mode_while_keys_are_looked_for(bpy, make_body, fake_worker, options, slow_reduction):
    """What has been written stays; Blender would lose what is written now."""
    from blender_xpbd.addon.baking.bake import bake

    body = make_body(location=(0, 0, 5))
    steps = bake(bpy.context, options())
    reducing(steps)
    bpy.context.view_layer.objects.active = body
    bpy.ops.object.mode_set(mode="EDIT")
    slow_reduction.append(True)
    waits = 0
    for progress in steps:
        waits += progress.stage == "WAITING"
        if waits == 5:
            bpy.ops.object.mode_set(mode="OBJECT")
    assert waits >= 5
    assert len(blocks(body)) < 30
    report = json.loads(bpy.context.scene.xpbd.report)
    assert error_of(bpy, body, 60, 5.0) == pytest.approx(report["key_error_mm"], abs=0.01)


def test_a_cancel_in_edit_mode_keeps_every_frame(bpy, make_body, fake_worker, options, slow_reduction):
    from blender_xpbd.addon.baking.bake import bake

    body = make_body(location=(0, 0, 5))
    steps = bake(bpy.context, options())
    reducing(steps)
    bpy.context.view_layer.objects.active = body
    bpy.ops.object.mode_set(mode="EDIT")
    slow_reduction.append(True)
    for progress in steps:
        if progress.stage == "WAITING":
            steps.close()
    bpy.ops.object.mode_set(mode="OBJECT")
    assert len(blocks(body)) == json.loads(bpy.context.scene.xpbd.report)["keys"] == 60
    assert error_of(bpy, body, 60, 5.0) < 0.1


def test_too_little_memory_keeps_every_frame(bpy, make_body, fake_worker, options, monkeypatch):
    from blender_xpbd.addon.baking import key_reduction
    from blender_xpbd.addon.baking.bake import run_bake

    def run_out(*_):
        raise MemoryError

    monkeypatch.setattr(key_reduction, "reduce_motion", run_out)
    body = make_body(location=(0, 0, 5))
    with pytest.raises(XpbdError, match="E_MEMORY"):
        run_bake(bpy.context, options())
    assert len(blocks(body)) == 60
    assert error_of(bpy, body, 60, 5.0) < 0.1


def test_what_the_panel_and_the_status_bar_say(bpy, make_body, fake_worker, options):
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.baking.report_text import keys_text, summary_rows
    from blender_xpbd.addon.ui.operators.bake import finished_text

    make_body(location=(0, 0, 5))
    summary = run_bake(bpy.context, options())
    report = json.dumps({**json.loads(summary.to_json()), "keys": 41, "key_error_mm": 0.812})
    values = json.loads(report) | {"every_frame_bytes": 5_612_000, "key_bytes": 904_000}
    report = json.dumps(values)
    assert keys_text(report) == "60 frames in 41 keys, greatest error 0.81 mm, 5.6 → 0.9 MB"
    rows = dict(summary_rows(report))
    assert (rows["Keys"], rows["Key Error"], rows["Size of Keys"]) == ("41", "0.81 mm", "5.6 → 0.9 MB")
    assert finished_text(summary).startswith("Baked 1 object in ")
    assert ": 60 frames in " in finished_text(summary)
    assert " keys, greatest error " in finished_text(summary)
    every = run_bake(bpy.context, options(key_tolerance=0.0))
    assert "keys" not in finished_text(every)
    assert "Keys" not in dict(summary_rows(every.to_json()))
    for stranger in ({"keys": "41"}, {"keys": 1, "key_error_mm": [], "key_bytes": 1, "every_frame_bytes": 2}):
        assert keys_text(json.dumps({"frames": 3, **stranger})) == ""
