# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a bake is told as long as there is something that it is about."""

from __future__ import annotations

import json

import pytest

from tests.addon.recorded_layout import draw
from tests.addon.strands import make_hair


@pytest.fixture
def short(bpy, tmp_path):
    """A scene whose bake is short."""
    settings = bpy.context.scene.xpbd
    settings.frame_end, settings.substeps, settings.cache_directory = 5, 2, str(tmp_path / "cache")
    return settings


@pytest.fixture
def words(bpy):
    """A function that answers all that the main panel shows."""
    from blender_xpbd.addon.ui.panels import XPBD_PT_main

    return lambda: draw(XPBD_PT_main).words


def warn(settings, *names):
    """Let the report tell something of each object."""
    warnings = [f'W_COARSE: object "{name}": It has few vertices.' for name in names]
    settings.report = json.dumps({**json.loads(settings.report), "warnings": warnings})
    # those of the check before the bake name objects too
    settings.findings = ""


def told_of(words):
    """What the panel tells of the bake: its line, and the names in its notices."""
    text = " ".join(words())
    return "Baked 5 frames" in text, [name for name in ("Apple", "Pear") if f'"{name}"' in text]


def test_the_result_goes_with_a_deleted_object(bpy, make_body, short, fake_worker, words):
    make_body("Apple"), make_body("Pear")
    bpy.ops.xpbd.bake()
    warn(short, "Apple", "Pear")
    assert told_of(words) == (True, ["Apple", "Pear"])
    bpy.data.objects.remove(bpy.data.objects["Apple"])
    assert told_of(words) == (True, ["Pear"])
    bpy.data.objects.remove(bpy.data.objects["Pear"])
    assert told_of(words) == (False, [])


def test_what_is_deleted_but_still_pointed_to_is_gone(bpy, make_body, short, fake_worker, words):
    apple, pear = make_body("Apple"), make_body("Pear")
    bpy.ops.xpbd.bake()
    warn(short, "Apple", "Pear")
    pear.xpbd.attach_target = apple
    bpy.context.scene.collection.objects.unlink(apple)
    assert "Apple" in bpy.data.objects
    assert told_of(words) == (True, ["Pear"])


def test_the_result_goes_with_keys_removed_by_hand(bpy, make_body, short, fake_worker, words):
    apple, pear = make_body("Apple"), make_body("Pear")
    bpy.ops.xpbd.bake()
    apple.shape_key_clear()
    assert told_of(words)[0]
    pear.shape_key_clear()
    assert not told_of(words)[0]


def test_what_is_renamed_keeps_its_result(bpy, make_body, short, fake_worker, words):
    apple = make_body("Apple")
    bpy.ops.xpbd.bake()
    warn(short, "Apple")
    apple.name = "Core"
    assert told_of(words) == (True, ["Apple"])


def test_hair_keeps_its_result_as_long_as_it_plays_it(bpy, short, fake_worker, words):
    from blender_xpbd.addon.keys.hair_points import points_modifier

    hair = make_hair()
    hair.xpbd.role = "STRAND"
    bpy.ops.xpbd.bake()
    assert told_of(words)[0]
    hair.modifiers.remove(points_modifier(hair))
    assert not told_of(words)[0]


def test_a_fault_goes_with_its_object(bpy, make_body, short, fake_worker, words):
    from blender_xpbd.addon.data.bake_status import STATUS

    apple = make_body("Apple")
    fault = 'E_GEOM: object "Apple": It is empty.'
    whole = "E_IO: The disk is full."
    short.report = json.dumps({"objects": ["Apple"], "frames": 0, "error": f"{fault}\n{whole}"})
    for message in ("", f"{fault}\n{whole}"):
        STATUS.message = message
        assert {"It is empty.", "The disk is full."} <= {
            part for part in ("It is empty.", "The disk is full.") if part in " ".join(words())
        }
    bpy.data.objects.remove(apple)
    for message in ("", f"{fault}\n{whole}"):
        STATUS.message = message
        text = " ".join(words())
        assert "It is empty." not in text
        assert "The disk is full." in text


def test_a_fault_goes_with_the_bake_that_is_undone(bpy, make_body, short, fake_worker, words):
    from blender_xpbd.addon.data.bake_status import STATUS

    make_body("Apple")
    bpy.ops.ed.undo_push(message="before")
    fake_worker(crash_at=2)
    with pytest.raises(RuntimeError, match="E_WORKER"):
        bpy.ops.xpbd.bake()
    bpy.ops.ed.undo_push(message="bake")
    STATUS.message = STATUS.bake_fault = json.loads(bpy.context.scene.xpbd.report)["error"]
    assert "E_WORKER" in " ".join(words())
    bpy.ops.ed.undo()
    assert "E_WORKER" not in " ".join(words())
