# SPDX-License-Identifier: GPL-3.0-or-later
"""The worker that is started ahead, as the add-on keeps it."""

from __future__ import annotations

import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from blender_xpbd.jobs.job import write_job
from blender_xpbd.scene.body import Body
from blender_xpbd.scene.collider import Collider
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

    def take_one(python, kernels=""):
        if (waiting := waiting_worker.take(python, kernels)) is not None:
            taken.append(waiting)
        return waiting

    yield take_one
    for waiting in taken:
        if waiting.process.poll() is None:
            waiting.kill()
        waiting.process.stdin.close()


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
    assert worker.pid == taken.process.pid
    with pytest.raises(XpbdError, match="E_JOB"):
        wait(worker)
    assert "E_JOB" in worker.log_tail()
    worker.kill()


def test_one_is_enough(waiting_worker, take, python):
    waiting_worker.start(python)
    waiting_worker.start(python)
    first = take(python)
    waiting_worker.start(python)
    assert take(python).process.pid != first.process.pid


def test_another_python_needs_another(waiting_worker, take, python):
    other = replace(python, environment={**python.environment, "XPBD_TAICHI_CACHE": "/elsewhere"})
    waiting_worker.start(python)
    assert take(other) is None
    assert take(python) is not None


def test_one_that_will_soon_end_is_not_taken(waiting_worker, take, python, monkeypatch):
    from blender_xpbd.addon.process import waiting_process

    waiting_worker.start(python)
    monkeypatch.setattr(waiting_process, "WAIT_SECONDS", 30.0)
    assert take(python) is None


def test_one_that_has_died_costs_nothing(waiting_worker, take, python, job, fake_worker):
    from blender_xpbd.addon.process.worker_process import WorkerProcess

    waiting_worker.start(python)
    taken = take(python)
    taken.process.kill()
    taken.process.wait()
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


@pytest.fixture
def jobs(tmp_path):
    """Makes jobs of a quad that differ in how often it is solved, and not in their kernels."""

    def make(substeps, frames=5, height=1.0):
        points = np.array([(0, 0, height), (1, 0, height), (1, 1, height), (0, 1, height)], np.float64)
        body = Body("b0", "Quad", "CLOTH", points, np.array([4], np.int32), np.arange(4, dtype=np.int32))
        scene = Scene((body,), (), FrameRange(1, frames), SolverSettings(substeps=substeps))
        return write_job(tmp_path / f"cache{substeps}", scene)

    return make


def baked(python, job, waiting):
    """A worker that has baked a job, or waits for another one."""
    from blender_xpbd.addon.process.worker_process import WorkerProcess

    worker = WorkerProcess(python, job, waiting)
    wait(worker)
    assert worker.status().state == "COMPLETE"
    return worker


def frames_of(job):
    return [path.read_bytes() for path in sorted((job / "frames").iterdir())]


def with_kernels_kept(waiting_worker, python, jobs):
    """See that kernels of the jobs are in the cache: a worker that compiles some ends."""
    waiting_worker.start(python)
    worker = baked(python, jobs(1), waiting_worker.take(python))
    waiting = worker.let_go()
    if waiting is not None:
        waiting.kill()


def test_after_a_job_it_waits_for_the_next_with_its_kernels_and_gives_the_same_bytes(
    waiting_worker, take, python, jobs
):
    with_kernels_kept(waiting_worker, python, jobs)
    waiting_worker.start(python)
    first = baked(python, jobs(2), take(python))
    waiting = first.let_go()
    assert waiting is not None
    waiting_worker.give_back(waiting, "quads")
    assert not waiting_worker.wants(python, "quads")
    assert waiting_worker.wants(python, "others")
    again = take(python)
    assert again is waiting
    second = baked(python, jobs(3), again)
    assert second.pid == first.pid
    assert second.status().seconds["start"] < 0.02, "Taichi was started anew"
    assert second.let_go() is waiting
    # by processes of their own
    expected = {}
    for substeps in (2, 3):
        expected[substeps] = frames_of(jobs(substeps))
        for path in (jobs(substeps) / "frames").iterdir():
            path.unlink()
        (jobs(substeps) / "status.json").unlink()
        baked(python, jobs(substeps), None).kill()
    assert {substeps: frames_of(jobs(substeps)) for substeps in (2, 3)} == expected


