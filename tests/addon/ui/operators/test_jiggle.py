# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft parts of a rigged character after one click: roles by their meshes, goals by their rig, a skin that stops them.

The character of the tutorial is in tests/scripts/tutorials/test_jiggling_character.py.
"""

from __future__ import annotations

import json

import pytest

from tests.addon.deformers import armature


@pytest.fixture
def character(bpy):
    """A skin, a hat and a sheet with pins that an armature deforms; the rig and the three."""
    rig = armature(bpy)

    def add(name, operator, **values):
        operator(**values)
        obj = bpy.context.object
        obj.name = name
        obj.vertex_groups.new(name="Bone").add(range(4), 1.0, "REPLACE")
        obj.modifiers.new("Armature", "ARMATURE").object = rig
        return obj

    skin = add("Skin", bpy.ops.mesh.primitive_cube_add, size=1.0)
    hat = add("Hat", bpy.ops.mesh.primitive_uv_sphere_add, radius=0.2, location=(0.0, 0.0, 0.9))
    cape = add("Cape", bpy.ops.mesh.primitive_grid_add, size=0.5, location=(0.0, 0.9, 0.0))
    cape.vertex_groups.new(name="Pins").add([0, 1], 1.0, "REPLACE")
    return rig, skin, hat, cape


def test_roles_by_the_meshes_and_goals_by_the_rig(bpy, character, select):
    _, skin, hat, cape = character
    select(hat, cape)
    assert bpy.ops.xpbd.jiggle() == {"FINISHED"}
    assert [obj.xpbd.role for obj in (skin, hat, cape)] == ["COLLIDER", "JELLY", "CLOTH"]
    assert (hat.xpbd.goal_source, hat.xpbd.goal_group, hat.xpbd.pin_group) == ("DEFORMED", "", "")
    assert (cape.xpbd.goal_source, cape.xpbd.goal_group, cape.xpbd.pin_group) == ("DEFORMED", "Pins", "Pins")
    codes = {row["code"] for row in json.loads(bpy.context.scene.xpbd.findings)}
    assert not {"W_RIG", "W_FALLS", "W_PIN_GROUP", "W_GROUP"} & codes
    assert not {code for code in codes if code.startswith("E_")}


def test_a_role_and_pins_that_were_chosen_stay(bpy, character, select):
    _, skin, hat, cape = character
    hat.xpbd.role = "CLOTH"
    cape.vertex_groups.new(name="Mine").add([0], 1.0, "REPLACE")
    cape.xpbd.pin_group = "Mine"
    skin.xpbd.role = "CLOTH"
    select(hat, cape)
    bpy.ops.xpbd.jiggle()
    assert (hat.xpbd.role, skin.xpbd.role) == ("CLOTH", "CLOTH")
    assert cape.xpbd.pin_group == cape.xpbd.goal_group == "Mine"


def test_a_collider_among_the_chosen_stays_one(bpy, character, select):
    _, skin, hat, _ = character
    skin.xpbd.role = "COLLIDER"
    select(skin)
    assert not bpy.ops.xpbd.jiggle.poll()
    select(hat, skin)
    bpy.ops.xpbd.jiggle()
    assert (skin.xpbd.role, skin.xpbd.goal_source, hat.xpbd.role) == ("COLLIDER", "NONE", "JELLY")


def test_what_a_bone_carries_is_drawn_to_its_object(bpy, character, select):
    rig, _, hat, _ = character
    hat.modifiers.clear()
    hat.parent, hat.parent_type, hat.parent_bone = rig, "BONE", "Bone"
    select(hat)
    assert bpy.ops.xpbd.jiggle() == {"FINISHED"}
    assert hat.xpbd.goal_source == "OBJECT"


def test_without_a_rig_there_is_nothing_to_follow(bpy, make_body, select):
    select(make_body("Lone", role="NONE"))
    assert not bpy.ops.xpbd.jiggle.poll()
