# SPDX-License-Identifier: GPL-3.0-or-later
"""The button that makes room on the disk."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace


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
        assert "month-old bakes of other files that were never saved" in question(bpy)
        assert "//mine" not in question(bpy)
    scene.xpbd.cache_directory = str(tmp_path / "far")
    assert str(tmp_path / "far") in question(bpy)
    assert "month" not in question(bpy)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    for chosen, folder in (("", tmp_path / "xpbd_cache" / "scene" / "Scene"), ("//mine", tmp_path / "mine")):
        scene.xpbd.cache_directory = chosen
        assert str(folder) in question(bpy)
        assert "month" not in question(bpy)
