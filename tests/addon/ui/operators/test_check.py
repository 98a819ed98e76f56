# SPDX-License-Identifier: GPL-3.0-or-later
"""The button Check, and that choosing a role checks."""

from __future__ import annotations

import json

import pytest


def codes(bpy):
    return [row["code"] for row in json.loads(bpy.context.scene.xpbd.findings)]


def test_a_check_notes_what_it_finds(bpy, make_body):
    make_body("Cloth")
    assert bpy.ops.xpbd.check() == {"FINISHED"}
    assert codes(bpy) == ["W_FALLS"]


def test_a_role_is_checked_at_once(bpy, make_body, select):
    select(make_body("Cloth", role="NONE"))
    bpy.ops.xpbd.set_role(role="CLOTH")
    assert codes(bpy) == ["W_FALLS"]


def test_what_a_collider_mends_is_not_told_any_more(bpy, make_body, select):
    select(make_body("Cloth", role="NONE"))
    bpy.ops.xpbd.set_role(role="CLOTH")
    assert codes(bpy) == ["W_FALLS"]
    select(make_body("Plate", role="NONE", location=(0.0, 0.0, -1.0)))
    bpy.ops.xpbd.set_role(role="COLLIDER")
    assert codes(bpy) == []


def test_nothing_is_told_of_what_is_not_simulated_any_more(bpy, make_body, select):
    select(make_body("Cloth", role="NONE"))
    bpy.ops.xpbd.set_role(role="CLOTH")
    bpy.ops.xpbd.set_role(role="NONE")
    assert bpy.context.scene.xpbd.findings == ""


def test_nothing_to_check(bpy, make_body):
    make_body("Cloth", role="NONE")
    assert not bpy.ops.xpbd.check.poll()
    with pytest.raises(RuntimeError, match="Make an object"):
        bpy.ops.xpbd.check()
