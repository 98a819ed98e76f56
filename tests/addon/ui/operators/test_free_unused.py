# SPDX-License-Identifier: GPL-3.0-or-later
"""The button that makes room on the disk."""

from __future__ import annotations

import contextlib
import gzip
import importlib
import json
import os
import re
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest


def test_only_what_no_object_uses_goes(bpy, make_body, fake_worker, tmp_path):
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    body = make_body()
    scene = bpy.context.scene
    scene.xpbd.cache_directory = str(tmp_path / "cache")
    wishes = BakeOptions(frame_start=1, frame_end=5, substeps=4)
    first = run_bake(bpy.context, wishes)
    body.xpbd.friction = 0.77
    second = run_bake(bpy.context, wishes)
    assert first.cache != second.cache
    assert second.cache_bytes > first.cache_bytes > 0
    assert bpy.ops.xpbd.free_unused() == {"FINISHED"}
    assert not Path(first.cache).exists()
    assert Path(second.cache).is_dir()
    # the panel shows it
    left = sum(path.stat().st_size for path in (tmp_path / "cache").rglob("*") if path.is_file())
    report = json.loads(scene.xpbd.report)
    assert report["cache_bytes"] == left < second.cache_bytes
    assert report["frames"] == 5
    assert run_bake(bpy.context, wishes).from_cache


def test_an_empty_cache_is_no_fault(bpy, tmp_path):
    bpy.context.scene.xpbd.cache_directory = str(tmp_path / "none")
    assert bpy.ops.xpbd.free_unused() == {"FINISHED"}


def question(bpy):
    from blender_xpbd.addon.ui.operators.free_unused import XPBD_OT_free_unused

    manager = SimpleNamespace(invoke_confirm=lambda _operator, _event, message: message)
    return XPBD_OT_free_unused.invoke(None, SimpleNamespace(scene=bpy.context.scene, window_manager=manager), None)


def test_the_question_names_what_is_deleted(bpy, tmp_path):
    from blender_xpbd.addon.process.cache_folder import cache_folder

    scene = bpy.context.scene
    for chosen in ("", "//mine"):
        scene.xpbd.cache_directory = chosen
        folder = cache_folder(scene)[0]
        assert folder.parent.name == "unsaved"
        assert str(folder) in question(bpy)
        assert "month" not in question(bpy)
        assert "beside" not in question(bpy)
        assert "//mine" not in question(bpy)
    scene.xpbd.cache_directory = str(tmp_path / "far")
    assert str(tmp_path / "far") in question(bpy)
    assert "month" not in question(bpy)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    for chosen, folder in (("", tmp_path / "xpbd_cache" / "scene" / "Scene"), ("//mine", tmp_path / "mine")):
        scene.xpbd.cache_directory = chosen
        assert str(folder) in question(bpy)
        assert "or those beside it" in question(bpy)
        assert "month" not in question(bpy)
    forgotten = cache_folder_of_another(bpy)
    assert "month-old bakes of other files that were never saved" in question(bpy)
    forgotten.rmdir()
    assert "month" not in question(bpy)


def cache_folder_of_another(bpy):
    """The folder of a file that was never saved, in which nothing has happened for more than a month."""
    from blender_xpbd.addon.process.cache_folder import FORGOTTEN_SECONDS
    from blender_xpbd.addon.process.worker_python import user_cache

    folder = user_cache() / "unsaved" / "Scene-0123456789abcdef"
    folder.mkdir(parents=True)
    age = time.time() - FORGOTTEN_SECONDS - 60.0
    os.utime(folder, (age, age))
    return folder


def bake_of(bpy):
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    return run_bake(bpy.context, BakeOptions(frame_start=1, frame_end=5, substeps=4))


@pytest.mark.parametrize("compress", [False, True])
def test_what_a_copy_beside_the_file_shows_stays(bpy, make_body, fake_worker, tmp_path, compress):
    """The system has copied the file, so both have the same cache and the same id."""
    body = make_body()
    first = tmp_path / "a.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(first), compress=compress)
    job = Path(bake_of(bpy).cache)
    bpy.ops.wm.save_mainfile(compress=compress)
    shutil.copy(first, tmp_path / "b.blend")
    bpy.ops.xpbd.clear(all=True)
    body.xpbd.friction = 0.77
    other = Path(bake_of(bpy).cache)
    assert other.parent == job.parent
    bpy.ops.xpbd.clear(all=True)
    assert bpy.ops.xpbd.free_unused() == {"FINISHED"}
    assert (job.is_dir(), other.exists()) == (True, False)
    (tmp_path / "b.blend").unlink()
    assert bpy.ops.xpbd.free_unused() == {"FINISHED"}
    assert not job.exists()


