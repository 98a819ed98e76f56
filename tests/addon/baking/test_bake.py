# SPDX-License-Identifier: GPL-3.0-or-later
"""The bake from the scene to finished keys, with a stand-in for the worker, and whatever goes wrong in it."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from blender_xpbd.jobs.job import read_job
from blender_xpbd.jobs.status import read_status
from blender_xpbd.scene.errors import XpbdError


@pytest.fixture
def options(tmp_path):
    from blender_xpbd.addon.data.bake_options import BakeOptions

    def make(**values):
        return BakeOptions(**{"cache": tmp_path / "cache", "frame_start": 1, "frame_end": 10, "substeps": 4, **values})

    return make


def drop(frame, substeps=4, fps=24.0, gravity=9.81):
    """Symplectic Euler's fall [m] from frame 1."""
    h = 1.0 / fps / substeps
    n = (frame - 1) * substeps
    return gravity * h * h * n * (n + 1) / 2


def height(bpy, obj, frame):
    bpy.context.scene.frame_set(int(np.floor(frame)), subframe=frame % 1)
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return (evaluated.matrix_world @ evaluated.data.vertices[12].co).z


def test_a_bake_falls_as_it_should(bpy, make_body, fake_worker, options):
    from blender_xpbd.addon.baking.bake import run_bake

    body, other = make_body("A", location=(0, 0, 5)), make_body("B", role="JELLY", location=(3, 0, 1))
    seen = []
    summary = run_bake(bpy.context, options(), seen.append)
    for frame in (1, 2, 5, 10):
        assert height(bpy, body, frame) == pytest.approx(5.0 - drop(frame), abs=1e-5)
        assert height(bpy, other, frame) == pytest.approx(1.0 - drop(frame), abs=1e-5)
    assert height(bpy, body, 4.5) == pytest.approx(5.0 - (drop(4) + drop(5)) / 2, abs=1e-5)
    assert summary.complete
    assert summary.objects == ["A", "B"]
    assert summary.frames == 10
    assert summary.vertices == 50
    assert summary.tetrahedra == 14
    assert summary.constraints == {"distance": 6}
    assert summary.greatest_strain == pytest.approx(0.09)
    assert summary.greatest_volume_change == pytest.approx(0.02)
    assert summary.device == "Fake"
    assert {"reading", "solving", "writing", "total"} <= set(summary.seconds)
    assert json.loads(bpy.context.scene.xpbd.report) == json.loads(summary.to_json())
    assert seen[0].stage == "READING"
    assert seen[-1].frames_done == 10


def test_units_and_frame_rate(bpy, make_body, fake_worker, options):
    """Panels show gravity times the unit scale, so in Blender units the fall is the same; fps_base is not."""
    from blender_xpbd.addon.baking.bake import run_bake

    body = make_body(location=(0, 0, 5))
    scene = bpy.context.scene
    scene.unit_settings.scale_length = 0.01
    scene.render.fps, scene.render.fps_base = 30, 1.25
    scene.gravity = (0, 0, -3.0)
    body.xpbd.initial_velocity = (0.0, 0.0, 2.0)
    run_bake(bpy.context, options())
    fallen = drop(10, gravity=3.0) - 2.0 * 9 / 24
    assert height(bpy, body, 10) == pytest.approx(5.0 - fallen, abs=1e-5)
    scene.use_gravity = False
    body.xpbd.initial_velocity = (0.0, 0.0, 0.0)
    run_bake(bpy.context, options())
    assert height(bpy, body, 10) == pytest.approx(5.0, abs=1e-5)


def test_the_second_bake_comes_from_the_cache(bpy, make_body, fake_worker, options):
    from blender_xpbd.addon.baking.bake import run_bake

    make_body()
    assert not run_bake(bpy.context, options()).from_cache
    fake_worker(crash_at=1)
    again = run_bake(bpy.context, options())
    assert again.from_cache
    assert again.complete
    assert again.frames == 10
    assert again.greatest_strain == pytest.approx(0.09)


def test_a_damaged_frame_is_solved_again(bpy, make_body, fake_worker, options, tmp_path):
    from blender_xpbd.addon.baking.bake import run_bake

    body = make_body(location=(0, 0, 5))
    run_bake(bpy.context, options())
    frame = next((tmp_path / "cache").rglob("frame_00000007.bin"))
    frame.write_bytes(frame.read_bytes()[:-100])
    assert not run_bake(bpy.context, options()).from_cache
    assert height(bpy, body, 7) == pytest.approx(5.0 - drop(7), abs=1e-5)


