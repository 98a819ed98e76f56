# SPDX-License-Identifier: GPL-3.0-or-later
"""The button that makes room on the disk."""

from __future__ import annotations

import json
from pathlib import Path


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
