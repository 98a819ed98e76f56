# SPDX-License-Identifier: GPL-3.0-or-later
"""The cache of a file goes with it when the file is saved elsewhere."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from blender_xpbd.jobs.play_inputs import PlayInputs
from blender_xpbd.scene.errors import XpbdError


@pytest.fixture
def saved(bpy, make_body, fake_worker, tmp_path):
    """A file with a bake, saved, whose cache lies beside it."""
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    make_body()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    run_bake(bpy.context, BakeOptions(frame_start=1, frame_end=5, substeps=4))
    bpy.ops.wm.save_mainfile()
    return tmp_path


def jobs(folder):
    return sorted(path.name for path in folder.glob("*") if (path / "status.json").exists())


def again(bpy):
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    return run_bake(bpy.context, BakeOptions(frame_start=1, frame_end=5, substeps=4))


@pytest.mark.parametrize("name", ["b.blend", "far/a.blend"])
def test_a_file_saved_elsewhere_has_its_frames_beside_it(bpy, saved, fake_worker, name):
    before = jobs(saved / "xpbd_cache" / "a" / "Scene")
    assert len(before) == 1
    path = saved / name
    path.parent.mkdir(exist_ok=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    assert jobs(path.parent / "xpbd_cache" / path.stem / "Scene") == before
    assert jobs(saved / "xpbd_cache" / "a" / "Scene") == before
    fake_worker(crash_at=1)
    assert again(bpy).from_cache


def test_a_copy_leaves_the_cache_where_it_is(bpy, saved):
    bpy.ops.wm.save_as_mainfile(filepath=str(saved / "copy.blend"), copy=True)
    assert not (saved / "xpbd_cache" / "copy").exists()


def test_a_file_saved_for_the_first_time_takes_its_frames_along(bpy, make_body, fake_worker, tmp_path):
    make_body()
    again(bpy)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "first.blend"))
    assert len(jobs(tmp_path / "xpbd_cache" / "first" / "Scene")) == 1


def test_a_renamed_scene_finds_its_frames(bpy, saved, fake_worker):
    bpy.context.scene.name = "Other"
    fake_worker(crash_at=1)
    assert again(bpy).from_cache


def test_a_folder_that_was_chosen_stays(bpy, saved):
    bpy.context.scene.xpbd.cache_directory = str(saved / "chosen")
    bpy.ops.wm.save_as_mainfile(filepath=str(saved / "b.blend"))
    assert not (saved / "xpbd_cache" / "b").exists()
    assert not (saved / "chosen").exists()


def test_a_disk_that_refuses_does_not_hinder_saving(bpy, saved, monkeypatch, capsys):
    from blender_xpbd.addon.process import cache_moving
    from blender_xpbd.scene.errors import XpbdError

    def refuse(*_arguments):
        raise XpbdError("E_IO", "The disk is full.")

    monkeypatch.setattr(cache_moving, "hand_on_all", refuse)
    bpy.ops.wm.save_as_mainfile(filepath=str(saved / "b.blend"))
    assert (saved / "b.blend").exists()
    assert "The disk is full" in capsys.readouterr().out


def test_a_bake_of_a_version_that_noted_no_folder_goes_along_too(bpy, saved, fake_worker):
    import json

    (body,) = (obj for obj in bpy.context.scene.objects if obj.xpbd.bake_record)
    record = json.loads(body.xpbd.bake_record)
    del record["folder"]
    body.xpbd.bake_record = json.dumps(record)
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(saved / "a.blend"))
    bpy.ops.wm.save_as_mainfile(filepath=str(saved / "b.blend"))
    assert len(jobs(saved / "xpbd_cache" / "b" / "Scene")) == 1
    fake_worker(crash_at=1)
    assert again(bpy).from_cache


def test_a_bake_without_a_cache_gets_no_folder(bpy, saved):
    import json
    import shutil

    (body,) = (obj for obj in bpy.context.scene.objects if obj.xpbd.bake_record)
    record = json.loads(body.xpbd.bake_record) | {"folder": ""}
    body.xpbd.bake_record = json.dumps(record)
    bpy.ops.wm.save_mainfile()
    shutil.rmtree(saved / "xpbd_cache")
    bpy.ops.wm.open_mainfile(filepath=str(saved / "a.blend"))
    (body,) = (obj for obj in bpy.context.scene.objects if obj.xpbd.bake_record)
    assert json.loads(body.xpbd.bake_record)["folder"] == ""


def test_opening_a_file_asks_no_server_for_its_cache(bpy, saved, monkeypatch):
    """Windows would sign in to any server that a stranger's file names as its cache."""
    from dataclasses import replace

    from blender_xpbd.addon.data.bake_record import read_record
    from blender_xpbd.addon.process import cache_moving

    (obj,) = (obj for obj in bpy.context.scene.objects if read_record(obj))
    record = read_record(obj)
    assert record is not None
    replace(record, folder="").store(obj)
    asked = []
    monkeypatch.setattr(cache_moving, "record_folder", lambda record, cache: asked.append(cache))
    monkeypatch.setattr(cache_moving, "cache_folder", lambda scene: (Path("//evil/share/job"), None))
    cache_moving.note_folders()
    assert asked == []
    monkeypatch.setattr(cache_moving, "cache_folder", lambda scene: (saved / "xpbd_cache", None))
    cache_moving.note_folders()
    assert asked == [saved / "xpbd_cache"]