def test_what_a_file_may_name_that_cannot_be_looked_into_stays(bpy, make_body, fake_worker, tmp_path, capfd):
    body = make_body()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    jobs = [Path(bake_of(bpy).cache)]
    body.xpbd.friction = 0.77
    jobs.append(Path(bake_of(bpy).cache))
    bpy.ops.xpbd.clear(all=True)
    torn = tmp_path / "b.blend"
    torn.write_bytes(b"\x28\xb5\x2f\xfd torn")
    # times say nothing: whoever copies a folder may give each file the present one
    os.utime(torn, (1e9, 1e9))
    assert bpy.ops.xpbd.free_unused() == {"FINISHED"}
    assert all(job.is_dir() for job in jobs)
    assert re.search(r"b\.blend cannot be looked into.*\(E_IO\)", capfd.readouterr().out)


def test_a_file_that_was_saved_frees_what_others_have_forgotten(bpy, make_body, fake_worker, tmp_path):
    make_body()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    forgotten = cache_folder_of_another(bpy)
    assert bpy.ops.xpbd.free_unused() == {"FINISHED"}
    assert not forgotten.exists()


def test_a_name_between_two_pieces_is_seen(tmp_path, monkeypatch):
    from blender_xpbd.addon.process import named_jobs

    name = "0123456789abcdef" * 8
    name = name[: named_jobs.FOLDER_NAME_LENGTH]
    file = tmp_path / "a.blend"
    for length in range(1, 80):
        file.write_bytes(b"x" * length + f'{{"job": "{name}", "more": 1}}'.encode())
        monkeypatch.setattr(named_jobs, "_PIECE", 40)
        assert named_jobs.jobs_named_in(file) == {name}
    file.write_bytes(b"")
    assert named_jobs.jobs_named_in(file) == set()


JOB = "0123456789abcdef01234567"


def cache_of(tmp_path, file, frames, *, is_whole=True):
    """The cache of a file, with a job of so many frames."""
    from blender_xpbd.addon.process.cache_owner import Owner, new_identity, write_owner

    cache = tmp_path / "xpbd_cache" / file / "Scene"
    (cache / JOB / "frames").mkdir(parents=True)
    for number in range(frames):
        (cache / JOB / "frames" / f"{number}.npy").touch()
    if is_whole:
        (cache / JOB / "job.json").touch()
    write_owner(cache, Owner(new_identity(), f"{file}.blend", "Scene", is_saved=True))
    return cache


@pytest.mark.parametrize(
    ("frames", "is_whole", "is_kept"), [(5, True, False), (3, True, True), (5, False, True), (0, False, True)]
)
def test_what_another_file_has_in_part_alone_stays(bpy, tmp_path, frames, is_whole, is_kept):
    """It was handed on before the bake went on, or the disk was full then."""
    from blender_xpbd.addon.process.named_jobs import jobs_named_beside

    mine = cache_of(tmp_path, "a", 5)
    cache_of(tmp_path, "b", frames, is_whole=is_whole)
    (tmp_path / "b.blend").write_text(f'{{"job": "{JOB}", "more": 1}}')
    caches = tmp_path / "xpbd_cache"
    assert jobs_named_beside(tmp_path / "a.blend", caches, mine) == ({JOB} if is_kept else set(), [])
    # in a folder that both have chosen another file looks for nothing in its own
    assert jobs_named_beside(tmp_path / "a.blend", caches, tmp_path / "chosen") == ({JOB}, [])


def test_what_stands_beside_the_file_is_looked_into_as_far_as_it_is_a_file(bpy, tmp_path):
    from blender_xpbd.addon.process import named_jobs

    (tmp_path / "elsewhere").write_text(f'{{"job": "{JOB}", "more": 1}}')
    (tmp_path / "linked.blend").symlink_to("elsewhere")
    (tmp_path / "nowhere.blend").symlink_to("none")
    (tmp_path / "endless.blend").symlink_to("/dev/zero")
    (tmp_path / "folder.blend").mkdir()
    os.mkfifo(tmp_path / "pipe.blend")
    found = named_jobs.jobs_named_beside(tmp_path / "a.blend", tmp_path / "xpbd_cache", tmp_path / "xpbd_cache" / "a")
    assert found == ({JOB}, [])


