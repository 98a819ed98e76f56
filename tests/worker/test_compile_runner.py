# SPDX-License-Identifier: GPL-3.0-or-later
"""The worker that compiles ahead of a bake: what it keeps, and how it can be ended."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from blender_xpbd.jobs.job import write_job
from blender_xpbd.scene.errors import ExitCode
from tests.worker.test_worker import falling_cloth, finish, frames_of, start

ROOT = Path(__file__).resolve().parents[2]
on_posix = pytest.mark.skipif(sys.platform == "win32", reason="the system ends processes in its own way there")


def kernels_in(folder):
    return {path.name for path in folder.glob("*.tic")}


@pytest.mark.parametrize("quality", ["FIXED", "AUTOMATIC"])
def test_a_bake_after_it_compiles_nothing(tmp_path, quality):
    scene = falling_cloth(frames=4, count=6, quality=quality, maximum_substeps=2)
    kernels = tmp_path / "kernels"
    ahead = write_job(tmp_path / "ahead", scene)
    assert finish(start(ahead, "--compile", kernels=kernels))[0] == ExitCode.COMPLETE
    compiled = kernels_in(kernels)
    assert compiled
    assert list(frames_of(ahead)[0]) == [1], "what is simulated for its kernels is not published"
    assert finish(start(write_job(tmp_path / "bake", scene), kernels=kernels))[0] == ExitCode.COMPLETE
    assert kernels_in(kernels) == compiled
    assert not (kernels / "ticache.lock").exists()


@pytest.mark.parametrize("way", ["terminated", "input closed"])
def test_it_ends_when_it_is_told_and_leaves_no_lock(tmp_path, way):
    kernels = tmp_path / "kernels"
    job = write_job(tmp_path / "ahead", falling_cloth())
    with start(job, "--compile", "--stop-at-end-of-input", kernels=kernels) as process:
        # Taichi is started when its folder is there; by then it compiles, or is about to
        limit = time.monotonic() + 60.0
        while not kernels.is_dir() and time.monotonic() < limit:
            time.sleep(0.01)
        time.sleep(0.3)
        if way == "terminated":
            process.terminate()
        else:
            process.stdin.close()
        process.wait(60.0)
    assert process.returncode != ExitCode.COMPLETE
    assert not (kernels / "ticache.lock").exists()


HELD = """
import os, signal, sys, time
from blender_xpbd.worker.sudden_end import SuddenEnd
end = SuddenEnd()
end.watch(sys.stdin.fileno())
with end.held_off():
    print("held", flush=True)
    time.sleep(1.0)
print("free", flush=True)
time.sleep(60.0)
"""


@on_posix
@pytest.mark.parametrize("way", ["signal", "input"])
def test_nothing_ends_it_while_it_is_held_off(way):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", HELD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout.readline() == "held\n"
        if way == "signal":
            process.send_signal(signal.SIGTERM)
        else:
            process.stdin.close()
        time.sleep(0.3)
        assert process.poll() is None
        # in the middle of what takes a minute
        assert process.wait(30.0) == ExitCode.INTERRUPTED


@on_posix
def test_the_system_ends_it_where_nothing_is_held_off():
    """A compiler lets no Python run: neither a thread nor a handler of signals would hear it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", HELD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert [process.stdout.readline() for _ in range(2)] == ["held\n", "free\n"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(30.0) == -signal.SIGTERM
