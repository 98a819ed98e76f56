# SPDX-License-Identifier: GPL-3.0-or-later
"""The headless bake: arguments, exit status, summary, signals."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def run(bpy, fake_worker, capfd, tmp_path):
    """A function that bakes; it returns the exit status, the lines of standard output and standard error."""
    from blender_xpbd.addon import command_line

    def call(*arguments, **values):
        status = command_line.main(["--cache", str(tmp_path / "cache"), *arguments], **values)
        out, err = capfd.readouterr()
        return status, out.splitlines(), err

    return call


def test_a_bake_with_a_summary(bpy, make_body, run):
    make_body("Body.001")
    status, out, err = run("--frames", "1", "20", "--step", "3", "--substeps", "2", "--json")
    assert status == 0
    summary = json.loads(out[-1])
    assert summary["objects"] == ["Body.001"]
    assert summary["frames"] == 8
    assert summary["complete"]
    for name in ("vertices", "tetrahedra", "constraints", "seconds", "solver_fps", "greatest_strain"):
        assert summary[name]
    for name in ("greatest_volume_change", "device", "cache", "warnings"):
        assert name in summary
    assert "100%" in err
    assert "8/8 frames" in err


def test_settings_of_the_command_line_are_not_kept(bpy, make_body, run):
    make_body()
    run("--frames", "1", "3", "--substeps", "2", "--device", "cpu")
    settings = bpy.context.scene.xpbd
    assert (settings.frame_end, settings.substeps, settings.device) == (250, 20, "AUTO")


@pytest.mark.parametrize(("quality", "chosen"), [("draft", "DRAFT"), ("Normal", "MATERIAL"), ("final", "FINAL")])
def test_the_quality_of_the_command_line(bpy, make_body, run, monkeypatch, quality, chosen):
    from blender_xpbd.addon import command_line

    wishes = []
    monkeypatch.setattr(command_line, "run_bake", lambda _context, options, *_rest: wishes.append(options))
    make_body()
    assert run("--quality", quality)[0] == 0
    assert [options.quality for options in wishes] == [chosen]
    assert bpy.context.scene.xpbd.quality == "MATERIAL", "it is not kept"


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--object", "Nobody"], 2, "E_NOTHING"),
        (["--frames", "9", "3"], 2, "E_FRAME_RANGE"),
        (["--step", "0"], 2, "E_FRAME_RANGE"),
        (["--substeps", "0"], 2, "E_PARAM"),
        (["--set", "Body.density=-1"], 2, "E_PARAM"),
        (["--set", "Nobody.density=1"], 2, "E_NOTHING"),
        (["--frames", "1"], 2, "usage"),
        (["--bogus"], 2, "usage"),
        (["--device", "abacus"], 2, "usage"),
        (["--cache", "/dev/null/folder"], 5, "E_IO"),
    ],
)
def test_refusals(bpy, make_body, run, arguments, status, words):
    make_body("Body")
    found, out, err = run("--json", *arguments)
    assert found == status
    assert words in err
    if words != "usage":
        assert json.loads(out[-1])["error"].startswith(words)


def test_several_faults_are_lines_of_standard_error_and_values_of_the_summary(bpy, make_body, run):
    make_body("Flat", scale=(1.0, 1.0, 0.0))
    make_body("Empty", mesh=bpy.data.meshes.new("Empty"))
    make_body("Good")
    status, out, err = run("--json")
    assert status == 2
    assert [line[:20] for line in err.splitlines() if line.startswith("E_")] == [
        "E_GEOM_EMPTY: object",
        "E_TRANSFORM_SINGULAR",
    ]
    summary = json.loads(out[-1])
    assert [(fault["code"], fault["object"]) for fault in summary["errors"]] == [
        ("E_GEOM_EMPTY", "Empty"),
        ("E_TRANSFORM_SINGULAR", "Flat"),
    ]
    assert all(fault["message"] and fault["frame"] is None for fault in summary["errors"])
    assert summary["error"].splitlines() == [line for line in err.splitlines() if line.startswith("E_")]


@pytest.mark.parametrize(
    ("wish", "status", "frames"), [({"diverge_at": 4}, 4, 3), ({"crash_at": 4}, 6, 3), ({"kill_at": 4}, 6, 3)]
)
def test_exit_status_of_faults_and_the_frames_before_are_saved(
    bpy, make_body, run, fake_worker, tmp_path, wish, status, frames
):
    make_body("Body")
    fake_worker(**wish)
    saved = tmp_path / "saved.blend"
    found, out, _err = run("--frames", "1", "9", "--save", str(saved), "--json")
    assert found == status
    assert json.loads(out[-1])["frames"] == frames
    bpy.ops.wm.open_mainfile(filepath=str(saved))
    assert len(bpy.data.objects["Body"].data.shape_keys.key_blocks) == 1 + frames


@pytest.mark.parametrize("count", ["0", "9", "-3"])
def test_a_loop_that_does_not_fit_is_refused_before_the_bake(bpy, make_body, run, count):
    body = make_body("Body")
    status, out, err = run("--frames", "1", "9", "--loop", count, "--json")
    assert status == 2
    assert "E_PARAM" in err
    assert "1 to 8 frames" in json.loads(out[-1])["error"]
    assert body.data.shape_keys is None


def test_what_was_baked_is_saved_with_its_warnings_where_no_loop_can_be_made_of_it(
    bpy, make_body, run, monkeypatch, tmp_path
):
    from blender_xpbd.addon import command_line
    from blender_xpbd.scene.errors import XpbdError

    bake = command_line.run_bake

    def refuse_loops(context, options, *rest):
        if options.loop is not None:
            context.scene.xpbd.report = json.dumps({"warnings": ["W_OTHER: of the loop"]})
            raise XpbdError("E_PARAM", "No loop.")
        return bake(context, options, *rest)

    monkeypatch.setattr(command_line, "run_bake", refuse_loops)
    make_body("Body").xpbd.pin_group = "Nowhere"
    saved = tmp_path / "saved.blend"
    status, out, err = run("--frames", "1", "9", "--loop", "3", "--save", str(saved), "--json")
    assert status == 2
    assert "W_PIN_GROUP" in err
    told = json.loads(out[-1])["warnings"]
    assert (told[0].partition(":")[0], told[-1]) == ("W_PIN_GROUP", "W_OTHER: of the loop")
    bpy.ops.wm.open_mainfile(filepath=str(saved))
    assert len(bpy.data.objects["Body"].data.shape_keys.key_blocks) == 10


def test_a_locked_job(bpy, make_body, run, tmp_path):
    from blender_xpbd.jobs.lock import JobLock

    make_body()
    _status, out, _err = run("--frames", "1", "3", "--json")
    job = Path(json.loads(out[-1])["cache"])
    (job / "status.json").unlink()
    with JobLock(job):
        status, _out, err = run("--frames", "1", "3")
    assert status == 7
    assert "E_LOCKED" in err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_interrupts_and_the_next_bake_goes_on(bpy, make_body, run, fake_worker, tmp_path, number):
    body = make_body()
    fake_worker(seconds=0.02)
    before = signal.getsignal(number)

    def send_in_mid_bake():
        end = time.monotonic() + 100.0
        while time.monotonic() < end and len(list((tmp_path / "cache").rglob("frame_*.bin"))) < 5:
            time.sleep(0.05)
        os.kill(os.getpid(), number)

    sender = threading.Thread(target=send_in_mid_bake)
    sender.start()
    status, _out, err = run("--frames", "1", "500")
    sender.join()
    assert status == 3
    assert "E_INTERRUPTED" in err
    assert signal.getsignal(number) == before
    assert 1 < len(body.data.shape_keys.key_blocks) < 400


def test_a_file_is_opened_and_saved(bpy, make_body, run, tmp_path):
    make_body("Body")
    path, saved = tmp_path / "scene.blend", tmp_path / "saved.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    content = path.read_bytes()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    arguments = [str(path), "--frames", "1", "4", "--save", str(saved), "--set", "use_floor=on"]
    status, _out, _err = run(*arguments, with_file=True)
    assert status == 0
    assert path.read_bytes() == content
    bpy.ops.wm.open_mainfile(filepath=str(saved))
    assert len(bpy.data.objects["Body"].data.shape_keys.key_blocks) == 5
    assert bpy.context.scene.xpbd.use_floor


@pytest.mark.parametrize("content", [None, b"not a blend file"])
def test_a_file_that_cannot_be_opened(bpy, run, tmp_path, content):
    if content is not None:
        (tmp_path / "scene.blend").write_bytes(content)
    status, _out, err = run(str(tmp_path / "scene.blend"), with_file=True)
    assert status == 5
    assert "E_IO" in err


def test_a_file_that_cannot_be_saved(bpy, make_body, run):
    make_body()
    status, _out, err = run("--frames", "1", "3", "--save", "/dev/null/folder/scene.blend")
    assert status == 5
    assert "E_IO" in err


def test_nothing_refused_is_saved(bpy, make_body, run, tmp_path):
    make_body(scale=(1, 1, 0))
    status, _out, _err = run("--save", str(tmp_path / "saved.blend"))
    assert status == 2
    assert not (tmp_path / "saved.blend").exists()


def test_warnings_are_printed(bpy, make_body, run):
    make_body("Body").xpbd.pin_group = "Nowhere"
    _status, _out, err = run("--frames", "1", "3")
    assert 'W_PIN_GROUP: object "Body"' in err


def test_subcommands(bpy, make_body, run, capfd):
    from blender_xpbd.addon.command_line import run_command

    assert run_command([]) == 2
    assert run_command(["fry"]) == 2
    assert run_command(["--help"]) == 0
    assert run_command(["bake", "--help"]) == 0
    out = capfd.readouterr().out
    for argument in ("--object", "--frames", "--set", "--json", "--save", "--cache"):
        assert argument in out


def test_bodies_are_chosen_by_name(bpy, make_body, run):
    chosen, other = make_body("A"), make_body("B")
    run("--object", "A", "--frames", "1", "3")
    assert chosen.data.shape_keys is not None
    assert other.data.shape_keys is None
    np.testing.assert_array_equal(np.array(other.matrix_world), np.eye(4))


def test_a_check_prints_a_line_for_each_finding_and_bakes_nothing(bpy, make_body, run):
    body = make_body("Body")
    status, out, err = run("--check", "--frames", "1", "9")
    assert (status, body.data.shape_keys) == (0, None)
    assert [line.partition(":")[0] for line in out] == ["W_FALLS"]
    assert "About 25 vertices: " in err
    status, out, _err = run("--check", "--json", "--set", "use_floor=on", "--set", "floor_height=1")
    findings = json.loads(out[-1])
    told = [(row["code"], row["object"], row["remedy"]) for row in findings]
    assert told == [("W_INSIDE", "Body", "Lift")]
    assert all(row["message"] for row in findings)


def test_check_is_a_command_of_its_own_and_answers_0_where_a_bake_would_refuse(bpy, make_body, capfd):
    from blender_xpbd.addon.command_line import run_command

    make_body("Empty", mesh=bpy.data.meshes.new("Empty"))
    assert run_command(["check"]) == 0
    assert "E_GEOM_EMPTY" in capfd.readouterr().out


def test_a_check_of_a_file_that_is_not_there(bpy, run, tmp_path):
    status, _out, err = run(str(tmp_path / "none.blend"), "--check", with_file=True)
    assert status == 5
    assert "E_IO" in err


def test_outputs_are_written_and_told(bpy, make_body, run, tmp_path):
    make_body("A")
    make_body("B")
    files = [str(tmp_path / name) for name in ("out.npz", "out.pc2")]
    outputs = [argument for file in files for argument in ("--output", file)]
    status, out, _ = run("--frames", "1", "5", "--substeps", "2", "--object", "B", "--json", *outputs)
    assert status == 0
    assert json.loads(out[-1])["outputs"] == files
    with np.load(files[0]) as arrays:
        assert arrays["B/positions"].shape == (5, 25, 3)
        assert "A/positions" not in arrays
    assert Path(files[1]).stat().st_size == 32 + 5 * 25 * 12


def test_an_output_that_cannot_be_written_is_refused_before_the_bake(bpy, make_body, run, tmp_path):
    body = make_body()
    status, _, err = run("--frames", "1", "5", "--output", str(tmp_path / "out.fbx"))
    assert status == 2
    assert "E_PARAM" in err
    assert body.data.shape_keys is None


def test_the_bake_stays_where_an_output_fails(bpy, make_body, run, tmp_path):
    body = make_body()
    files = [str(tmp_path / "out.npz"), str(tmp_path / "missing" / "out.npz")]
    outputs = [argument for file in files for argument in ("--output", file)]
    status, out, err = run("--frames", "1", "5", "--json", *outputs)
    assert status == 5
    assert "E_IO" in err
    summary = json.loads(out[-1])
    assert (summary["complete"], summary["outputs"], summary["errors"][0]["code"]) == (True, files[:1], "E_IO")
    assert len(body.data.shape_keys.key_blocks) == 6


def test_the_key_tolerance_of_the_command_line(bpy, make_body, run):
    body = make_body()
    status, out, _ = run("--frames", "1", "40", "--substeps", "2", "--key-tolerance", "100", "--json")
    assert status == 0
    summary = json.loads(out[-1])
    assert summary["keys"] == len(body.data.shape_keys.key_blocks) - 1 < 20
    assert 0.0 < summary["key_error_mm"] <= 100.0
    assert summary["frames"] == 40
    assert run("--frames", "1", "40", "--key-tolerance", "-1")[0] == 2
    assert bpy.context.scene.xpbd.key_tolerance == 0.0


def test_a_file_has_the_key_tolerance_of_the_command_line(bpy, make_body, run, monkeypatch, tmp_path):
    from blender_xpbd.addon import command_line

    wishes = []
    monkeypatch.setattr(command_line, "export", lambda *_, key_tolerance, **__: wishes.append(key_tolerance))
    make_body()
    arguments = ("--frames", "1", "2", "--substeps", "2", "--output", str(tmp_path / "out.npz"))
    assert run(*arguments, "--key-tolerance", "100")[0] == 0
    assert wishes == [100.0]


def test_what_an_artist_has_let_be_pushed_out_is_told_as_such(bpy, make_body, run, monkeypatch):
    from blender_xpbd.addon import command_line

    told = [f'W_INSIDE: object "{name}": It starts 0.5 m inside the floor.' for name in ("Cloth", "Other")]

    def bake(context, *_rest):
        context.scene.xpbd.report = json.dumps({"warnings": told})

    def warnings():
        _, out, err = run("--json")
        found = json.loads(out[-1])["warnings"]
        assert all(warning in err for warning in found)
        return found

    monkeypatch.setattr(command_line, "run_bake", bake)
    bpy.context.scene.xpbd.use_floor = True
    body = make_body("Cloth", location=(0.0, 0.0, -0.5))
    make_body("Other", location=(4.0, 0.0, -0.5))
    assert warnings() == told
    bpy.ops.xpbd.check()
    bpy.ops.xpbd.let_out(object_name="Cloth")
    assert warnings() == [told[0].replace("W_INSIDE", "W_LET_OUT"), told[1]]
    body.location.z = -0.6
    assert warnings() == told, "deeper, it is another finding"


def test_a_scene_that_is_not_read_does_not_tell_the_report_of_an_earlier_bake(bpy, make_body, run):
    bpy.context.scene.xpbd.report = json.dumps({"warnings": ["W_SIZE: of an earlier bake"], "frames": 250})
    make_body("Cloth").xpbd.let_out = "[]"
    bpy.context.view_layer.objects.active = bpy.data.objects["Cloth"]
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        status, out, err = run("--json")
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
    assert status != 0
    assert "E_MODE_EDIT" in json.loads(out[-1])["error"]
    assert "earlier" not in err
    assert json.loads(out[-1]).get("frames") != 250
