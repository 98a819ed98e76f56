# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a scene keeps its jobs."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st


def folder_of(bpy, chosen=None):
    from blender_xpbd.addon.process.cache_folder import cache_folder

    return cache_folder(bpy.context.scene, chosen)


def test_a_file_never_saved_has_a_cache_of_the_users(bpy, tmp_path):
    bpy.context.scene.name = "Höhle/1"
    folder, notice = folder_of(bpy)
    assert folder.is_relative_to(tmp_path / "user")
    assert folder.parts[-2:] == ("unsaved", "H_hle_1")
    assert (notice.code, str(folder) in notice.message) == ("W_FILE_UNSAVED", True)


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
