# SPDX-License-Identifier: GPL-3.0-or-later
"""The worker as a process."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time

import numpy as np
import pytest

from blender_xpbd.jobs.job import write_job
from blender_xpbd.jobs.status import read_status
from blender_xpbd.scene.body import Body
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange, SolverSettings


@pytest.fixture
def job(tmp_path):
    def make(frames=5):
        points = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], np.float64)
        body = Body("b0", "Quad", "CLOTH", points, np.array([4], np.int32), np.arange(4, dtype=np.int32))
        return write_job(tmp_path / "cache", Scene((body,), (), FrameRange(1, frames), SolverSettings(substeps=2)))

    return make


@pytest.fixture
def python(bpy):
    from blender_xpbd.addon.process.worker_python import WorkerPython, worker_environment

    return lambda: WorkerPython(sys.executable, "3.11", worker_environment([]))


def wait(worker, seconds=60.0):
    limit = time.monotonic() + seconds
    while not worker.poll():
        assert time.monotonic() < limit
        time.sleep(0.01)


def test_the_worker_starts_from_a_folder_of_any_name(python, job, tmp_path, monkeypatch):
    """As an extension, beside other people's, and not importable by its path."""
    from blender_xpbd.addon.process import worker_command

    folder = tmp_path / "user default" / "xpbd-physics"
    shutil.copytree(worker_command.PACKAGE_FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__", "addon"))
    (folder.parent / "numpy").mkdir()
    (folder.parent / "numpy" / "__init__.py").write_text("raise ImportError('not numpy')")
    monkeypatch.setattr(worker_command, "PACKAGE_FOLDER", folder)
    command = worker_command.worker_command(python(), job())
    command[-2:] = ["--help"]
    done = subprocess.run(command, env=dict(python().environment), capture_output=True, text=True, check=True)
    assert "job.json" in done.stdout


def test_cancel_leaves_a_resumable_job(python, job, fake_worker):
    from blender_xpbd.addon.process.worker_process import WorkerProcess

    fake_worker(seconds=0.01)
    folder = job(frames=10_000)
    worker = WorkerProcess(python(), folder)
    limit = time.monotonic() + 20
    while (status := worker.status()) is None or status.frames_done < 3:
        assert not worker.poll()
        assert time.monotonic() < limit
        time.sleep(0.01)
    start = time.monotonic()
    worker.cancel()
    # a second on a quiet machine; the job itself takes a hundred
    assert time.monotonic() - start < 15.0
    assert read_status(folder).state == "INTERRUPTED"
    with pytest.raises(XpbdError, match="E_INTERRUPTED"):
        worker.poll()


def test_words_of_another_worker_are_not_taken_for_its_own(python, job, fake_worker):
    from blender_xpbd.addon.process.worker_process import WorkerProcess

    folder = job()
    first = WorkerProcess(python(), folder)
    wait(first)
    first.kill()
    fake_worker(seconds=1.0)
    second = WorkerProcess(python(), folder)
    assert read_status(folder).state == "COMPLETE"
    assert second.status() is None
    second.kill()


def test_a_python_that_is_not_there(python, job):
    from blender_xpbd.addon.process.worker_process import WorkerProcess
    from blender_xpbd.addon.process.worker_python import WorkerPython

    with pytest.raises(XpbdError, match="E_WORKER"):
        WorkerProcess(WorkerPython("/nowhere/python", "3.11", {}), job())


def test_a_crash_shows_the_end_of_the_log(python, job, fake_worker):
    from blender_xpbd.addon.process.worker_process import WorkerProcess

    fake_worker(crash_at=3)
    worker = WorkerProcess(python(), job())
    with pytest.raises(XpbdError, match="the last words") as caught:
        wait(worker)
    assert caught.value.code == "E_WORKER"
    assert "worker.log" in caught.value.message
    worker.kill()


@pytest.mark.parametrize(("words", "code", "starts"), [("MemoryError", "E_MEMORY", 1), ("KeyError", "E_WORKER", 2)])
def test_a_worker_without_memory_is_not_tried_again(python, job, tmp_path, monkeypatch, words, code, starts):
    """It has as little then; and kernels, which were emptied meanwhile, had nothing to do with it."""
    from blender_xpbd.addon.process import worker_process

    started = tmp_path / "started"
    script = f"open({str(started)!r}, 'a').write('x'); raise {words}"
    monkeypatch.setattr(worker_process, "worker_command", lambda python, _job: [python.executable, "-c", script])
    monkeypatch.delenv("XPBD_TAICHI_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kernels = tmp_path / "xpbd_physics" / "taichi"
    kernels.mkdir(parents=True)
    worker = worker_process.WorkerProcess(python(), job())
    with pytest.raises(XpbdError) as caught:
        wait(worker)
    worker.kill()
    assert caught.value.code == code
    assert len(started.read_text()) == starts
    assert kernels.is_dir() == (starts == 1)


def test_what_every_worker_writes_is_no_last_word(bpy, tmp_path):
    from blender_xpbd.addon.process.worker_process import WorkerProcess

    (tmp_path / "worker.log").write_text("[Taichi] Starting on arch=x64\nBy material: 20 substeps.\nKeyError: 3\n")
    worker = object.__new__(WorkerProcess)
    worker._job, worker._log_start = tmp_path, 0
    assert worker.log_tail() == "KeyError: 3"