def test_a_frame_damaged_during_the_bake_is_named(bpy, make_body, fake_worker, options, tmp_path, monkeypatch):
    from blender_xpbd.addon.baking import bake_output
    from blender_xpbd.addon.baking.bake import run_bake

    make_body()
    read = bake_output.FrameCache.read

    def damaged(cache, frame):
        if frame == 7:
            cache.path(frame).write_bytes(b"short")
        return read(cache, frame)

    monkeypatch.setattr(bake_output.FrameCache, "read", damaged)
    with pytest.raises(XpbdError, match=r"frame 7: .*frame_00000007\.bin .* Bake again") as caught:
        run_bake(bpy.context, options())
    assert caught.value.code == "E_CACHE"


@pytest.mark.parametrize(
    ("wish", "code", "text"),
    [
        ({"crash_at": 6}, "E_WORKER", "the last words"),
        ({"kill_at": 6}, "E_WORKER", "killed .* finished frames are kept"),
        ({"diverge_at": 6}, "E_DIVERGED", "frame 6"),
    ],
)
def test_frames_before_a_fault_are_kept(bpy, make_body, fake_worker, options, wish, code, text):
    from blender_xpbd.addon.baking.bake import run_bake

    body = make_body(location=(0, 0, 5))
    fake_worker(**wish)
    with pytest.raises(XpbdError, match=text) as caught:
        run_bake(bpy.context, options())
    assert caught.value.code == code
    assert len(body.data.shape_keys.key_blocks) == 1 + 5
    assert height(bpy, body, 5) == pytest.approx(5.0 - drop(5), abs=1e-5)
    report = json.loads(bpy.context.scene.xpbd.report)
    assert report["error"].startswith(code)
    assert report["frames"] == 5
    assert not report["complete"]


def test_what_blows_up_is_tried_again_with_more_substeps(bpy, make_body, fake_worker, options):
    from blender_xpbd.addon.baking.bake import run_bake

    body = make_body(location=(0, 0, 5))
    bpy.context.scene.xpbd.retry_diverged = True
    fake_worker(diverge_at=6, diverge_below=16)
    summary = run_bake(bpy.context, options(per_frame=True))
    assert summary.complete
    assert (summary.frames, summary.substeps) == (10, 16)
    assert [entry["frame"] for entry in summary.frame_statistics] == list(range(1, 11))
    retried = [warning for warning in summary.warnings if warning.startswith("W_RETRIED")]
    assert ["4 substeps" in retried[0], "8 substeps" in retried[1], len(retried)] == [True, True, 2]
    assert len(body.data.shape_keys.key_blocks) == 11
    assert height(bpy, body, 10) == pytest.approx(5.0 - drop(10, substeps=16), abs=1e-5)
    assert len(bpy.data.actions) == 1


def test_springs_are_swept_as_often_where_it_is_tried_again(bpy, make_body, fake_worker, options):
    from blender_xpbd.addon.baking.bake import run_bake

    make_body(location=(0, 0, 5))
    bpy.context.scene.xpbd.retry_diverged = True
    fake_worker(diverge_at=6, diverge_below=8, spring_sweeps=8)
    settings = read_job(Path(run_bake(bpy.context, options()).cache)).settings
    assert (settings.quality, settings.substeps, settings.spring_sweeps) == ("FIXED", 8, 8)


def test_it_is_tried_so_often_and_no_more(bpy, make_body, fake_worker, options):
    from blender_xpbd.addon.baking.bake import run_bake

    body = make_body(location=(0, 0, 5))
    bpy.context.scene.xpbd.retry_diverged = True
    fake_worker(diverge_at=6)
    with pytest.raises(XpbdError, match="E_DIVERGED"):
        run_bake(bpy.context, options())
    assert json.loads(bpy.context.scene.xpbd.report)["substeps"] == 32
    assert height(bpy, body, 5) == pytest.approx(5.0 - drop(5, substeps=32), abs=1e-5)
    fake_worker(crash_at=6)
    with pytest.raises(XpbdError, match="E_WORKER"):
        run_bake(bpy.context, options(substeps=5))
    assert json.loads(bpy.context.scene.xpbd.report)["substeps"] == 5