def test_what_it_said_of_the_run_before_is_not_taken_for_this_one(waiting_worker, take, python, jobs):
    from blender_xpbd.addon.process.worker_process import WorkerProcess

    with_kernels_kept(waiting_worker, python, jobs)
    waiting_worker.start(python)
    job = jobs(2)
    waiting_worker.give_back(baked(python, job, take(python)).let_go(), "quads")
    kept = frames_of(job)
    for path in (job / "frames").iterdir():
        path.unlink()
    worker = WorkerProcess(python, job, take(python))
    seen = []
    while not worker.poll():
        status = worker.status()
        seen.append(status.state if status is not None else None)
        time.sleep(0.0005)
    assert seen[0] != "COMPLETE"
    assert frames_of(job) == kept
    assert worker.let_go() is not None


def test_it_holds_neither_the_lock_nor_the_log_of_a_job_that_is_done(waiting_worker, take, python, jobs):
    from blender_xpbd.jobs.lock import JobLock

    with_kernels_kept(waiting_worker, python, jobs)
    waiting_worker.start(python)
    job = jobs(2)
    waiting = baked(python, job, take(python)).let_go()
    with JobLock(job):
        pass
    if sys.platform.startswith("linux"):
        held = [path.resolve() for path in Path(f"/proc/{waiting.process.pid}/fd").iterdir()]
        assert [path for path in held if job in path.parents] == []


def test_a_job_that_fails_ends_it(waiting_worker, take, python, jobs):
    from blender_xpbd.addon.process.worker_process import WorkerProcess

    with_kernels_kept(waiting_worker, python, jobs)
    waiting_worker.start(python)
    waiting_worker.give_back(baked(python, jobs(2), take(python)).let_go(), "quads")
    job = jobs(3)
    (job / "job.json").write_text("{")
    worker = WorkerProcess(python, job, take(python))
    with pytest.raises(XpbdError, match="E_JOB"):
        wait(worker)
    assert worker.let_go() is None


def test_after_a_cancel_it_waits_for_the_next_job(waiting_worker, take, python, jobs):
    from blender_xpbd.addon.process.worker_process import WorkerProcess

    with_kernels_kept(waiting_worker, python, jobs)
    waiting_worker.start(python)
    first = WorkerProcess(python, jobs(7, frames=100_000), take(python))
    while (status := first.status()) is None or status.frames_done < 3:
        assert not first.poll()
        time.sleep(0.005)
    first.cancel(20.0)
    assert first.status().state == "INTERRUPTED"
    waiting = first.let_go()
    assert waiting is not None
    # a wish to stop that comes when nothing runs is for nothing
    waiting.stop_job()
    waiting_worker.give_back(waiting, "quads")
    second = baked(python, jobs(3), take(python))
    assert second.pid == first.pid
    assert second.let_go() is waiting


def test_a_cancel_that_takes_too_long_ends_it(waiting_worker, take, python, jobs):
    from blender_xpbd.addon.process.worker_process import WorkerProcess

    waiting_worker.start(python)
    waiting = take(python)
    # it still imports
    worker = WorkerProcess(python, jobs(7), waiting)
    worker.cancel(0.0)
    assert waiting.process.poll() is not None
    assert worker.let_go() is None


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_a_signal_ends_it_amid_a_job(waiting_worker, take, python, jobs):
    from blender_xpbd.addon.process.worker_process import WorkerProcess

    with_kernels_kept(waiting_worker, python, jobs)
    waiting_worker.start(python)
    waiting = take(python)
    worker = WorkerProcess(python, jobs(7, frames=100_000), waiting)
    while (status := worker.status()) is None or status.frames_done < 3:
        assert not worker.poll()
        time.sleep(0.005)
    waiting.process.terminate()
    with pytest.raises(XpbdError, match="E_INTERRUPTED"):
        wait(worker)
    assert worker.let_go() is None


def kept_one(waiting_worker, python, jobs):
    """A worker that waits again, with the kernels of the jobs loaded."""
    with_kernels_kept(waiting_worker, python, jobs)
    waiting_worker.start(python)
    waiting = baked(python, jobs(2), waiting_worker.take(python)).let_go()
    assert waiting is not None
    return waiting


def test_a_job_that_another_one_computes_ends_it(waiting_worker, python, jobs):
    from blender_xpbd.addon.process.worker_process import WorkerProcess
    from blender_xpbd.jobs.lock import JobLock

    waiting = kept_one(waiting_worker, python, jobs)
    job = jobs(3)
    with JobLock(job):
        worker = WorkerProcess(python, job, waiting)
        with pytest.raises(XpbdError, match="E_LOCKED"):
            wait(worker)
    assert worker.let_go() is None
    assert waiting.process.poll() is not None


