# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes whose cache folder cannot be used, or stops to be: each is E_IO or E_CACHE with the path, and never a crash."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from blender_xpbd.jobs.job import write_job
from blender_xpbd.jobs.status import read_status
from blender_xpbd.scene.errors import XpbdError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits and mounts are those of Unix")


@pytest.fixture
def bake(bpy, make_body, tmp_path):
    """A function that bakes a body into tmp_path / "cache"."""
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    make_body()

    def call(on_progress=None, cache=tmp_path / "cache", **values):
        options = BakeOptions(**{"cache": cache, "frame_start": 1, "frame_end": 10, "substeps": 4, **values})
        return run_bake(bpy.context, options, on_progress)

    return call


@pytest.fixture
def real_worker(bpy, monkeypatch):
    """Bakes use the real worker."""
    from blender_xpbd.addon.baking import bake
    from blender_xpbd.addon.process.worker_python import WorkerPython, worker_environment

    def search(_preference=""):
        yield
        return WorkerPython(sys.executable, "3.11", worker_environment([]))

    monkeypatch.setattr(bake, "search_python", search)


@pytest.fixture
def full_disk(bpy, monkeypatch):
    """Processes of the worker may put no byte into any file, its log and its status among them."""
    from blender_xpbd.addon.process import worker_process

    def limit():
        command = worker_process.worker_command
        before = ["/bin/sh", "-c", 'ulimit -f 0; exec "$@"', "sh"]
        monkeypatch.setattr(worker_process, "worker_command", lambda python, job: [*before, *command(python, job)])

    return limit


def job_folder(cache):
    (folder,) = cache.iterdir()
    return folder


def report(bpy):
    return json.loads(bpy.context.scene.xpbd.report)


def test_a_disk_that_takes_nothing(bpy, bake, fake_worker, full_disk, tmp_path):
    full_disk()
    with pytest.raises(XpbdError, match="bytes are free") as caught:
        bake()
    assert caught.value.code == "E_IO"
    assert str(job_folder(tmp_path / "cache")) in caught.value.message
    assert report(bpy)["error"].startswith("E_IO")