@pytest.mark.skipif(sys.platform != "linux", reason="where the user's cache is depends on the system")
@pytest.mark.parametrize("named", [False, True])
def test_a_crash_before_the_first_frame_is_tried_again_with_an_empty_cache(
    bpy, make_body, fake_worker, options, tmp_path, monkeypatch, named
):
    from blender_xpbd.addon.baking.bake import run_bake

    make_body()
    kernels = tmp_path / "xpbd_physics" / "taichi"
    kernels.mkdir(parents=True)
    (kernels / "damaged").touch()
    if named:
        monkeypatch.setenv("XPBD_TAICHI_CACHE", str(kernels))
    else:
        monkeypatch.delenv("XPBD_TAICHI_CACHE")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    fake_worker(crash_once=str(tmp_path / "crashed"))
    assert run_bake(bpy.context, options()).complete
    assert (kernels / "damaged").exists() == named, "a folder that the user names is not ours to empty"


def test_a_fault_before_the_first_frame_leaves_the_last_bake(bpy, make_body, fake_worker, options, dump):
    from blender_xpbd.addon.baking.bake import run_bake

    body = make_body(location=(0, 0, 5))
    run_bake(bpy.context, options())
    before = dump(body)
    fake_worker(crash_at=1)
    with pytest.raises(XpbdError, match="E_WORKER"):
        run_bake(bpy.context, options(substeps=5))
    assert dump(body) == before


@pytest.mark.parametrize("deaf", [False, True])
def test_closing_stops_and_keeps_what_is_done(bpy, make_body, fake_worker, options, deaf):
    from blender_xpbd.addon.baking.bake import bake

    body = make_body(location=(0, 0, 5))
    fake_worker(seconds=0.05, deaf=deaf)
    steps = bake(bpy.context, options(frame_end=500))
    for progress in steps:
        time.sleep(0.005)
        if progress.frames_done >= 5:
            break
    start = time.perf_counter()
    steps.close()
    # two seconds on a quiet machine; the bake itself would take twenty-five
    assert time.perf_counter() - start < 15.0
    count = len(body.data.shape_keys.key_blocks) - 1
    assert 5 <= count < 100
    assert height(bpy, body, count) == pytest.approx(5.0 - drop(count), abs=1e-4)
    assert bpy.context.scene.frame_current == count
    assert json.loads(bpy.context.scene.xpbd.report)["frames"] == count


def test_should_stop_interrupts(bpy, make_body, fake_worker, options):
    from blender_xpbd.addon.baking.bake import run_bake

    make_body()
    fake_worker(seconds=0.02)
    with pytest.raises(XpbdError, match="E_INTERRUPTED"):
        run_bake(bpy.context, options(frame_end=500), should_stop=lambda: True)


def test_a_step_is_short(bpy, make_body, fake_worker, options):
    from blender_xpbd.addon.baking.bake import bake

    make_body()
    fake_worker(seconds=0.02)
    longest, start = 0.0, time.perf_counter()
    for progress in bake(bpy.context, options(frame_end=20)):
        if progress.stage == "SOLVING":
            longest = max(longest, time.perf_counter() - start)
        time.sleep(0.005)
        start = time.perf_counter()
    # some 40 ms on a quiet machine; blocking until the end would take longer
    assert longest < 3.0


def exhaust(steps):
    for _ in steps:
        time.sleep(0.005)


def solving(steps, frames):
    for progress in steps:
        time.sleep(0.005)
        if progress.frame is not None and progress.frames_done >= frames:
            return


def test_an_object_deleted_during_the_bake_leaves_the_others(bpy, make_body, fake_worker, options):
    from blender_xpbd.addon.baking.bake import bake

    body, other = make_body("A", location=(0, 0, 5)), make_body("B", location=(0, 0, 5))
    fake_worker(seconds=0.01)
    steps = bake(bpy.context, options(frame_end=30))
    solving(steps, 3)
    bpy.data.objects.remove(body)
    other.name = "Renamed"
    exhaust(steps)
    report = json.loads(bpy.context.scene.xpbd.report)
    assert any(warning.startswith("W_OBJECT_GONE") and '"A"' in warning for warning in report["warnings"])
    assert height(bpy, other, 30) == pytest.approx(5.0 - drop(30), abs=1e-4)


