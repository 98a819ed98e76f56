# SPDX-License-Identifier: GPL-3.0-or-later
"""Exporting from the panel."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest


@pytest.fixture
def baked(bpy, make_body, select, short, fake_worker, tmp_path):
    """Two baked bodies; nothing is selected."""
    short.cache_directory = str(tmp_path / "cache")
    bodies = [make_body("A"), make_body("B")]
    bpy.ops.xpbd.bake()
    select()
    return bodies


def test_the_selected_or_all_are_written(bpy, baked, select, tmp_path):
    path = tmp_path / "out.npz"
    for chosen, names in (((), {"A", "B"}), ((baked[1],), {"B"})):
        select(*chosen)
        assert bpy.ops.xpbd.export(filepath=str(path), file_format=".npz") == {"FINISHED"}
        with np.load(path) as arrays:
            assert {name.split("/")[0] for name in arrays} - {"fps"} == names


def test_the_keys_are_replaced_on_request(bpy, baked, select, tmp_path):
    select(baked[0])
    assert bpy.ops.xpbd.export(filepath=str(tmp_path / "a.pc2"), use_modifier=True) == {"FINISHED"}
    assert baked[0].data.shape_keys is None
    assert baked[0].modifiers[0].type == "MESH_CACHE"
    assert baked[1].data.shape_keys is not None
    assert bpy.ops.xpbd.clear() == {"FINISHED"}
    assert len(baked[0].modifiers) == 0


def test_a_fault_is_told(bpy, baked, tmp_path):
    with pytest.raises(RuntimeError, match="E_PARAM"):
        bpy.ops.xpbd.export(filepath=str(tmp_path / "out.obj"))


def test_it_needs_a_bake(bpy, make_body):
    make_body()
    with pytest.raises(RuntimeError, match="Bake first"):
        bpy.ops.xpbd.export(filepath="out.pc2")


@pytest.mark.parametrize(
    ("path", "file_format", "expected"),
    [
        ("/tmp/out.pc2", ".abc", "/tmp/out.abc"),
        ("/tmp/out.v2", ".abc", "/tmp/out.v2.abc"),
        ("/tmp/out", ".npz", "/tmp/out.npz"),
        ("/tmp/out.GLB", ".glb", "/tmp/out.GLB"),
        ("", ".glb", ""),
    ],
)
def test_the_ending_follows_the_format(bpy, path, file_format, expected):
    from blender_xpbd.addon.ui.operators.export import XPBD_OT_export

    operator = SimpleNamespace(filepath=path, file_format=file_format)
    assert XPBD_OT_export.check(operator, None) == (path != expected)
    assert operator.filepath == expected


def test_every_format_is_offered(bpy):
    from blender_xpbd.addon.export.export import ENDINGS
    from blender_xpbd.addon.ui.operators.export import FORMATS

    assert {ending for ending, *_ in FORMATS} == set(ENDINGS)


@pytest.mark.parametrize("change", ["save", "save as", "rename"])
def test_a_bake_is_found_after_the_folder_of_the_cache_has_changed(
    bpy, make_body, short, fake_worker, tmp_path, change
):
    """The folder lies beside the .blend file, if that was saved, and is called as the scene."""
    short.cache_directory = ""
    make_body("A")
    (tmp_path / "elsewhere").mkdir()
    if change == "save as":
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.xpbd.bake()
    if change == "rename":
        bpy.context.scene.name = "Take 2"
    else:
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "elsewhere" / "scene.blend"))
    assert bpy.ops.xpbd.export(filepath=str(tmp_path / "a.npz"), file_format=".npz") == {"FINISHED"}
    with np.load(tmp_path / "a.npz") as arrays:
        assert arrays["A/positions"].shape[1:] == (25, 3)


def test_a_folder_that_is_not_absolute_is_not_looked_at(bpy, baked, short, tmp_path, monkeypatch):
    """It would depend on where Blender was started."""
    monkeypatch.chdir(tmp_path)
    for obj in baked:
        obj.xpbd.bake_record = json.dumps(json.loads(obj.xpbd.bake_record) | {"folder": "cache"})
    short.cache_directory = str(tmp_path / "empty")
    with pytest.raises(RuntimeError, match="E_CACHE"):
        bpy.ops.xpbd.export(filepath=str(tmp_path / "a.npz"), file_format=".npz")
