# SPDX-License-Identifier: GPL-3.0-or-later
"""The button that makes room on the disk."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
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
    before = Path(bake_of(bpy).cache)
    body.xpbd.friction = 0.77
    after = Path(bake_of(bpy).cache)
    bpy.ops.xpbd.clear(all=True)
    torn = tmp_path / "b.blend"
    torn.write_bytes(b"\x28\xb5\x2f\xfd torn")
    saved = (before / "job.json").stat().st_mtime
    os.utime(torn, (saved, saved))
    os.utime(after / "job.json", (saved + 60.0, saved + 60.0))
    assert bpy.ops.xpbd.free_unused() == {"FINISHED"}
    assert (before.is_dir(), after.exists()) == (True, False)
    assert re.search(r"E_IO: .*b\.blend cannot be looked into", capfd.readouterr().out)


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
