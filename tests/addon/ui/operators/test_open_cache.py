# SPDX-License-Identifier: GPL-3.0-or-later
"""Which folder Open Folder opens."""

from __future__ import annotations

import json
import shutil
import sys

import pytest

from tests.addon.recorded_layout import draw


@pytest.fixture
def opened(bpy):
    """A function that tells which folder would be opened."""
    from blender_xpbd.addon.ui.operators.open_cache import folder_to_open

    return lambda: folder_to_open(bpy.context.scene)


@pytest.fixture
def baked(bpy, make_body, fake_worker, tmp_path):
    """A saved file with a bake beside it: its job folder."""
    from pathlib import Path

    make_body()
    settings = bpy.context.scene.xpbd
    settings.frame_end, settings.quality, settings.substeps = 4, "FIXED", 2
    folder = tmp_path / "project"
    folder.mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "a.blend"))
    bpy.ops.xpbd.bake()
    bpy.ops.wm.save_mainfile()
    return Path(json.loads(settings.report)["cache"])


def test_the_job_of_the_last_bake(baked, opened):
    assert opened() == baked
    assert baked.is_dir()


def test_it_is_found_with_a_file_that_was_moved(bpy, baked, opened, tmp_path):
    (tmp_path / "project").rename(tmp_path / "moved")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "moved" / "a.blend"))
    assert opened() == tmp_path / "moved" / baked.relative_to(tmp_path / "project")


def test_what_is_left_around_it(bpy, baked, opened):
    shutil.rmtree(baked)
    assert opened() == baked.parent
    shutil.rmtree(baked.parent)
    assert opened() is None
    assert bpy.ops.xpbd.open_cache() == {"CANCELLED"}


def test_a_report_from_a_stranger_leads_nowhere(bpy, baked, opened):
    bpy.context.scene.xpbd.report = json.dumps({"cache": ["x"]})
    assert opened() == baked.parent


@pytest.mark.parametrize("named", ["a program", "a job's name", "a link", "no path", "a share"])
def test_a_strangers_folder_that_is_no_job_is_not_opened(bpy, baked, opened, tmp_path, named):
    program = tmp_path / "Evil.app"
    program.mkdir()
    (program / "job.json").write_text("{}")
    paths = {"a program": program, "a job's name": tmp_path / ("0" * 24), "a link": tmp_path / ("1" * 24)}
    paths["a job's name"].mkdir()
    paths["a link"].symlink_to(program)
    # a job, but named as Windows names what a server has
    texts = {"no path": f"/\0/{'2' * 24}", "a share": f"/{baked.parent}/{baked.name}"}
    if named == "a share":
        bpy.context.scene.xpbd.cache_directory = str(tmp_path)
    bpy.context.scene.xpbd.report = json.dumps({"cache": str(paths.get(named) or texts[named])})
    assert opened() == (tmp_path if named == "a share" else baked.parent)


def test_a_cache_that_looks_like_a_program_is_not_opened(bpy, baked, opened, tmp_path):
    program = tmp_path / "Evil.app"
    program.mkdir()
    bpy.context.scene.xpbd.cache_directory = str(program)
    assert opened() == baked
    bpy.context.scene.xpbd.report = ""
    assert opened() is None
    (tmp_path / "cache").symlink_to(program)
    bpy.context.scene.xpbd.cache_directory = str(tmp_path / "cache")
    assert opened() is None


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system itself opens folders")
def test_a_system_that_opens_no_folders_is_told_where_it_is(bpy, baked, monkeypatch, capfd):
    monkeypatch.setenv("PATH", "")
    assert bpy.ops.xpbd.open_cache() == {"CANCELLED"}
    assert f"Nothing on this system opens folders. It is {baked}" in capfd.readouterr().out


def test_its_button_stays_when_the_bake_is_cleared(bpy, baked):
    from blender_xpbd.addon.ui.panels import XPBD_PT_cache

    assert bpy.ops.xpbd.clear(all=True) == {"FINISHED"}
    buttons = {name for name, _ in draw(XPBD_PT_cache).operators}
    assert {"xpbd.open_cache", "xpbd.free_unused"} <= buttons