def test_what_is_unpacked_without_end_is_not_looked_into(bpy, tmp_path, monkeypatch):
    from blender_xpbd.addon.process import named_jobs
    from blender_xpbd.scene.errors import XpbdError

    monkeypatch.setattr(named_jobs, "_LARGEST_SMALL", 2**20)
    file = tmp_path / "a.blend"
    file.write_bytes(gzip.compress(bytes(2**23)))
    with pytest.raises(XpbdError, match="far more than it has"):
        named_jobs.jobs_named_in(file)


def test_nothing_is_unpacked_by_a_module_that_lies_in_the_current_folder(bpy, tmp_path, monkeypatch):
    from blender_xpbd.addon.process import named_jobs
    from blender_xpbd.scene.errors import XpbdError

    for name in ("compression/__init__", "compression/zstd", "zstandard"):
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"open({str(tmp_path / 'executed')!r}, 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), ".", *sys.path])
    monkeypatch.delitem(sys.modules, "zstandard", raising=False)
    importlib.invalidate_caches()
    file = tmp_path / "a.blend"
    # one frame that holds one letter
    file.write_bytes(b"\x28\xb5\x2f\xfd\x20\x01\x09\x00\x00x")
    with contextlib.suppress(XpbdError):
        # where there is no library to unpack it that is told
        assert named_jobs.jobs_named_in(file) == set()
    assert not (tmp_path / "executed").exists()


def test_what_another_blender_has_saved_in_the_same_file_stays(bpy, make_body, fake_worker, tmp_path):
    """Both have the file open; this one knows of its own bakes alone."""
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    body = make_body()
    file = tmp_path / "shared.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(file))
    wishes = BakeOptions(frame_start=1, frame_end=5, substeps=4)
    first = Path(run_bake(bpy.context, wishes).cache)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "theirs"), copy=True)
    body.xpbd.friction = 0.77
    second = Path(run_bake(bpy.context, wishes).cache)
    assert first != second
    bpy.ops.wm.save_mainfile()
    # the other one saves what it shows under the same name
    (tmp_path / "theirs").replace(file)
    assert "another Blender" in question(bpy)
    assert bpy.ops.xpbd.free_unused() == {"FINISHED"}
    assert first.is_dir()
    assert second.is_dir()
    bpy.ops.wm.save_mainfile()
    assert bpy.ops.xpbd.free_unused() == {"FINISHED"}
    assert not first.exists()
    assert second.is_dir()


@pytest.mark.parametrize("time_seen", [None, 1])
def test_what_the_file_on_the_disk_shows_stays_where_nobody_knows_who_saved_it(
    bpy, make_body, fake_worker, tmp_path, monkeypatch, time_seen
):
    """The add-on was switched on later, or Blender has recovered the file after a crash."""
    from blender_xpbd.addon.process import cache_moving

    body = make_body()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    first = Path(bake_of(bpy).cache)
    bpy.ops.wm.save_mainfile()
    body.xpbd.friction = 0.77
    bake_of(bpy)
    monkeypatch.setattr(cache_moving, "_seen", time_seen)
    assert bpy.ops.xpbd.free_unused() == {"FINISHED"}
    assert first.is_dir()


def test_a_played_run_that_a_copy_shows_stays_though_the_copy_has_a_bake_of_its_name(
    bpy, make_body, fake_worker, tmp_path
):
    """No bake of the same inputs makes up for what a hand has moved."""
    from blender_xpbd.addon.data.bake_record import read_record

    body = make_body()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    job = Path(bake_of(bpy).cache)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "b.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "b.blend"))
    (body,) = (obj for obj in bpy.context.scene.objects if obj.xpbd.bake_record)
    session = job.parent / f"played_{'ab' * 6}"
    session.mkdir()
    job.rename(session / job.name)
    record = read_record(body)
    assert record is not None
    replace(record, folder=str(session)).store(body)
    # as the system copies it: nothing is brought along
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "copy"), copy=True)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))
    (tmp_path / "copy").replace(tmp_path / "b.blend")
    bpy.ops.xpbd.clear(all=True)
    assert bpy.ops.xpbd.free_unused() == {"FINISHED"}
    assert (session / job.name).is_dir()