@pytest.mark.parametrize("count", [1, 2])
def test_a_bake_whose_objects_are_all_deleted_stops(bpy, make_body, fake_worker, options, count):
    from blender_xpbd.addon.baking.bake import bake

    bodies = [make_body(f"Body {number}") for number in range(count)]
    fake_worker(seconds=0.02)
    steps = bake(bpy.context, options(frame_end=5000))
    solving(steps, 2)
    for body in bodies:
        bpy.data.objects.remove(body)
    with pytest.raises(XpbdError, match="deleted") as caught:
        next(steps)
    assert caught.value.code == "E_INTERRUPTED"
    report = json.loads(bpy.context.scene.xpbd.report)
    assert report["error"].startswith("E_INTERRUPTED")
    assert not report["complete"]
    status = read_status(Path(report["cache"]))
    assert status.state == "INTERRUPTED"
    assert status.frames_done < 5000


def test_a_bake_that_no_object_can_take_stops(bpy, make_body, fake_worker, options):
    from blender_xpbd.addon.baking.bake import bake

    body = make_body()
    fake_worker(seconds=0.02)
    steps = bake(bpy.context, options(frame_end=5000))
    solving(steps, 2)
    subdivide(bpy, body)
    with pytest.raises(XpbdError, match="E_CACHE_STALE"):
        exhaust(steps)
    assert read_status(Path(json.loads(bpy.context.scene.xpbd.report)["cache"])).frames_done < 5000


def subdivide(bpy, body):
    bpy.context.view_layer.objects.active = body
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide()
    bpy.ops.object.mode_set(mode="OBJECT")


def test_a_cancel_tells_what_waits_in_the_cache(bpy, make_body, fake_worker, options, monkeypatch):
    from blender_xpbd.addon.baking import bake

    body = make_body()
    fake_worker(seconds=0.01)
    session = bake.BakeSession(bpy.context, options(frame_end=20))
    steps = session.run(bpy.context)
    solving(steps, 3)
    keyed = len(body.data.shape_keys.key_blocks) - 1
    with monkeypatch.context() as no_time:
        no_time.setattr(bake, "SLICE_SECONDS", 0.0)
        no_time.setattr(bake, "CLOSING_SECONDS", 0.0)
        while next(steps).frames_done < 20:
            time.sleep(0.005)
        steps.close()
    assert len(body.data.shape_keys.key_blocks) - 1 == keyed
    assert (session.summary.frames, session.summary.frames_waiting) == (keyed, 20 - keyed)
    # "Free Unused of 0.1 MB"
    job = Path(session.summary.cache)
    assert session.summary.cache_bytes == sum(file.stat().st_size for file in job.rglob("*") if file.is_file()) > 0
    fake_worker(crash_at=1)
    assert bake.run_bake(bpy.context, options(frame_end=20)).frames_waiting == 0


def test_keys_that_an_undo_took_away_are_written_again(bpy, make_body, fake_worker, options):
    from blender_xpbd.addon.baking.bake import bake
    from blender_xpbd.addon.keys.clearing import clear_bake

    body = make_body(location=(0, 0, 5))
    fake_worker(seconds=0.01)
    steps = bake(bpy.context, options(frame_end=30))
    solving(steps, 5)
    clear_bake(body)
    exhaust(steps)
    assert len(body.data.shape_keys.key_blocks) == 31
    for frame in (1, 2, 30):
        assert height(bpy, body, frame) == pytest.approx(5.0 - drop(frame), abs=1e-4)


@pytest.mark.parametrize("style", ["ABSOLUTE", "RELATIVE"])
def test_a_key_that_the_user_deletes_during_a_bake_costs_that_frame_alone(bpy, make_body, fake_worker, options, style):
    from blender_xpbd.addon.baking.bake import bake

    body = make_body(location=(0, 0, 5))
    body.xpbd.key_style = style
    fake_worker(seconds=0.01)
    steps = bake(bpy.context, options(frame_end=30))
    solving(steps, 5)
    body.shape_key_remove(body.data.shape_keys.key_blocks["XPBD 0002"])
    last = list(steps)[-1]
    assert last.frame == 30
    report = json.loads(bpy.context.scene.xpbd.report)
    assert (report["complete"], report["frames"], report["frames_waiting"]) == (True, 29, 1)
    for frame in (1, 3, 30):
        assert height(bpy, body, frame) == pytest.approx(5.0 - drop(frame), abs=1e-4)


