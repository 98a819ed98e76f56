# SPDX-License-Identifier: GPL-3.0-or-later
"""Some trials of every part of scripts/reliability, and how they are run, gone on with and told."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys

import pytest
from trials import report, running
from trials.odd_meshes import ODDITIES, odd_mesh
from trials.part import Outcome, Part
from trials.parts import PARTS, part_by_name
from trials.running import append_row, read_rows, run_part

from blender_xpbd.scene.errors import ExitCode

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals, mounts and /proc")

MESHES = 1000
# a tenth
COUNTS = {"kills": 20, "actions": 10, "hair": 5, "rounds": 20, "hostile": 10, "memory": 1}
COUNTS |= {"regions": 6, "damages": 11, "rebakes": 10, "presets": 20}
# of those that mount disks
MOUNTING = {"disks": 5, "exports": 12}


@pytest.fixture
def rows_of(tmp_path):
    def run(name, count):
        return run_part(part_by_name(name), count, tmp_path / f"{name}.jsonl")

    return run


def faults_of(rows):
    return [(row["number"], fault) for row in rows for fault in row["faults"]]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in COUNTS if name != "kills"])
def test_a_few_trials_hold(bpy, rows_of, name):
    rows = rows_of(name, COUNTS[name])
    assert [row["number"] for row in rows] == list(range(COUNTS[name]))
    assert faults_of(rows) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", MOUNTING)
def test_a_few_disks_hold(bpy, rows_of, tmp_path, name):
    mount = shutil.which("mount")
    (tmp_path / "disk").mkdir()
    asked = [mount or "mount", "-t", "tmpfs", "tmpfs", str(tmp_path / "disk")]
    if mount is None or subprocess.run(asked, check=False, capture_output=True).returncode:
        pytest.skip("file systems may not be mounted here")
    subprocess.run(["umount", str(tmp_path / "disk")], check=True)
    assert faults_of(rows_of(name, MOUNTING[name])) == []


@pytest.mark.slow
def test_a_tenth_of_the_odd_meshes_holds_and_valid_ones_are_baked(rows_of):
    rows = rows_of("meshes", MESHES)
    assert len(rows) == MESHES
    assert faults_of(rows) == []
    # they come in blocks of jelly and of cloth
    for first in range(0, MESHES, 250):
        valid = [row["kind"] for row in rows[first : first + 250] if row["kind"].startswith("valid")]
        assert len(valid) > 80
        assert valid.count("valid, baked") >= 0.95 * len(valid)


def test_every_oddity_is_met_and_seeds_repeat():
    met = {oddity for seed in range(300) for oddity in odd_mesh(seed).oddities}
    assert met == {name for name, _, _ in ODDITIES}
    assert odd_mesh(7).polygons == odd_mesh(7).polygons
    assert odd_mesh(7).positions.tobytes() == odd_mesh(7).positions.tobytes()


def test_a_tenth_is_tried_here():
    counts = {**COUNTS, **MOUNTING, "meshes": MESHES}
    # those need a window: tests/application
    elsewhere = {"windows"}
    assert {part.name for part in PARTS} == {*counts, *elsewhere}
    assert [part.name for part in PARTS if part.name in counts and counts[part.name] < 0.1 * part.count] == []


def test_what_was_tried_is_not_tried_again(tmp_path, monkeypatch):
    path = tmp_path / "rounds.jsonl"
    for number in (0, 1):
        append_row(path, {"number": number, "kind": "before", "faults": [], "figures": {}, "seconds": 0.0})
    # a kill has torn the last one
    path.write_text(path.read_text() + '{"number": 2, "ki')
    started = []

    def child(part, numbers, path):
        started.extend(numbers)
        for number in numbers:
            append_row(path, {"number": number, "kind": "now", "faults": [], "figures": {}, "seconds": 0.0})
        return True

    monkeypatch.setattr(running, "_run_child", child)
    run_part(part_by_name("rounds"), 2, path)
    assert started == []
    assert [row["kind"] for row in read_rows(path)] == ["before", "before"]


def test_a_crash_and_a_hang_are_results(tmp_path, monkeypatch):
    script = """
