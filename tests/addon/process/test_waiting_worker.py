# SPDX-License-Identifier: GPL-3.0-or-later
"""The worker that is started ahead, as the add-on keeps it."""

from __future__ import annotations

import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.jobs.job import write_job
from blender_xpbd.scene.body import Body
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange, SolverSettings


@pytest.fixture
def waiting_worker(bpy):
    from blender_xpbd.addon.process import waiting_worker

    yield waiting_worker
    waiting_worker.stop()


@pytest.fixture
def take(waiting_worker):
    """Take the worker that waits; it ends with the test."""
    taken = []

    def take_one(python):
        if (process := waiting_worker.take(python)) is not None:
            taken.append(process)
        return process

    yield take_one
    for process in taken:
        process.kill()
        if not process.stdin.closed:
            process.communicate()


@pytest.fixture
def python(bpy):
    from blender_xpbd.addon.process.worker_python import WorkerPython, worker_environment

    return WorkerPython(sys.executable, "3.11", worker_environment([]))


@pytest.fixture
def job(tmp_path):
    points = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], np.float64)
    body = Body("b0", "Quad", "CLOTH", points, np.array([4], np.int32), np.arange(4, dtype=np.int32))
    return write_job(tmp_path / "cache", Scene((body,), (), FrameRange(1, 5), SolverSettings(substeps=2)))


def wait(worker, seconds=60.0):
    limit = time.monotonic() + seconds
    while not worker.poll():
        assert time.monotonic() < limit
        time.sleep(0.01)


def test_it_is_taken_once_and_computes_the_job(waiting_worker, take, python, job):
    from blender_xpbd.addon.process.worker_process import WorkerProcess

    waiting_worker.start(python)
    taken = take(python)
    assert taken is not None
    assert take(python) is None
    (job / "job.json").unlink()
    worker = WorkerProcess(python, job, taken)
    assert worker.pid == taken.pid
    with pytest.raises(XpbdError, match="E_JOB"):
        wait(worker)
    assert "E_JOB" in worker.log_tail()
    worker.kill()


def test_one_is_enough(waiting_worker, take, python):
    waiting_worker.start(python)
    waiting_worker.start(python)
    first = take(python)
    waiting_worker.start(python)
    assert take(python).pid != first.pid


def test_another_python_needs_another(waiting_worker, take, python):
    other = replace(python, environment={**python.environment, "XPBD_TAICHI_CACHE": "/elsewhere"})
    waiting_worker.start(python)
    assert take(other) is None
    assert take(python) is not None


def test_one_that_will_soon_end_is_not_taken(waiting_worker, take, python, monkeypatch):
    waiting_worker.start(python)
    monkeypatch.setattr(waiting_worker, "WAIT_SECONDS", 30.0)
    assert take(python) is None


def test_one_that_has_died_costs_nothing(waiting_worker, take, python, job, fake_worker):
    from blender_xpbd.addon.process.worker_process import WorkerProcess

    waiting_worker.start(python)
    taken = take(python)
    taken.kill()
    taken.wait()
    worker = WorkerProcess(python, job, taken)
    wait(worker)
    assert worker.status().state == "COMPLETE"
    worker.kill()


def test_disabling_the_add_on_ends_it(waiting_worker, python):
    import blender_xpbd

    waiting_worker.start(python)
    process = waiting_worker._waiting.process
    blender_xpbd.unregister()
    try:
        assert process.poll() is not None
    finally:
        blender_xpbd.register()


def test_nothing_is_started_without_a_window(bpy, waiting_worker, make_body):
    bpy.context.view_layer.objects.active = make_body(role="NONE")
    bpy.ops.xpbd.set_role(role="JELLY")
    assert waiting_worker._search is None
    assert waiting_worker._waiting is None


def test_the_search_goes_on_with_each_tick(waiting_worker, take, python, monkeypatch):
    def search():
        yield
        yield
        return python

    monkeypatch.setattr(waiting_worker, "_search", search())
    assert waiting_worker._tick() > 0.0
    assert waiting_worker._tick() > 0.0
    assert waiting_worker._waiting is None
    assert waiting_worker._tick() is None
    assert take(python) is not None


def test_a_search_in_vain_ends(waiting_worker, monkeypatch):
    def search():
        yield
        raise XpbdError("E_DEP", "None.")

    monkeypatch.setattr(waiting_worker, "_search", search())
    assert waiting_worker._tick() > 0.0
    assert waiting_worker._tick() is None
