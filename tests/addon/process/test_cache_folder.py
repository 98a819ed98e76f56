# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a scene keeps its jobs."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.jobs.lock import JobLock
from blender_xpbd.jobs.play_inputs import PlayInputs
from blender_xpbd.scene.errors import XpbdError


def folder_of(bpy, chosen=None):
    from blender_xpbd.addon.process.cache_folder import cache_folder

    return cache_folder(bpy.context.scene, chosen)


def test_a_file_never_saved_has_a_cache_of_the_users(bpy, tmp_path):
    bpy.context.scene.name = "Höhle/1"
    folder, notice = folder_of(bpy)
    assert folder.is_relative_to(tmp_path / "user")
    assert folder.parts[-2] == "unsaved"
    assert re.fullmatch("H_hle_1-[0-9a-f]{16}", folder.name)
    assert folder_of(bpy)[0] == folder
    assert (notice.code, str(folder) in notice.message) == ("W_FILE_UNSAVED", True)


def test_another_file_that_was_never_saved_has_another_cache(bpy, make_body, fake_worker):
    """Whoever frees what this file does not use must not free what another one shows."""
    from blender_xpbd.addon.process.cache_folder import forget_number

    make_body()
    first = Path(bake_of(bpy).cache)
    bpy.ops.wm.read_homefile(use_empty=True)
    assert folder_of(bpy)[0] != first.parent
    make_body(location=(0, 0, 1))
    second = Path(bake_of(bpy).cache)
    assert bpy.ops.xpbd.free_unused() == {"FINISHED"}
    # as another Blender does
    forget_number()
    assert bpy.ops.xpbd.free_unused() == {"FINISHED"}
    assert first.is_dir()
    assert second.is_dir()


def bake_of(bpy, **wishes):
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    return run_bake(bpy.context, BakeOptions(frame_start=1, frame_end=5, substeps=4, **wishes))


def test_frames_of_a_file_that_was_recovered_are_found(bpy, make_body, fake_worker, tmp_path):
    """A copy that Blender keeps for itself has no name; one from before the bake does not know of it either."""
    make_body()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "before.blend"), copy=True)
    first = Path(bake_of(bpy).cache)
    bpy.ops.wm.read_homefile(use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "before.blend")) as (source, target):
        target.objects = source.objects
    for obj in target.objects:
        if obj.type == "MESH" and obj.xpbd.role == "CLOTH":
            bpy.context.scene.collection.objects.link(obj)
    assert bpy.data.filepath == ""
    fake_worker(crash_at=1)
    again = bake_of(bpy)
    assert again.from_cache
    assert (Path(again.cache).name, Path(again.cache).parent == first.parent) == (first.name, False)
    # Blender may name it by the file that it kept
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "before.blend"))
    again = bake_of(bpy)
    assert again.from_cache
    assert Path(again.cache) == tmp_path / "xpbd_cache" / "before" / "Scene" / first.name


def test_a_cache_that_another_frees_meanwhile_is_no_fault(bpy, make_body, fake_worker, monkeypatch, capsys):
    from blender_xpbd.addon.baking import continuation
    from blender_xpbd.addon.process.cache_folder import forget_number
    from blender_xpbd.scene.errors import XpbdError

    def refuse(*_arguments):
        raise XpbdError("E_IO", "It was deleted.")

    make_body()
    bake_of(bpy)
    bpy.ops.xpbd.clear(all=True)
    forget_number()
    monkeypatch.setattr(continuation, "hand_on_all", refuse)
    again = bake_of(bpy)
    assert (again.complete, again.from_cache) == (True, False)
    assert "It was deleted" in capsys.readouterr().out


def test_what_nobody_comes_back_for_goes_after_a_month(bpy, make_body, fake_worker):
    from blender_xpbd.addon.process.cache_folder import forget_number

    make_body()
    old = Path(bake_of(bpy).cache)
    bpy.ops.wm.read_homefile(use_empty=True)
    make_body(location=(0, 0, 1))
    recent = Path(bake_of(bpy).cache)
    make_old(old)
    forget_number()
    assert bpy.ops.xpbd.free_unused() == {"FINISHED"}
    assert not old.parent.exists()
    assert recent.is_dir()


def make_old(job):
    """As if a job and its cache were left alone for more than a month."""
    from blender_xpbd.addon.process.cache_folder import FORGOTTEN_SECONDS

    cache = next(path for path in job.parents if path.parent.name == "unsaved")
    for path in (job, cache):
        age = path.stat().st_mtime - FORGOTTEN_SECONDS - 60.0
        os.utime(path, (age, age))


def test_a_played_run_stays_where_a_file_that_was_saved_since_shows_it(bpy, make_body, fake_worker, tmp_path):
    """It cannot be computed again, and earlier versions did not take it along."""
    body = make_body()
    baked = Path(bake_of(bpy).cache)
    body.xpbd.friction = 0.77
    other = Path(bake_of(bpy).cache)
    job = baked.parent / f"played_{'ab' * 6}" / baked.name
    job.parent.mkdir()
    baked.rename(job)
    PlayInputs(job).begin_run()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "kept.blend"))
    bpy.ops.wm.read_homefile(use_empty=True)
    make_old(job)
    make_old(other)
    assert bpy.ops.xpbd.free_unused() == {"FINISHED"}
    assert job.is_dir()
    assert not other.exists()


