# SPDX-License-Identifier: GPL-3.0-or-later
"""No file frees, overwrites or takes over the cache of another, and each finds its own again after renames."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from blender_xpbd.scene.errors import XpbdError


def bake_of(bpy, **wishes):
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    return run_bake(bpy.context, BakeOptions(frame_start=1, frame_end=5, substeps=4, **wishes))


def folder_of(bpy, scene=None):
    from blender_xpbd.addon.process.cache_folder import cache_folder

    return cache_folder(scene or bpy.context.scene)[0]


def owner_of(folder):
    from blender_xpbd.addon.process.cache_owner import read_owner

    return read_owner(folder)


def save(bpy, path=None):
    if path is None:
        bpy.ops.wm.save_mainfile()
    else:
        bpy.ops.wm.save_as_mainfile(filepath=str(path))


@pytest.fixture
def saved(bpy, make_body, fake_worker, tmp_path):
    """A file with a bake that was saved; its job."""
    make_body()
    save(bpy, tmp_path / "a.blend")
    job = Path(bake_of(bpy).cache)
    save(bpy)
    return job


def new_file(bpy, make_body, path, height=1.0):
    bpy.ops.wm.read_homefile(use_empty=True)
    make_body(location=(0, 0, height))
    save(bpy, path)


def test_a_bake_claims_the_cache_and_the_file_keeps_the_id(bpy, saved, tmp_path):
    from blender_xpbd.addon.process.cache_owner import Owner

    identity = bpy.context.scene.xpbd.cache_id
    assert owner_of(saved.parent) == Owner(identity, "a.blend", "Scene", is_saved=True)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))
    assert bpy.context.scene.xpbd.cache_id == identity
    assert folder_of(bpy) == saved.parent == tmp_path / "xpbd_cache" / "a" / "Scene"


def test_a_file_that_the_system_renamed_finds_its_cache(bpy, saved, fake_worker, tmp_path):
    (tmp_path / "a.blend").rename(tmp_path / "b.blend")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "b.blend"))
    assert folder_of(bpy) == saved.parent
    bpy.ops.xpbd.clear(all=True)
    fake_worker(crash_at=1)
    again = bake_of(bpy)
    assert (again.from_cache, Path(again.cache)) == (True, saved)
    save(bpy)
    assert owner_of(saved.parent).file == "b.blend"


def test_a_new_file_under_the_old_name_leaves_the_renamed_ones_frames(bpy, saved, make_body, fake_worker, tmp_path):
    (tmp_path / "a.blend").rename(tmp_path / "b.blend")
    new_file(bpy, make_body, tmp_path / "a.blend")
    other = Path(bake_of(bpy).cache)
    assert other.parent == tmp_path / "xpbd_cache" / "a" / "Scene-2"
    # looking into the file beside it is not what keeps them
    hidden = (tmp_path / "b.blend").rename(tmp_path / "b.hidden")
    assert bpy.ops.xpbd.free_unused() == {"FINISHED"}
    hidden.rename(tmp_path / "b.blend")
    assert saved.is_dir()
    assert other.is_dir()
    save(bpy)
    assert owner_of(other.parent).is_saved
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "b.blend"))
    assert folder_of(bpy) == saved.parent, "the file of its name is another one"
    save(bpy)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))
    assert folder_of(bpy) == other.parent


def test_a_copy_of_the_system_has_a_cache_of_its_own(bpy, saved, fake_worker, tmp_path):
    shutil.copy(tmp_path / "a.blend", tmp_path / "b.blend")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "b.blend"))
    fake_worker(crash_at=1)
    again = bake_of(bpy)
    assert again.from_cache, "its frames are those of the file that it is a copy of"
    assert Path(again.cache) == tmp_path / "xpbd_cache" / "b" / "Scene" / saved.name
    bpy.ops.xpbd.clear(all=True)
    (tmp_path / "a.blend").rename(tmp_path / "a.hidden")
    (tmp_path / "a.hidden").rename(tmp_path / "a.blend")
    assert bpy.ops.xpbd.free_unused() == {"FINISHED"}
    assert saved.is_dir()
    save(bpy)
    for name in ("a", "b"):
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / f"{name}.blend"))
        assert folder_of(bpy) == tmp_path / "xpbd_cache" / name / "Scene"


def test_a_file_saved_as_another_has_a_cache_of_its_own(bpy, saved, tmp_path):
    save(bpy, tmp_path / "b.blend")
    own = tmp_path / "xpbd_cache" / "b" / "Scene"
    assert folder_of(bpy) == own
    assert (owner_of(own).file, owner_of(saved.parent).file) == ("b.blend", "a.blend")
    bpy.ops.xpbd.clear(all=True)
    assert bpy.ops.xpbd.free_unused() == {"FINISHED"}
    assert saved.is_dir()
    assert not (own / saved.name).exists()


def test_a_bake_that_was_not_saved_is_found_by_the_names(bpy, make_body, fake_worker, tmp_path):
    """Blender was killed, or a farm bakes without saving: the file on the disk has no id."""
    make_body()
    save(bpy, tmp_path / "a.blend")
    job = Path(bake_of(bpy).cache)
    identity = owner_of(job.parent).identity
    assert not owner_of(job.parent).is_saved
    for _ in range(2):
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))
        assert bpy.context.scene.xpbd.cache_id == ""
        fake_worker(crash_at=1)
        again = bake_of(bpy)
        assert (again.from_cache, Path(again.cache)) == (True, job)
        assert bpy.context.scene.xpbd.cache_id == owner_of(job.parent).identity == identity


def test_an_undo_does_not_take_the_cache_away(bpy, saved):
    scene = bpy.context.scene
    identity, scene.xpbd.cache_id = scene.xpbd.cache_id, ""
    bpy.ops.wm.save_mainfile()
    # drawn in this session, so it comes back
    assert scene.xpbd.cache_id == identity
    scene.xpbd.cache_id = ""
    assert folder_of(bpy) == saved.parent


def test_scenes_that_are_copied_or_renamed(bpy, saved, tmp_path):
    scene = bpy.context.scene
    copy = scene.copy()
    assert copy.xpbd.cache_id == scene.xpbd.cache_id
    assert folder_of(bpy, copy) == saved.parent.with_name("Scene_001")
    assert folder_of(bpy, scene) == saved.parent
    scene.name = "Shot"
    assert folder_of(bpy, scene) == saved.parent
    assert folder_of(bpy, copy) == saved.parent.with_name("Scene_001")
    save(bpy)
    assert owner_of(saved.parent).scene == "Shot"
    assert folder_of(bpy, copy) == saved.parent.with_name("Scene_001")
    bpy.context.window.scene = copy
    copied = Path(bake_of(bpy).cache)
    assert copied.parent == saved.parent.with_name("Scene_001")
    assert copy.xpbd.cache_id != scene.xpbd.cache_id
    copy.name = "Other"
    assert folder_of(bpy, copy) == copied.parent


def test_scenes_that_swap_their_names_keep_their_caches(bpy, saved, fake_worker, make_body):
    first, second = bpy.context.scene, bpy.data.scenes.new("Second")
    bpy.context.window.scene = second
    make_body()
    bake_of(bpy)
    before = folder_of(bpy, first), folder_of(bpy, second)
    save(bpy)
    name = first.name
    first.name = "Third"
    second.name = name
    first.name = "Second"
    assert (folder_of(bpy, first), folder_of(bpy, second)) == before
    save(bpy)
    assert (folder_of(bpy, first), folder_of(bpy, second)) == before


def test_names_that_are_one_in_a_path_are_two_caches(bpy, saved, fake_worker, make_body):
    first, second = (bpy.data.scenes.new(name) for name in ("Sce ne", "Sce_ne"))
    bpy.context.window.scene = first
    make_body()
    bake_of(bpy)
    assert folder_of(bpy, first) == saved.parent.with_name("Sce_ne")
    assert folder_of(bpy, second) == saved.parent.with_name("Sce_ne-2")


def test_a_file_of_an_earlier_version_keeps_its_cache(bpy, saved, fake_worker, tmp_path):
    """It has no id, and nothing in its cache says whose that is."""
    from blender_xpbd.addon.process import cache_moving
    from blender_xpbd.addon.process.cache_folder import forget_number

    bpy.context.scene.xpbd.cache_id = ""
    forget_number()
    (saved.parent / "owner.json").unlink()
    cache_moving.unregister()
    save(bpy)
    cache_moving.register()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))
    assert bpy.context.scene.xpbd.cache_id == ""
    assert folder_of(bpy) == saved.parent
    fake_worker(crash_at=1)
    assert bake_of(bpy).from_cache
    save(bpy)
    assert owner_of(saved.parent).is_saved
    assert bpy.context.scene.xpbd.cache_id


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"identity": 1, "file": "a", "scene": "b", "is_saved": true}', "{" * 9999]
)
def test_a_cache_whose_owner_cannot_be_read_belongs_to_another(bpy, saved, content):
    (saved.parent / "owner.json").write_text(content)
    assert folder_of(bpy) == saved.parent.with_name("Scene-2")


def test_an_owner_leads_nowhere(bpy, saved, tmp_path, monkeypatch):
    """What a stranger's file names is not looked for elsewhere."""
    owner = json.loads((saved.parent / "owner.json").read_text())
    (tmp_path / "out.blend").touch()
    for file in ("../out.blend", "/etc/passwd", "..", "\\\\server\\share", ""):
        (saved.parent / "owner.json").write_text(json.dumps(owner | {"file": file}))
        assert folder_of(bpy) == saved.parent.with_name("Scene-2")