def test_an_export_asks_no_server_that_a_record_names(bpy, saved, monkeypatch):
    from dataclasses import replace

    from blender_xpbd.addon.data.bake_record import read_record
    from blender_xpbd.addon.export.baked_object import baked_objects

    (obj,) = (obj for obj in bpy.context.scene.objects if read_record(obj))
    # two slashes are what Windows has for a server, and one for the system of the tests
    record = read_record(obj)
    assert record is not None
    empty = saved / "empty"
    empty.mkdir()
    assert baked_objects(bpy.context.scene, [obj], empty)
    replace(record, folder="/" + record.folder).store(obj)
    with pytest.raises(XpbdError) as caught:
        baked_objects(bpy.context.scene, [obj], empty)
    assert caught.value.code == "E_CACHE"


def test_a_folder_that_was_chosen_gets_what_was_baked_before_the_file_was_saved(bpy, make_body, fake_worker, tmp_path):
    """What lies in the user's cache others free after a month."""
    make_body()
    bpy.context.scene.xpbd.cache_directory = "//mine"
    again(bpy)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "first.blend"))
    assert len(jobs(tmp_path / "mine")) == 1


@pytest.mark.parametrize("has_bake", [False, True])
def test_a_played_run_goes_along_and_is_found_where_the_file_was_saved(bpy, saved, tmp_path, has_bake):
    """Not as the bake of the same inputs, of which the job has the name."""
    from blender_xpbd.addon.data.bake_record import read_record, record_folder
    from blender_xpbd.addon.export.export import export

    cache = saved / "xpbd_cache" / "a" / "Scene"
    (name,) = jobs(cache)
    session = cache / f"played_{'ab' * 6}"
    shutil.copytree(cache / name, session / name)
    PlayInputs(session / name).begin_run()
    obj = next(obj for obj in bpy.context.scene.objects if obj.xpbd.bake_record)
    record = read_record(obj)
    assert record is not None
    replace(record, folder=str(session)).store(obj)
    moved = tmp_path / "far" / "xpbd_cache" / "a" / "Scene"
    if has_bake:
        shutil.copytree(cache / name, moved / name)
        shutil.rmtree(moved / name / "frames")
    (tmp_path / "far").mkdir(exist_ok=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "far" / "a.blend"))
    shutil.rmtree(cache)
    job = moved / session.name / name
    assert PlayInputs(job).newest_run() == 1
    assert jobs(moved) == [name] * has_bake
    assert record_folder(read_record(obj), moved) == job
    export(bpy.context, tmp_path / "out.npz", [obj])
    with np.load(tmp_path / "out.npz") as arrays:
        assert len(arrays[f"{obj.name}/frames"]) == 5


def test_a_played_run_of_a_project_from_another_system_is_found(bpy, saved):
    """Not the bake of the same inputs; and no link leads out of the cache."""
    from blender_xpbd.addon.data.bake_record import read_record, record_folder

    cache = saved / "xpbd_cache" / "a" / "Scene"
    (name,) = jobs(cache)
    session = cache / f"played_{'ab' * 6}"
    shutil.copytree(cache / name, session / name)
    record = read_record(next(obj for obj in bpy.context.scene.objects if obj.xpbd.bake_record))
    assert record is not None
    record = replace(record, folder=rf"Z:\project\xpbd_cache\a\Scene\{session.name}")
    assert record_folder(record, cache) == session / name
    session.rename(saved / "elsewhere")
    session.symlink_to(saved / "elsewhere")
    assert record_folder(record, cache) is None