def test_a_played_run_that_nobody_has_kept_goes(bpy, make_body, fake_worker):
    """Blender did not live to keep it, or to end it."""
    from blender_xpbd.addon.process.cache_folder import note_kept, note_unkept

    make_body()
    baked = Path(bake_of(bpy).cache)
    names = "0" * len(baked.name), baked.name
    runs = [baked.parent / f"played_{letters * 6}" / name for letters, name in zip(("ab", "cd"), names, strict=True)]
    for job in runs:
        shutil.copytree(baked, job)
        PlayInputs(job).begin_run()
        note_unkept(job.parent)
    note_kept(runs[1].parent)
    note_kept(runs[1].parent)
    bpy.ops.wm.read_homefile(use_empty=True)
    for job in (baked, *runs):
        make_old(job)
    assert bpy.ops.xpbd.free_unused() == {"FINISHED"}
    assert [job.exists() for job in runs] == [False, True]
    assert not runs[0].parent.exists()


def test_what_a_recovered_file_shows_stays_in_the_folder_that_it_had(bpy, make_body, fake_worker):
    from blender_xpbd.addon.process.cache_folder import forget_number

    body = make_body()
    begun = Path(bake_of(bpy).cache)
    bpy.context.scene.frame_set(4)
    body.xpbd.friction = 0.77
    shown = Path(bake_of(bpy, from_frame=4).cache)
    assert shown != begun
    unused = shown.parent / ("0" * len(shown.name))
    shutil.copytree(shown, unused)
    for path in (begun, shown, unused):
        make_old(path)
    forget_number()
    assert bpy.ops.xpbd.free_unused() == {"FINISHED"}
    assert shown.is_dir()
    assert begun.is_dir(), "what it goes on from"
    assert not unused.exists()


def test_what_another_blender_is_computing_is_left_to_it(bpy, make_body, fake_worker, capsys):
    from blender_xpbd.addon.baking.continuation import take_unsaved
    from blender_xpbd.addon.process.cache_folder import forget_number

    make_body()
    former = Path(bake_of(bpy).cache)
    forget_number()
    job = folder_of(bpy)[0] / former.name
    capsys.readouterr()
    with JobLock(former):
        take_unsaved(job)
    assert not job.exists()
    assert capsys.readouterr().out == ""
    take_unsaved(job)
    assert (job / "status.json").is_file()


def test_a_fault_of_another_cache_is_told_after_what_was_freed(bpy, make_body, fake_worker, monkeypatch, capfd):
    from blender_xpbd.addon.process import cache_folder

    make_body()
    jobs = []
    for _ in range(3):
        cache_folder.forget_number()
        jobs.append(Path(bake_of(bpy).cache))
        bpy.ops.xpbd.clear(all=True)
    for job in jobs:
        make_old(job)
    first, second = sorted(jobs[:2])
    free = cache_folder.free_jobs

    def refuse(cache, used):
        if cache == first.parent:
            raise XpbdError("E_IO", "It is damaged.")
        return free(cache, used)

    monkeypatch.setattr(cache_folder, "free_jobs", refuse)
    assert bpy.ops.xpbd.free_unused() == {"FINISHED"}
    assert [path.exists() for path in (first, second, jobs[2])] == [True, False, False]
    told = capfd.readouterr().out
    assert "of 2 bakes" in told
    assert told.index("of 2 bakes") < told.index("Warning") < told.index("It is damaged")


def test_a_saved_file_has_its_cache_beside_it(bpy, tmp_path):
    bpy.context.scene.name = "../A: b"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    assert folder_of(bpy) == (tmp_path / "xpbd_cache" / "scene" / "___A__b", None)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "Höhle 2.blend"))
    assert folder_of(bpy) == (tmp_path / "xpbd_cache" / "H_hle_2" / "___A__b", None)
    bpy.context.scene.xpbd.cache_directory = "//own"
    assert folder_of(bpy) == (tmp_path / "own", None)


def test_a_path_that_is_not_beside_the_file_needs_no_file(bpy, tmp_path):
    bpy.context.scene.xpbd.cache_directory = str(tmp_path / "far")
    assert folder_of(bpy) == (tmp_path / "far", None)


def test_a_folder_that_a_script_chooses_comes_first(bpy, tmp_path, monkeypatch):
    bpy.context.scene.xpbd.cache_directory = str(tmp_path / "far")
    assert folder_of(bpy, tmp_path / "chosen") == (tmp_path / "chosen", None)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert folder_of(bpy, Path("~/chosen")) == (tmp_path / "chosen", None)
    monkeypatch.chdir(tmp_path)
    assert folder_of(bpy, Path("chosen")) == (tmp_path / "chosen", None)


def test_any_name_is_safe_in_a_path(bpy):
    from blender_xpbd.addon.process.cache_folder import safe_name

    @given(st.text(max_size=80))
    def check(name):
        safe = safe_name(name)
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", safe)
        assert safe_name(safe) == safe

    check()
    assert safe_name("Scene-01_b") == "Scene-01_b"
    assert {safe_name(name) for name in ("..", "/", "\\", "a/../b")} == {"__", "_", "a____b"}


def test_a_home_that_nobody_has_is_a_folders_name(bpy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert folder_of(bpy, Path("~no_such_user/cache"))[0] == tmp_path / "~no_such_user" / "cache"
    bpy.context.scene.xpbd.cache_directory = "~no_such_user"
    assert folder_of(bpy)[0] == tmp_path / "~no_such_user"
    bpy.context.scene.xpbd.cache_directory = "~/cache"
    assert folder_of(bpy)[0] == Path.home() / "cache"
