# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that earlier versions of the add-on have saved, one for each schema of jobs that there was.

``old_files/schema_N.blend`` was saved by the commit that its .json names, after a bake of five frames by the stand-in
for the worker; the .json also has all settings that were set. The .zip is the cache, without its logs.
``one_pose`` is from when an object had one pose, in properties of its own; the .json has it as it would be in the list.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest

FOLDER = Path(__file__).with_name("old_files")
NAMES = sorted(path.stem for path in FOLDER.glob("*.blend"))
# Presets whose values have changed show those of today, which count
SHOWN_ANEW = {("Denim", "area_density"), ("Denim", "bending_stiffness"), ("Denim", "internal_damping")}


@pytest.fixture
def told():
    return lambda name: json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


@pytest.fixture
def open_old(bpy, tmp_path):
    """A function that opens an old file in another folder than where it was saved, with its cache beside it."""

    def open_file(name):
        path = tmp_path / f"{name}.blend"
        shutil.copy(FOLDER / path.name, path)
        with zipfile.ZipFile(FOLDER / f"{name}.zip") as archive:
            archive.extractall(tmp_path)
        bpy.ops.wm.open_mainfile(filepath=str(path))
        return bpy.context.scene

    return open_file


def value_of(settings, name):
    value = getattr(settings, name)
    return list(value) if hasattr(value, "__len__") and not isinstance(value, str) else value


def differing(settings, values):
    return {name for name, value in values.items() if not is_close(value_of(settings, name), value)}


def is_close(value, expected):
    return value == (expected if isinstance(expected, str) else pytest.approx(expected, rel=1e-6))


def test_there_is_a_file_of_every_schema():
    from blender_xpbd.jobs.job import SCHEMA_VERSION

    assert set(NAMES) >= {f"schema_{number}" for number in range(1, SCHEMA_VERSION)}


@pytest.mark.parametrize("name", NAMES)
def test_settings_are_as_they_were_saved(name, open_old, told):
    from blender_xpbd.addon.data.migration import OBJECT_VERSION, SCENE_VERSION

    scene, values = open_old(name), told(name)
    assert differing(scene.xpbd, values["scene"]) == set()
    assert scene.xpbd.version == SCENE_VERSION
    for key, settings in values["objects"].items():
        obj = scene.objects[key]
        assert obj.xpbd.version == OBJECT_VERSION
        # the first version showed whatever was typed over a named preset, which counted all the same
        shown = SHOWN_ANEW if name != "schema_1" else {(key, each) for each in preset_names(obj)}
        assert {(key, each) for each in differing(obj.xpbd, settings)} <= shown


def preset_names(obj):
    from blender_xpbd.addon.data.material_names import preset_names as names

    return names(obj.xpbd.preset)


def test_one_pose_becomes_the_first_of_a_list(bpy, open_old, told, tmp_path):
    scene, poses = open_old("one_pose"), told("one_pose")["poses"]
    names = ("target", "object", "frame", "lead", "tolerance")

    def shown():
        found = {
            obj.name: [{name: getattr(pose, name) for name in names} for pose in obj.xpbd.poses]
            for obj in scene.objects
        }
        return {key: value for key, value in found.items() if value}

    expected = {key: [pose | {"object": scene.objects.get(pose["object"] or "")}] for key, pose in poses.items()}
    assert expected["Denim"][0]["object"].name == "Crumpled"
    assert shown() == expected
    # what is removed since stays so
    scene.objects["Denim"].xpbd.poses.clear()
    scene.objects["Denim"].xpbd.version = 1
    del expected["Denim"]
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "later.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "later.blend"))
    scene = bpy.context.scene
    expected["Cloth"][0]["object"] = None
    assert shown() == expected


@pytest.mark.parametrize("is_there", [False, True])
def test_one_pose_of_an_appended_object_joins_those_it_has_got_since(bpy, told, is_there):
    from blender_xpbd.addon.data.migration import bring_up_to_date

    with bpy.data.libraries.load(str(FOLDER / "one_pose.blend")) as (_, chosen):
        chosen.objects = ["Denim"]
    settings = chosen.objects[0].xpbd
    former = told("one_pose")["poses"]["Denim"]
    frame, target = former["frame"], former["target"]
    added = settings.poses.add()
    added.target, added.frame = "Newer", frame if is_there else frame + 1
    bring_up_to_date()
    found = [(pose.frame, pose.target) for pose in settings.poses]
    assert found == [(added.frame, "Newer")] + [(frame, target)] * (not is_there)


@pytest.mark.parametrize("name", NAMES)
def test_a_number_of_substeps_counts_as_it_did(name, open_old):
    from blender_xpbd.addon.data.quality import quality_of

    scene = open_old(name)
    assert (scene.xpbd.quality, quality_of(scene.xpbd), scene.xpbd.substeps) == ("FIXED", "FIXED", 12)


@pytest.mark.parametrize("name", NAMES)
def test_a_preset_shows_the_values_that_count(name, open_old):
    from blender_xpbd.scene.presets import preset_values

    settings = open_old(name).objects["Denim"].xpbd
    assert settings.preset == "LEATHER"
    values = {each: value for each, value in preset_values("LEATHER", "CLOTH").items() if each != "stiffness_input"}
    assert differing(settings, values) == set()


@pytest.mark.parametrize("name", NAMES)
def test_the_cache_is_used_or_named_stale(bpy, name, open_old, fake_worker):
    from blender_xpbd.addon.baking.bake import run_bake

    open_old(name)
    summary = run_bake(bpy.context)
    assert summary.complete
    assert summary.from_cache or "version of the add-on" in summary.stale
    again = run_bake(bpy.context)
    assert (again.from_cache, again.stale) == (True, [])


@pytest.mark.parametrize("name", NAMES)
def test_the_bake_of_an_old_file_is_taken_back(bpy, name, open_old):
    from blender_xpbd.addon.keys.clearing import clear_bake

    scene = open_old(name)
    baked = [obj for obj in scene.objects if obj.data.shape_keys]
    assert len(baked) == 3
    for obj in baked:
        clear_bake(obj)
        assert obj.data.shape_keys is None
        assert obj.xpbd.bake_record == ""
    assert len(bpy.data.actions) == 0
