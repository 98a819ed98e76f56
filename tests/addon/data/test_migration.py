# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of earlier versions; files that they have saved are in ``test_old_files``."""

from __future__ import annotations

import pytest


@pytest.fixture
def migration(bpy):
    from blender_xpbd.addon.data import migration

    return migration


def test_what_is_saved_has_the_version(bpy, migration, make_body, tmp_path):
    body = make_body()
    bystander = bpy.data.objects.new("Bystander", None)
    bpy.context.scene.collection.objects.link(bystander)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "new.blend"))
    assert body.xpbd.version == migration.OBJECT_VERSION > 0
    assert bpy.context.scene.xpbd.version == migration.SCENE_VERSION > 0
    assert not bystander.xpbd.is_property_set("version"), "objects that take no part are left alone"


def test_a_save_leaves_a_resolution_chosen_from_the_mesh(bpy, make_body, select, tmp_path):
    body = make_body(role="NONE")
    select(body)
    bpy.ops.xpbd.set_role(role="JELLY")
    chosen = body.xpbd.normal_resolution
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "new.blend"))
    assert body.xpbd.normal_resolution == chosen > 0


def test_what_the_present_version_has_set_is_left_alone(bpy, migration, make_body):
    body, scene = make_body(), bpy.context.scene
    body.xpbd.area_density = 0.77
    scene.xpbd.substeps = 40
    scene.xpbd.quality = "FINAL"
    migration.bring_up_to_date()
    assert body.xpbd.area_density == pytest.approx(0.77)
    assert scene.xpbd.quality == "FINAL"


@pytest.mark.parametrize(
    ("role", "preset", "name", "value"),
    [("JELLY", "JELLY_SOFT", "yield_strain", 2.0), ("CLOTH", "COTTON", "yield_curvature", 200.0)],
)
def test_a_typed_value_that_another_preset_has_too_is_kept(bpy, migration, make_body, role, preset, name, value):
    body = make_body(role=role)
    body.xpbd.preset = preset
    setattr(body.xpbd, name, value)
    assert body.xpbd.version == 0
    migration.bring_up_to_date()
    assert (body.xpbd.version, getattr(body.xpbd, name)) == (migration.OBJECT_VERSION, value)


def test_a_resolution_beyond_the_range_is_the_nearest_that_there_is(bpy, migration, make_body):
    body = make_body(role="JELLY")
    groups = body.bl_system_properties_get() if bpy.app.version >= (5, 0) else body
    for stored, expected in ((500, 128), (1, 2)):
        body.xpbd.cage_resolution = 16
        groups["xpbd"]["cage_resolution"] = stored
        body.xpbd.version = 0
        migration.bring_up_to_date()
        assert groups["xpbd"]["cage_resolution"] == expected


def test_each_step_is_done_once(bpy, migration, make_body, monkeypatch):
    body = make_body()
    done = []
    steps = tuple((lambda _settings, number=number: done.append(number)) for number in range(3))
    monkeypatch.setattr(migration, "_OBJECT_STEPS", steps)
    body.xpbd.version = 1
    migration.bring_up_to_date()
    migration.bring_up_to_date()
    assert done == [1, 2]
    assert body.xpbd.version == 3


def test_settings_of_a_later_version_are_kept_and_told(bpy, migration, make_body, fake_worker, tmp_path):
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    body = make_body("Tuch")
    body.xpbd.version = later = migration.OBJECT_VERSION + 1
    summary = run_bake(bpy.context, BakeOptions(cache=tmp_path / "cache", frame_start=1, frame_end=3))
    (warning,) = (text for text in summary.warnings if text.startswith("W_VERSION"))
    assert "Tuch" in warning
    assert body.xpbd.version == later