import os, sys, time
number = int(sys.argv[1])
os.write(int(os.environ["TRIALS_PIPE"]), f"{number}\\n".encode())
os.kill(os.getpid(), 11) if number == 0 else time.sleep(60)
"""
    popen = subprocess.Popen

    def start(command, **values):
        return popen([sys.executable, "-c", script, command[4]], **values)

    monkeypatch.setattr(running.subprocess, "Popen", start)
    monkeypatch.setattr(running, "tree", lambda: "unknown")
    part = Part("none", "", 2, lambda _number, _folder: Outcome(""), limit=2.0)
    rows = run_part(part, 2, tmp_path / "none.jsonl")
    assert [row["faults"] for row in rows] == [[f"crashed with status {-signal.SIGSEGV}"], ["hangs after 2 s"]]


def test_a_process_that_ends_before_its_first_trial_ends_the_part(tmp_path, monkeypatch):
    popen = subprocess.Popen
    started = []

    def start(_command, **values):
        started.append(1)
        if len(started) > 3:
            pytest.fail("it is started for ever")
        return popen([sys.executable, "-c", "raise SystemExit(7)"], **values)

    monkeypatch.setattr(running.subprocess, "Popen", start)
    monkeypatch.setattr(running, "tree", lambda: "unknown")
    part = Part("none", "", 2, lambda _number, _folder: Outcome(""), limit=2.0)
    rows = run_part(part, 2, tmp_path / "none.jsonl")
    assert [(row["number"], row["faults"]) for row in rows] == [(0, ["crashed with status 7"])]
    assert len(started) == 1


def test_a_kill_that_comes_too_late_meets_no_bake(bpy, tmp_path):
    from trials.living_bake import BakingBlender

    blender = BakingBlender()
    try:
        blender.make("cloth")
        blender.begin(tmp_path / "cache", 0.0)
        worker = None
        while worker is None and not blender.has_ended():
            worker = blender.worker()
        frozen = blender.freeze("both")
        assert len(frozen) == 2
        assert worker in frozen
        blender.thaw(frozen)
        assert (blender.end() or {})["code"] == ""
        assert [blender.freeze(victim) for victim in ("worker", "Blender", "both")] == [None, None, None]
        assert blender.is_alive
    finally:
        blender.kill()


@pytest.mark.slow
def test_every_kill_met_a_bake_that_lived(bpy, rows_of):
    rows = rows_of("kills", COUNTS["kills"])
    assert faults_of(rows) == []
    for row in rows:
        assert sum(count for what, count in row["counts"].items() if what.startswith("killed: ")) >= 1


def test_what_a_part_lacks_is_told_and_it_is_skipped(tmp_path, monkeypatch, capsys):
    from trials import __main__ as command

    monkeypatch.delenv("XPBD_BLENDER_APP", raising=False)
    monkeypatch.setattr(command, "run_part", lambda *_: pytest.fail("it is run"))
    monkeypatch.setattr(sys, "argv", ["reliability", "windows", "--folder", str(tmp_path)])
    assert command.main() == 0
    assert "windows: skipped, XPBD_BLENDER_APP names no Blender" in capsys.readouterr().out


@pytest.mark.parametrize(("status", "faults"), [(-signal.SIGSEGV, 1), (ExitCode.REFUSED, 0), (ExitCode.COMPLETE, 0)])
def test_a_worker_that_a_hostile_folder_crashes_is_a_fault(tmp_path, monkeypatch, status, faults):
    from trials import hostile

    monkeypatch.setattr(hostile, "_baseline", [0])
    monkeypatch.setattr(hostile, "_run", lambda _job: (int(status), 0))
    assert len(hostile.open_hostile_folder(0, tmp_path).faults) == faults


@pytest.mark.parametrize(("refused", "status"), [(1, 0), (2, 1)])
def test_too_few_valid_meshes_that_are_baked_are_a_fault(tmp_path, monkeypatch, capsys, refused, status):
    from trials import __main__ as command

    kinds = ["valid, refused (E_TET_VOLUME)"] * refused + ["valid, baked"] * (20 - refused) + ["invalid, baked"] * 50
    for number, kind in enumerate(kinds):
        row = {"number": number, "kind": kind, "faults": [], "figures": {}, "seconds": 0.0}
        append_row(tmp_path / "meshes.jsonl", row)
    monkeypatch.setattr(sys, "argv", ["reliability", "--only-report", "--folder", str(tmp_path)])
    assert command.main() == status
    told = capsys.readouterr().out
    assert f"valid ones that were baked: {100 - 5 * refused}.00 %" in told
    assert ("less than 95 %" in told) == bool(status)


def test_rows_tell_the_tree_and_the_time_of_the_processor(rows_of):
    (row,) = rows_of("presets", 1)
    assert re.fullmatch(r"[0-9a-f]{7,} of \d{4}-\d\d-\d\d(, changed)?", row["tree"])
    assert row["cpu"] > 0.0


def test_the_table_stands_between_its_marks(tmp_path, monkeypatch):
    document = tmp_path / "page.md"
    kept = f"| {PARTS[1].name} | of an earlier run | 5 |"
    document.write_text(f"before\n{report.BEGIN}former words\n| gone | 3 |\n{kept}\n{report.END}after\n")
    monkeypatch.setattr(report, "DOCUMENT", document)
    rows = [
        {"number": 0, "kind": "fine", "faults": [], "figures": {"MB": 3.0}, "counts": {"acts": 7}, "seconds": 1.5},
        {"number": 1, "kind": "bad", "faults": ["torn"], "figures": {"MB": 5.0}, "counts": {"acts": 4}, "seconds": 0.5},
    ]
    rows[1] |= {"cpu": 0.3, "tree": "0123abcd of 2026-01-02"}
    report.write_table([(PARTS[0], rows)], PARTS)
    text = document.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    ended = "bad: 1; fine: 1; acts: 11; greatest MB: 5; longest by the clock: 1.5 s; most time of the processor: 0.3 s"
    assert f"| 2 | 200 | {ended} | 1 | 0123abcd of 2026-01-02, unknown |" in text
    assert "former words" not in text
    assert "gone" not in text
    assert text.index(f"| {PARTS[0].name} |") < text.index(kept)
