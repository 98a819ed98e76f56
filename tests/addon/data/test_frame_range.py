# SPDX-License-Identifier: GPL-3.0-or-later
"""Which frames a bake has."""

from __future__ import annotations

import pytest


@pytest.fixture
def scene(bpy):
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 5, 60
    return scene


@pytest.fixture
def baked_range(bpy):
    from blender_xpbd.addon.data.frame_range import baked_range

    return baked_range


def test_a_new_scene_bakes_what_the_timeline_plays(scene, baked_range):
    assert baked_range(scene) == (5, 60)
    scene.frame_end = 70
    assert baked_range(scene) == (5, 70)


@pytest.mark.parametrize(("name", "expected"), [("frame_start", (3, 250)), ("frame_end", (1, 3))])
def test_typed_frames_stay(scene, baked_range, name, expected):
    setattr(scene.xpbd, name, 3)
    assert not scene.xpbd.use_scene_range
    assert baked_range(scene) == expected
    scene.xpbd.use_scene_range = True
    assert baked_range(scene) == (5, 60), "what is chosen afterwards counts"


def test_typed_frames_of_a_file_from_before_there_was_a_choice_stay(scene, baked_range):
    from blender_xpbd.addon.data.migration import bring_up_to_date

    scene.xpbd.frame_end = 40
    scene.xpbd.property_unset("use_scene_range")
    assert scene.xpbd.use_scene_range
    assert baked_range(scene) == (1, 40)
    scene.xpbd.version = 1
    bring_up_to_date()
    assert not scene.xpbd.use_scene_range
    assert baked_range(scene) == (1, 40)


def test_wishes_of_a_bake_count_first(scene, baked_range):
    from blender_xpbd.addon.data.bake_options import BakeOptions

    assert baked_range(scene, BakeOptions(frame_end=30)) == (5, 30)
    assert baked_range(scene, BakeOptions(frame_start=7)) == (7, 60)
