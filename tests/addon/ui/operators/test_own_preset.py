# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of one's own are saved, found and given to what is selected."""

from __future__ import annotations

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


def test_they_are_found_where_blender_keeps_presets(bpy, tmp_path, monkeypatch):
    from blender_xpbd.addon.ui.own_presets import folders_of

    presets = tmp_path / "presets"
    monkeypatch.setattr(bpy.utils, "script_paths", lambda **_: [str(presets)])
    assert folders_of("CLOTH") == []
    (presets / "xpbd" / "cloth").mkdir(parents=True)
    assert folders_of("CLOTH") == [presets / "xpbd" / "cloth"]


def test_a_file_with_a_preset_of_another_role_is_refused(bpy, scripts, two):
    bpy.ops.xpbd.save_preset(name="Shared")
    (file,) = (scripts / "cloth").iterdir()
    text, before = file.read_text(), two[0].xpbd.preset
    file.write_text(
        "\n".join(line for line in text.splitlines() if ".preset =" not in line) + '\nsettings.preset = "RUBBER"\n'
    )
    with pytest.raises(RuntimeError, match="another role"):
        bpy.ops.xpbd.apply_preset(filepath=str(file))
    assert two[0].xpbd.preset == before
    # as editors of Windows save it
    file.write_text(text, encoding="utf-8-sig")
    assert bpy.ops.xpbd.apply_preset(filepath=str(file)) == {"FINISHED"}


def test_lengths_are_the_same_in_metres_whatever_the_unit_of_the_scene(bpy, scripts, two):
    from blender_xpbd.addon.data.properties import material_values

    units, (first, second) = bpy.context.scene.unit_settings, two
    first.xpbd.preset = "MATERIAL"
    units.scale_length = 0.001
    first.xpbd.radius, first.xpbd.area_density = 4.0, 0.7
    assert bpy.ops.xpbd.save_preset(name="Small") == {"FINISHED"}
    (file,) = (scripts / "cloth").iterdir()
    units.scale_length = 0.01
    assert bpy.ops.xpbd.apply_preset(filepath=str(file)) == {"FINISHED"}
    for body in (first, second):
        assert body.xpbd.radius == pytest.approx(0.4)
        values = material_values(body.xpbd, 0.01)
        assert [values[name] for name in ("radius", "area_density")] == pytest.approx([0.004, 0.7])


class Asset:
    """What the asset browser gives of an object in a file that is not opened."""

    def __init__(self, obj):
        self.name, self.metadata = obj.name, obj.asset_data


@pytest.fixture
def apply_asset(bpy):
    """A function that applies the asset that an object is; returns what the operator returns and reports."""
    from types import SimpleNamespace

    from blender_xpbd.addon.ui.operators.own_preset import XPBD_OT_apply_asset as Operator

    def run(obj):
        told = []
        context = SimpleNamespace(
            asset=Asset(obj),
            object=bpy.context.object,
            scene=bpy.context.scene,
            selected_objects=bpy.context.selected_objects,
            view_layer=bpy.context.view_layer,
            evaluated_depsgraph_get=bpy.context.evaluated_depsgraph_get,
        )
        assert Operator.poll(context)
        operator = SimpleNamespace(report=lambda kind, text: told.append((kind, text)))
        return Operator.execute(operator, context), told

    return run


def test_an_asset_gives_its_material_to_what_is_selected(bpy, two, make_body, select, apply_asset):
    first, second = two
    first.xpbd.preset = "MATERIAL"
    first.xpbd.area_density, first.xpbd.radius = 0.7, 0.02
    assert bpy.ops.xpbd.save_asset() == {"FINISHED"}
    assert first.asset_data is not None
    plain = make_body("Plain", role="NONE", location=(9.0, 0.0, 0.0))
    select(plain)
    second.select_set(True)
    bpy.context.scene.unit_settings.scale_length = 0.1
    result, _ = apply_asset(first)
    assert result == {"FINISHED"}
    for body in (second, plain):
        assert (body.xpbd.role, body.xpbd.preset) == ("CLOTH", "MATERIAL")
        assert body.xpbd.area_density == pytest.approx(0.7)
        assert body.xpbd.radius == pytest.approx(0.2), "so many metres"
    select(make_body("Jelly", role="JELLY"))
    result, told = apply_asset(first)
    assert result == {"CANCELLED"}
    assert "No selected object" in told[0][1]


def test_a_strangers_asset_is_refused_whole(bpy, two, make_body, select, apply_asset, tmp_path):
    first, _ = two
    mark = tmp_path / "executed"
    bpy.ops.xpbd.save_asset()
    first.asset_data["xpbd_material"] += f"open({str(mark)!r}, 'w').close()\n"
    plain = make_body("Plain", role="NONE")
    select(plain)
    result, told = apply_asset(first)
    assert result == {"CANCELLED"}
    assert "nothing else is executed" in told[0][1]
    assert plain.xpbd.role == "NONE"
    assert not mark.exists()
    first.asset_data["xpbd_role"] = "NONE"
    assert apply_asset(first)[0] == {"CANCELLED"}


def test_what_is_appended_as_an_asset_has_its_settings(bpy, two, tmp_path):
    first, _ = two
    first.xpbd.preset = "DENIM"
    bpy.ops.xpbd.save_asset()
    path = tmp_path / "library.blend"
    bpy.data.libraries.write(str(path), {first})
    with bpy.data.libraries.load(str(path), assets_only=True) as (there, here):
        here.objects = there.objects
    (appended,) = here.objects
    assert (appended.xpbd.role, appended.xpbd.preset) == ("CLOTH", "DENIM")
    assert "area_density" in appended.asset_data["xpbd_material"]


@pytest.mark.parametrize("name", ["", "  "])
def test_a_preset_without_a_name_is_asked_for_one(bpy, make_body, select, scripts, name):
    select(make_body())
    assert bpy.ops.xpbd.save_preset(name=name) == {"CANCELLED"}
    assert not list(scripts.rglob("*.py"))
