# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile job folders before a real worker, and before the add-on that starts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from blender_xpbd.jobs.status import read_status
from blender_xpbd.scene.errors import XpbdError
from tests.jobs.hostile_folders import ATTACKS, DAMAGES, SUBSTITUTES, baked_job, replaced, within

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and limits of POSIX")

SECONDS = 180
# So that what does not fit into memory is the same everywhere
ADDRESS_SPACE = 16 * 2**30
# A worker with Taichi has some 300 MB
MOST_KILOBYTES = 1_000_000

WITH_A_WORKER = [name for name, attack in ATTACKS.items() if attack.exit_code is not None]


@pytest.fixture
def python(bpy):
    from blender_xpbd.addon.process.worker_python import WorkerPython, worker_environment

    return WorkerPython(sys.executable, "3.11", worker_environment([]))


@pytest.fixture
def outside(tmp_path):
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "victim").write_bytes(b"precious\n")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def memory_peak(pid: int) -> int:
    """Peak of memory of a process that runs [kB]; 0 where it has ended."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)


def wait(process):
    """Exit status of a process, and its peak of memory [kB] where the system tells it while it runs.

    What it tells at the end counts this process too, from which that one was forked.
    """
    limit, peak = time.monotonic() + SECONDS, 0
    while True:
        if sys.platform == "linux":
            peak = max(peak, memory_peak(process.pid))
        pid, status, _ = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, peak
        if time.monotonic() > limit:
            process.kill()
            process.wait()
            pytest.fail("the worker hangs")
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_A_WORKER)
def test_a_worker_ends_by_its_rules(name, python, tmp_path, outside):
    """Told over its input, so that it opens the log itself."""
    from blender_xpbd.addon.process.worker_command import waiting_command

    attack = ATTACKS[name]
    job = baked_job(tmp_path / "cache")
    attack.plant(job, outside)
    before = contents(outside)
    process = subprocess.Popen(
        ["sh", "-c", f'ulimit -v {ADDRESS_SPACE // 1024}; exec "$@"', "sh", *waiting_command(python, SECONDS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=dict(python.environment),
    )
    with process.stdin:
        process.stdin.write(json.dumps({"job": str(job)}).encode() + b"\n")
        process.stdin.flush()
        status, peak = wait(process)
    assert status == attack.exit_code
    assert contents(outside) == before
    assert peak < MOST_KILOBYTES
    if status == 0:
        assert read_status(job).state == "COMPLETE"


@pytest.mark.parametrize("what", ["a link", "a link to nothing yet", "a pipe", "a socket", "a folder"])
@pytest.mark.parametrize("is_waiting", [False, True])
def test_the_add_on_gives_no_worker_such_a_log(what, is_waiting, python, tmp_path, outside, fake_worker):
    from blender_xpbd.addon.process.waiting_process import WaitingProcess
    from blender_xpbd.addon.process.worker_process import WorkerProcess

    job = baked_job(tmp_path / "cache")
    replaced("worker.log", SUBSTITUTES[what])(job, outside)
    before = contents(outside)
    waiting = None
    if is_waiting:
        waiting = WaitingProcess.start(python)
    with within(SECONDS), pytest.raises(XpbdError, match=r"E_CACHE.*worker\.log"):
        WorkerProcess(python, job, waiting)
    assert waiting is None or waiting.process.poll() is not None, "a worker without a job is left"
    assert contents(outside) == before


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_torn_status_of_an_earlier_run_is_no_fault(damage, python, tmp_path, outside, fake_worker):
    """Not even before this run's worker has put its own in that place."""
    from blender_xpbd.addon.process.worker_process import WorkerProcess

    job = baked_job(tmp_path / "cache")
    replaced("status.json", DAMAGES[damage])(job, outside)
    fake_worker(seconds=0.02)
    worker = WorkerProcess(python, job)
    limit = time.monotonic() + SECONDS
    try:
        assert worker.status() is None
        while not worker.poll():
            assert time.monotonic() < limit
            time.sleep(0.005)
        assert worker.status().state == "COMPLETE"
    finally:
        worker.kill()


def test_what_a_blend_file_says_of_its_bake_may_be_anything(bpy):
    """The record and the report are texts in the file, read while panels are drawn."""
    from blender_xpbd.addon.baking.report_text import summary_of
    from blender_xpbd.addon.data.bake_record import read_record

    obj = bpy.data.objects.new("Quad", bpy.data.meshes.new("Quad"))
    for text in ("", "[" * 100_000, '{"version": ' * 50_000, "9" * 10_000, "[1]", "null"):
        obj.xpbd.bake_record = text
        assert read_record(obj) is None
        assert summary_of(text) == {}