@pytest.mark.parametrize("slice_seconds", [0.02, 1e-4])
def test_a_bake_waits_for_an_object_in_edit_mode(bpy, make_body, fake_worker, options, monkeypatch, slice_seconds):
    from blender_xpbd.addon.baking import bake as module
    from blender_xpbd.addon.baking.bake import bake

    # in the shorter slice there is time for one frame: editing ends long before all are written
    monkeypatch.setattr(module, "SLICE_SECONDS", slice_seconds)
    body = make_body(location=(0, 0, 5))
    fake_worker(seconds=0.01)
    steps = bake(bpy.context, options(frame_end=20))
    solving(steps, 5)
    bpy.context.view_layer.objects.active = body
    bpy.ops.object.mode_set(mode="EDIT")
    waits = 0
    for progress in steps:
        time.sleep(0.005)
        if progress.stage == "WAITING":
            waits += 1
            if waits == 5:
                bpy.ops.object.mode_set(mode="OBJECT")
    assert waits >= 5
    for frame in (1, 10, 20):
        assert height(bpy, body, frame) == pytest.approx(5.0 - drop(frame), abs=1e-4)


def test_the_bar_does_not_fall_back_while_an_object_is_edited(bpy, make_body, fake_worker, options):
    from blender_xpbd.addon.baking.bake import bake

    body = make_body(location=(0, 0, 5))
    fake_worker(seconds=0.01)
    steps = bake(bpy.context, options(frame_end=20))
    solving(steps, 5)
    bpy.context.view_layer.objects.active = body
    bpy.ops.object.mode_set(mode="EDIT")
    fractions = []
    for progress in steps:
        time.sleep(0.005)
        fractions.append(progress.fraction)
        if progress.stage == "WAITING":
            assert progress.fraction == 1.0
            bpy.ops.object.mode_set(mode="OBJECT")
    assert fractions == sorted(fractions)


def test_a_mesh_edited_during_the_bake_is_stale_and_the_others_finish(bpy, make_body, fake_worker, options):
    from blender_xpbd.addon.baking.bake import bake

    body, other = make_body("A"), make_body("B", location=(0, 0, 5))
    fake_worker(seconds=0.01)
    steps = bake(bpy.context, options(frame_end=20))
    solving(steps, 3)
    subdivide(bpy, body)
    with pytest.raises(XpbdError, match="E_CACHE_STALE") as caught:
        exhaust(steps)
    assert caught.value.object_name == "A"
    assert height(bpy, other, 20) == pytest.approx(5.0 - drop(20), abs=1e-4)


def test_two_bakes_into_one_cache(bpy, make_body, fake_worker, options, tmp_path):
    from blender_xpbd.addon.baking.bake import bake, run_bake

    make_body()
    fake_worker(seconds=0.02)
    steps = bake(bpy.context, options(frame_end=100))
    solving(steps, 2)
    with pytest.raises(XpbdError, match="E_LOCKED"):
        run_bake(bpy.context, options(frame_end=100))
    steps.close()


def test_nothing_is_left_of_a_refused_bake(bpy, make_body, fake_worker, options, dump, tmp_path):
    from blender_xpbd.addon.baking.bake import run_bake

    body, empty = make_body("A"), make_body("B", mesh=bpy.data.meshes.new("Empty"))
    before = dump(body), dump(empty)
    with pytest.raises(XpbdError, match='E_GEOM_EMPTY: object "B"'):
        run_bake(bpy.context, options())
    assert (dump(body), dump(empty)) == before
    assert not (tmp_path / "cache").exists()


def test_a_shared_mesh_is_copied_on_demand(bpy, make_body, fake_worker, options):
    from blender_xpbd.addon.baking.bake import run_bake

    body = make_body("A")
    twin = make_body("B", role="NONE", mesh=body.data)
    with pytest.raises(XpbdError, match="E_DATA_SHARED"):
        run_bake(bpy.context, options())
    assert body.data == twin.data
    run_bake(bpy.context, options(make_single_user=True))
    assert body.data != twin.data
    assert twin.data.shape_keys is None
    assert len(body.data.shape_keys.key_blocks) == 11


def test_a_mesh_that_is_copied_takes_the_action_of_its_keys_with_it(bpy, make_body, fake_worker, options):
    from blender_xpbd.addon.baking.bake import run_bake

    body = make_body("A")
    body.shape_key_add(name="Basis")
    body.shape_key_add(name="Own").keyframe_insert("value", frame=1)
    twin = make_body("B", mesh=body.data)
    assert run_bake(bpy.context, options(make_single_user=True)).complete
    actions = [one.data.shape_keys.animation_data.action for one in (body, twin)]
    assert actions[0] != actions[1]
    assert [len(one.data.shape_keys.key_blocks) for one in (body, twin)] == [12, 12]