def test_a_copy_that_is_saved_elsewhere_claims_nothing(bpy, saved, tmp_path):
    before = (saved.parent / "owner.json").read_bytes()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "b.blend"), copy=True)
    assert (saved.parent / "owner.json").read_bytes() == before
    assert not (tmp_path / "xpbd_cache" / "b").exists()


def test_an_id_of_a_stranger_is_none(bpy, saved):
    bpy.context.scene.xpbd.cache_id = "../../elsewhere"
    from blender_xpbd.addon.process.cache_folder import forget_number

    forget_number()
    assert folder_of(bpy) == saved.parent.with_name("Scene-2")


def test_a_folder_that_was_chosen_says_nothing(bpy, make_body, fake_worker, tmp_path):
    make_body()
    save(bpy, tmp_path / "a.blend")
    bake_of(bpy, cache=tmp_path / "given")
    bpy.context.scene.xpbd.cache_directory = "//mine"
    bake_of(bpy)
    save(bpy)
    assert not list(tmp_path.rglob("owner.json"))


def test_a_disk_that_refuses_hinders_neither_bake_nor_save(bpy, make_body, fake_worker, tmp_path, monkeypatch, capsys):
    from blender_xpbd.addon.process import cache_folder

    def refuse(*_arguments):
        raise XpbdError("E_IO", "It is read-only.")

    make_body()
    save(bpy, tmp_path / "a.blend")
    monkeypatch.setattr(cache_folder, "write_owner", refuse)
    assert bake_of(bpy).complete
    assert "read-only" in capsys.readouterr().out
    save(bpy)
    assert "read-only" in capsys.readouterr().out


def test_a_copy_without_bakes_takes_no_cache_from_the_scene_that_comes_after_it_by_name(bpy, saved, tmp_path):
    """Scenes are read in the order of their names."""
    bpy.ops.scene.new(type="EMPTY")
    copy = bpy.context.scene
    assert copy.xpbd.cache_id == bpy.data.scenes["Scene"].xpbd.cache_id
    copy.name = "A"
    save(bpy)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))
    assert folder_of(bpy, bpy.data.scenes["Scene"]) == saved.parent
    assert folder_of(bpy, bpy.data.scenes["A"]) == saved.parent.with_name("A")
