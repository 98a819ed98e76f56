# SPDX-License-Identifier: GPL-3.0-or-later
"""How much there is to simulate, and how long it takes, told before a bake."""

from __future__ import annotations

import json

import pytest

from tests.addon.recorded_layout import draw


@pytest.fixture
def told(bpy):
    from blender_xpbd.addon.checking.check_scene import scene_expense

    def read():
        return scene_expense(bpy.context.scene, bpy.context.scene.xpbd.expense)

    return read


@pytest.fixture
def jelly(bpy, make_body, select):
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5, location=(0.0, 0.0, 0.6))
    body = bpy.context.object
    bpy.context.scene.xpbd.use_floor = True
    select(body)
    bpy.ops.xpbd.set_role(role="JELLY")
    return body


def test_the_panel_tells_it_after_a_role_was_given(bpy, jelly, told):
    from blender_xpbd.addon.ui import panels

    words = " ".join(draw(panels.XPBD_PT_main).words)
    assert "tetrahedra" in words
    assert "first-time setup included" in words
    assert 8_000 < told().counts["tetrahedra"] < 18_000


def test_it_goes_with_resolution_quality_and_frames(bpy, jelly, told):
    settings, before = bpy.context.scene.xpbd, told()
    jelly.xpbd.cage_resolution = 2 * jelly.xpbd.cage_resolution
    finer = told()
    assert finer.counts["tetrahedra"] == pytest.approx(8 * before.counts["tetrahedra"])
    assert finer.seconds > before.seconds
    settings.substeps = 7
    assert told().substeps == 7
    seconds = told().seconds
    bpy.context.scene.frame_end = 2 * bpy.context.scene.frame_end
    assert told().seconds > seconds


def test_other_bodies_are_counted_too(bpy, make_body, told, select):
    make_body("Cloth")
    bpy.ops.xpbd.check()
    assert told().counts == {"vertices": 25.0}


def test_a_bake_teaches_how_fast_the_machine_is(bpy, make_body, told, fake_worker):
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.process.speeds import read_speeds

    make_body("Cloth")
    bpy.ops.xpbd.check()
    assert not told().is_known
    run_bake(bpy.context)
    assert len(read_speeds().times) == 1
    bpy.ops.xpbd.check()
    assert told().is_known


def test_speeds_come_to_what_is_measured(bpy):
    from blender_xpbd.addon.process.speeds import _path, note_times, read_speeds

    assert read_speeds().of("a") == 1.0
    note_times("a", 4.0)
    assert read_speeds().of("a") == read_speeds().of("unknown") == 4.0
    note_times("a", 1.0)
    assert read_speeds().of("a") == 2.0
    for text in ("", "[]", '{"solver": 0, "times": {"a": 2.0}}', '{"times": {"a": "fast", "b": 1e9}}'):
        _path().write_text(text)
        assert read_speeds().times == {}


@pytest.mark.parametrize("text", ["", "3", "{}", '{"rows": [], "is_known": 1, "most": 2}', '{"rows": [{"name": 1}]}'])
def test_a_strangers_text_tells_nothing(bpy, told, text):
    from blender_xpbd.addon.ui import panels

    bpy.context.scene.xpbd.expense = text
    assert told() is None
    draw(panels.XPBD_PT_main)


def test_the_check_of_the_command_line_tells_it(bpy, make_body, capfd):
    from blender_xpbd.addon.command_line import run_command

    make_body("Cloth")
    assert run_command(["check", "--json", "--substeps", "9"]) == 0
    row = json.loads(capfd.readouterr().out.splitlines()[-1])[-1]
    assert (row["code"], row["remedy"], row["elements"], row["substeps"]) == ("EXPENSE", "", 25, 9)
    assert row["seconds"] > 0.0
    assert "25 vertices" in row["message"]