def test_a_folder_that_cannot_be_written(bpy, make_body, fake_worker, options, tmp_path):
    from blender_xpbd.addon.baking.bake import run_bake

    make_body()
    (tmp_path / "file").touch()
    with pytest.raises(XpbdError, match="E_IO"):
        run_bake(bpy.context, options(cache=tmp_path / "file"))


def test_a_file_never_saved_has_a_cache_of_its_own(bpy, make_body, fake_worker, options, tmp_path):
    from blender_xpbd.addon.baking.bake import run_bake

    make_body()
    summary = run_bake(bpy.context, options(cache=None))
    assert summary.cache.startswith(str(tmp_path / "user"))
    assert any(warning.startswith("W_FILE_UNSAVED") for warning in summary.warnings)


def test_a_bake_survives_save_and_load(bpy, make_body, fake_worker, options, tmp_path, dump):
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.keys.clearing import clear_bake

    make_body("A", location=(0, 0, 5))
    run_bake(bpy.context, options())
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    body = bpy.data.objects["A"]
    assert height(bpy, body, 10) == pytest.approx(5.0 - drop(10), abs=1e-5)
    assert clear_bake(body)
    assert body.data.shape_keys is None
    assert len(bpy.data.actions) == 0


def test_the_frame_step(bpy, make_body, fake_worker, options):
    from blender_xpbd.addon.baking.bake import run_bake

    body = make_body(location=(0, 0, 5))
    summary = run_bake(bpy.context, options(frame_end=12, frame_step=5))
    assert summary.frames == 4
    assert height(bpy, body, 12) == pytest.approx(5.0 - drop(12), abs=1e-5)
    assert height(bpy, body, 8.5) == pytest.approx(5.0 - (drop(6) + drop(11)) / 2, abs=1e-5)


def test_modifiers_stay_live_on_top(bpy, make_body, fake_worker, options):
    from blender_xpbd.addon.baking.bake import run_bake

    body = make_body(location=(0, 0, 5))
    body.modifiers.new("Subdivision", "SUBSURF")
    body.modifiers.new("Mirror", "MIRROR")
    run_bake(bpy.context, options())
    bpy.context.scene.frame_set(10)
    evaluated = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    assert len(evaluated.data.vertices) > 25
    assert len(body.data.vertices) == 25


@pytest.fixture
def real_worker(bpy):
    from blender_xpbd.addon.process.worker_python import WorkerPython, worker_environment

    return WorkerPython(sys.executable, "3.11", worker_environment([]))


def search_of(python):
    yield
    return python


def test_the_real_worker_lets_bodies_fall(bpy, make_body, options, monkeypatch, real_worker):
    """½ g t², with a unit scale, an fps base and any transform."""
    from blender_xpbd.addon.baking import bake

    monkeypatch.setattr(bake, "search_python", lambda _preference: search_of(real_worker))
    cube = bpy.data.meshes.new("Cube")
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    cube.from_pydata(corners, [], sides)
    transform = {"location": (0, 0, 5), "rotation_euler": (0.3, 0.2, 0.1), "scale": (2, -1, 1)}
    bodies = [make_body("Jelly", role="JELLY", mesh=cube, **transform), make_body("Cloth", **transform)]
    bodies[0].xpbd.cage_resolution = 4
    # both are in the same place
    bodies[0].xpbd.use_body_collision = False
    scene = bpy.context.scene
    scene.unit_settings.scale_length = 0.01
    scene.render.fps, scene.render.fps_base = 30, 1.25

    def shown(body):
        evaluated = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
        return np.array([(evaluated.matrix_world @ vertex.co)[:] for vertex in evaluated.data.vertices])

    before = [shown(body) for body in bodies]
    summary = bake.run_bake(bpy.context, options())
    assert summary.complete
    assert summary.device
    for frame in (1, 2, 10):
        scene.frame_set(frame)
        for body, rest in zip(bodies, before, strict=True):
            fall = 9.81 * ((frame - 1) / 24.0) ** 2 / 2
            np.testing.assert_allclose(shown(body), rest - [0.0, 0.0, fall], atol=2e-4)
