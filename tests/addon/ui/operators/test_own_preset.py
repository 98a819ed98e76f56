# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of one's own are saved, found and given to what is selected."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.addon.recorded_layout import draw


@pytest.fixture
def scripts(bpy, tmp_path, monkeypatch):
    """The folder of the user's scripts."""

    def user_resource(_kind, *, path="", create=False):
        folder = tmp_path / path
        if create:
            folder.mkdir(parents=True, exist_ok=True)
        return str(folder)

    def preset_paths(subdir):
        folder = tmp_path / "presets" / subdir
        return [str(folder)] if folder.is_dir() else []

    monkeypatch.setattr(bpy.utils, "user_resource", user_resource)
    monkeypatch.setattr(bpy.utils, "preset_paths", preset_paths)
    return tmp_path / "presets" / "xpbd"


@pytest.fixture
def two(bpy, make_body):
    """Two cloths, both selected, the first active."""
    bodies = [make_body("A"), make_body("B")]
    for body in bodies:
        body.select_set(True)
    bpy.context.view_layer.objects.active = bodies[0]
    return bodies


@pytest.mark.parametrize("preset", ["MATERIAL", "DENIM", "CUSTOM"])
def test_what_was_saved_comes_back_for_all_that_are_selected(bpy, scripts, two, preset):
    from blender_xpbd.addon.data.material_names import material_names
    from blender_xpbd.addon.data.properties import material_values

    def counting(body):
        values = material_values(body.xpbd)
        return {name: values[name] for name in material_names(body.xpbd, "XPBD")}

    first, _ = two
    first.xpbd.preset = preset
    if preset == "MATERIAL":
        first.xpbd.area_density, first.xpbd.bending_stiffness = 0.7, 3e-4
    if preset == "CUSTOM":
        first.xpbd.stretch_compliance = 2e-5
    kept = counting(first)
    assert bpy.ops.xpbd.save_preset(name="My Stuff") == {"FINISHED"}
    for body in two:
        body.xpbd.preset = "SILK"
    assert counting(first) != kept
    (file,) = (scripts / "cloth").iterdir()
    assert bpy.ops.xpbd.apply_preset(filepath=str(file)) == {"FINISHED"}
    for body in two:
        assert body.xpbd.preset == preset
        assert counting(body) == kept


def test_a_saved_one_is_shown_and_removed(bpy, scripts, two):
    from blender_xpbd.addon.ui.own_presets import XPBD_MT_own_presets, folders_of

    assert draw(XPBD_MT_own_presets).words == ["None is saved yet"]
    bpy.ops.xpbd.save_preset(name="Kept")
    assert [path.stem.lower() for folder in folders_of("CLOTH") for path in folder.iterdir()] == ["kept"]
    assert folders_of("JELLY") == []
    assert bpy.ops.xpbd.save_preset(name="Kept", remove_name=True) == {"FINISHED"}
    assert list((scripts / "cloth").iterdir()) == []


def test_only_presets_of_the_menu_are_applied(bpy, scripts, two, tmp_path):
    """Whatever a file or a button says."""
    mark = tmp_path / "executed"
    strange = tmp_path / "strange.py"
    strange.write_text(f"open({str(mark)!r}, 'w').close()\n")
    (scripts / "cloth").mkdir(parents=True)
    for path in (strange, scripts / "cloth" / ".." / ".." / ".." / "strange.py", scripts / "cloth" / "none.py"):
        assert bpy.ops.xpbd.apply_preset(filepath=str(path)) == {"CANCELLED"}
    assert not mark.exists()


def test_a_preset_from_a_stranger_is_not_executed_either(bpy, scripts, two, tmp_path):
    mark = tmp_path / "executed"
    bpy.ops.xpbd.save_preset(name="Shared")
    (file,) = (scripts / "cloth").iterdir()
    file.write_text(f"{file.read_text()}open({str(mark)!r}, 'w').close()\n")
    before = two[0].xpbd.preset
    with pytest.raises(RuntimeError, match="E_PARAM"):
        bpy.ops.xpbd.apply_preset(filepath=str(file))
    assert not mark.exists()
    assert two[0].xpbd.preset == before


def test_they_need_a_material(bpy, make_body, select):
    select(make_body("A", role="COLLIDER"))
    assert not bpy.ops.xpbd.save_preset.poll()
    assert not bpy.ops.xpbd.apply_preset.poll()


def test_they_are_found_where_blender_keeps_presets(bpy):
    from blender_xpbd.addon.ui.own_presets import folders_of

    assert all(Path("presets") / "xpbd" in folder.parents for folder in folders_of("CLOTH"))
