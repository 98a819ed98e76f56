# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes are taken back."""

from __future__ import annotations

import json

import pytest


def test_bake_and_clear(bpy, make_body, select, short, fake_worker, dump):
    body, other = make_body("Body"), make_body("Other", role="NONE")
    select(body)
    before = dump(body)
    assert bpy.ops.xpbd.bake() == {"FINISHED"}
    assert len(body.data.shape_keys.key_blocks) == 6
    assert body.xpbd.bake_record
    assert other.data.shape_keys is None
    assert json.loads(short.report)["frames"] == 5
    assert not bpy.context.window_manager.xpbd.is_baking
    assert bpy.ops.xpbd.clear() == {"FINISHED"}
    assert dump(body) == before
    assert not body.xpbd.bake_record
    assert not short.report


def test_clear_takes_the_selected_or_all(bpy, make_body, select, short, fake_worker):
    bodies = [make_body("A"), make_body("B"), make_body("C")]
    bpy.ops.xpbd.bake()
    select(bodies[0])
    bpy.ops.xpbd.clear()
    assert [bool(body.xpbd.bake_record) for body in bodies] == [False, True, True]
    select()
    assert bpy.ops.xpbd.clear() == {"CANCELLED"}
    assert bpy.ops.xpbd.clear(all=True) == {"FINISHED"}
    assert not any(body.data.shape_keys for body in bodies)


def test_a_body_that_cannot_be_cleared_is_named_and_the_others_are(bpy, make_body, select, short, fake_worker):
    body, edited = make_body("Body"), make_body("Edited")
    bpy.ops.xpbd.bake()
    select(edited)
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        with pytest.raises(RuntimeError, match=r"^Error: [^E].*\(E_MODE_EDIT\)"):
            bpy.ops.xpbd.clear(all=True)
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
    assert not body.xpbd.bake_record
    assert edited.xpbd.bake_record


def test_a_run_that_is_played_is_ended_first(bpy, make_body, select, short, fake_worker):
    from blender_xpbd.addon.data.bake_status import STATUS

    body = make_body()
    bpy.ops.xpbd.bake()
    select(body)
    STATUS.is_playing = True
    try:
        with pytest.raises(RuntimeError, match="keep or stop it first"):
            bpy.ops.xpbd.clear()
    finally:
        STATUS.is_playing = False
    assert body.xpbd.bake_record