def test_a_disk_that_takes_nothing_of_the_real_worker(bake, real_worker, full_disk):
    full_disk()
    with pytest.raises(XpbdError, match="bytes are free") as caught:
        bake()
    assert caught.value.code == "E_IO"


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 1 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if (
        mount is None
        or subprocess.run([mount, "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], check=False).returncode
    ):
        pytest.skip("file systems may not be mounted here")
    yield folder
    subprocess.run([shutil.which("umount") or "umount", str(folder)], check=True)


def test_a_disk_that_becomes_full(bpy, bake, fake_worker, small_disk):
    def fill(progress):
        if progress.frames_done < 3:
            return
        with contextlib.suppress(OSError), (small_disk / "filler").open("wb", buffering=0) as filler:
            while True:
                filler.write(bytes(4096))

    fake_worker(seconds=0.05)
    with pytest.raises(XpbdError) as caught:
        bake(fill, cache=small_disk / "cache", frame_end=1000)
    assert caught.value.code == "E_IO"
    assert str(small_disk) in caught.value.message
    assert report(bpy)["frames"] >= 2


def test_a_worker_that_is_killed_leaves_frames_and_no_blame_on_memory(bake, fake_worker):
    fake_worker(kill_at=4)
    with pytest.raises(XpbdError, match="was killed") as caught:
        bake()
    assert caught.value.code == "E_WORKER"


def prepared(bpy, tmp_path):
    """The job folder of the next bake, written but not computed."""
    from blender_xpbd.addon.baking.scene_reader import read_scene
    from blender_xpbd.addon.data.bake_options import BakeOptions

    steps = read_scene(bpy.context, BakeOptions(frame_start=1, frame_end=10, substeps=4))
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return write_job(tmp_path / "cache", end.value.scene)


def test_a_disk_that_is_read_only(bpy, bake, fake_worker, small_disk):
    """Whose jobs are all there, but not computed; and once they are, they can be baked from there."""
    folder = prepared(bpy, small_disk)
    remount = [shutil.which("mount") or "mount", "-o"]
    subprocess.run([*remount, "remount,ro", str(small_disk)], check=True)
    with pytest.raises(XpbdError, match="read-only") as caught:
        bake(cache=small_disk / "cache")
    assert caught.value.code == "E_IO"
    assert str(folder) in caught.value.message
    subprocess.run([*remount, "remount,rw", str(small_disk)], check=True)
    bake(cache=small_disk / "cache")
    subprocess.run([*remount, "remount,ro", str(small_disk)], check=True)
    assert bake(cache=small_disk / "cache").from_cache


@pytest.mark.parametrize("name", ["lock", "worker.log"])
def test_a_folder_where_a_file_should_be(bpy, bake, fake_worker, tmp_path, name):
    folder = prepared(bpy, tmp_path)
    (folder / name).mkdir()
    with pytest.raises(XpbdError, match="not a regular file; delete it") as caught:
        bake()
    assert caught.value.code == "E_CACHE"
    assert str(folder / name) in caught.value.message


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lock", "result.json", "checkpoint.bin", "status.json"])
def test_a_folder_where_a_file_of_the_real_worker_should_be(bpy, bake, real_worker, tmp_path, name):
    folder = prepared(bpy, tmp_path)
    (folder / name).mkdir()
    with pytest.raises(XpbdError) as caught:
        bake()
    assert caught.value.exit_code == 5
    assert str(folder / name) in caught.value.message


@pytest.mark.parametrize("name", ["frames", "arrays"])
def test_a_file_where_a_folder_should_be(bpy, bake, fake_worker, tmp_path, name):
    folder = prepared(bpy, tmp_path)
    if (folder / name).exists():
        shutil.rmtree(folder / name)
    (folder / name).touch()
    with pytest.raises(XpbdError) as caught:
        bake()
    assert caught.value.code == "E_IO"
    assert str(folder / name) in caught.value.message


def test_a_cache_deleted_before_the_worker_starts(bake, fake_worker, tmp_path, monkeypatch):
    from blender_xpbd.addon.process import waiting_worker

    monkeypatch.setattr(waiting_worker, "take", lambda *_: shutil.rmtree(tmp_path / "cache"))
    with pytest.raises(XpbdError, match=r"worker\.log") as caught:
        bake()
    assert caught.value.code == "E_IO"
    assert str(tmp_path / "cache") in caught.value.message


@pytest.mark.parametrize("frames_done", [0, 3])
def test_a_cache_deleted_during_the_bake(bpy, bake, fake_worker, tmp_path, frames_done):
    def delete(progress):
        if progress.stage != "READING" and progress.frames_done >= frames_done:
            shutil.rmtree(tmp_path / "cache", ignore_errors=True)

    fake_worker(seconds=0.05)
    with pytest.raises(XpbdError) as caught:
        bake(delete, frame_end=200)
    assert caught.value.code == "E_IO"
    assert str(tmp_path / "cache") in caught.value.message
    assert report(bpy)["frames_waiting"] == 0


def test_a_cache_deleted_while_the_real_worker_starts(bake, real_worker, tmp_path):
    def delete(progress):
        if progress.message == "Starting the solver":
            shutil.rmtree(tmp_path / "cache")

    with pytest.raises(XpbdError, match="was deleted") as caught:
        bake(delete)
    assert caught.value.code == "E_IO"
    assert str(tmp_path / "cache") in caught.value.message


@pytest.mark.parametrize("name", ["frames/frame_00000005.bin", "result.json"])
def test_a_file_deleted_during_the_bake_makes_it_no_complete_one(bpy, bake, fake_worker, tmp_path, name):
    def delete(progress):
        if progress.message == "Starting the solver":
            folder = job_folder(tmp_path / "cache")
            limit = time.monotonic() + 60.0
            while (status := read_status(folder)) is None or status.state != "COMPLETE":
                assert time.monotonic() < limit
                time.sleep(0.01)
            Path(folder / name).unlink()

    with pytest.raises(XpbdError, match="deleted") as caught:
        bake(delete)
    assert caught.value.code == "E_IO"
    assert not report(bpy)["complete"]