def test_a_folder_that_is_deleted_once_all_is_done_is_told(waiting_worker, python, jobs):
    from blender_xpbd.addon.process.worker_process import WorkerProcess

    waiting = kept_one(waiting_worker, python, jobs)
    job = jobs(3)
    worker = WorkerProcess(python, job, waiting)
    limit = time.monotonic() + 60.0
    while not waiting.is_ready():
        assert time.monotonic() < limit
        time.sleep(0.01)
    shutil.rmtree(job)
    with pytest.raises(XpbdError, match=r"E_IO.*was deleted"):
        wait(worker)
    waiting.kill()


def test_one_that_ends_before_it_hears_of_the_job_costs_nothing(waiting_worker, python, jobs, fake_worker, monkeypatch):
    from blender_xpbd.addon.process import waiting_process
    from blender_xpbd.addon.process.worker_process import WorkerProcess

    monkeypatch.setattr(
        waiting_process, "waiting_command", lambda python, *_: [python.executable, "-c", "input(); input()"]
    )
    monkeypatch.setattr(WorkerProcess, "_empty_kernel_cache", lambda _worker: pytest.fail("nothing is wrong with it"))
    waiting = waiting_process.WaitingProcess.start(python)
    # the order is one line; the second one lets it end with status 0
    worker = WorkerProcess(python, jobs(2), waiting)
    waiting.stop_job()
    wait(worker)
    assert worker.pid != waiting.process.pid
    assert worker.status().state == "COMPLETE"
    worker.kill()


def test_kernels_that_others_have_compiled_meanwhile_are_found(waiting_worker, python, jobs, tmp_path):
    """Taichi reads its table once."""
    own = replace(python, environment={**python.environment, "XPBD_TAICHI_CACHE": str(tmp_path / "kernels")})
    waiting = kept_one(waiting_worker, own, jobs)
    # another scene: with a plane to fall on
    points = np.array([(0, 0, 0.01), (1, 0, 0.01), (1, 1, 0.01), (0, 1, 0.01)], np.float64)
    body = Body("b0", "Quad", "CLOTH", points, np.array([4], np.int32), np.arange(4, dtype=np.int32))
    floor = Collider("c0", "Floor", "PLANE", np.eye(4)[None])
    scene = Scene((body,), (floor,), FrameRange(1, 5), SolverSettings(substeps=2))
    baked(own, write_job(tmp_path / "other", scene), None).kill()
    compiled = {path.name for path in (tmp_path / "kernels").glob("*.tic")}
    worker = baked(own, write_job(tmp_path / "kept", scene), waiting)
    assert worker.let_go() is waiting, "it has compiled what was there"
    assert {path.name for path in (tmp_path / "kernels").glob("*.tic")} == compiled
    waiting.kill()


def test_one_that_compiled_what_it_should_load_takes_the_job(waiting_worker, take, python, jobs, tmp_path):
    own = replace(python, environment={**python.environment, "XPBD_TAICHI_CACHE": str(tmp_path / "kernels")})
    waiting_worker.start(own)
    ahead = jobs(2)
    assert waiting_worker.prepare(own, "quads", ahead)
    waiting = take(own, "quads")
    worker = baked(own, jobs(3), waiting)
    assert worker.pid == waiting.process.pid
    worker.kill()
    assert not ahead.parent.exists()


def test_it_loads_the_kernels_of_the_next_job(waiting_worker, take, python, jobs):
    with_kernels_kept(waiting_worker, python, jobs)
    waiting_worker.start(python)
    ahead = jobs(2)
    assert waiting_worker.wants(python, "quads")
    assert waiting_worker.prepare(python, "quads", ahead)
    assert not waiting_worker.wants(python, "quads")
    waiting = take(python, "quads")
    worker = baked(python, jobs(3), waiting)
    assert worker.pid == waiting.process.pid
    assert worker.status().seconds["start"] < 0.02, "Taichi was started anew"
    assert not waiting.is_loading()
    assert not ahead.parent.exists()


def test_one_that_loads_what_another_kind_of_scene_needs_is_ended(waiting_worker, take, python, jobs):
    waiting_worker.start(python)
    process = waiting_worker._waiting.process
    ahead = jobs(2)
    assert waiting_worker.prepare(python, "quads", ahead)
    assert not waiting_worker.wants(python, "others"), "one thing at a time"
    assert take(python, "others") is None
    assert process.poll() is not None
    assert not ahead.parent.exists()
