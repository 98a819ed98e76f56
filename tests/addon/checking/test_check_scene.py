# SPDX-License-Identifier: GPL-3.0-or-later
"""A check of a Blender scene tells what its bake would refuse or warn of, and changes nothing."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def check(bpy):
    """A function that checks the scene; it returns code and object of what was found."""
    from blender_xpbd.addon.checking.check_scene import check_scene
    from blender_xpbd.addon.data.bake_options import BakeOptions

    def run(**values):
        return [(found.code, found.object) for found in check_scene(bpy.context, BakeOptions(**values))]

    return run


@pytest.fixture
def sound(bpy, make_body):
    """A cloth over the floor, baked over the frames of the scene."""
    bpy.context.scene.xpbd.use_floor = True
    return make_body("Cloth", location=(0.0, 0.0, 2.0))


def test_a_sound_scene(check, sound):
    assert check() == []


def test_faults_of_all_objects_come_as_findings(bpy, check, sound, make_body):
    make_body("Empty", mesh=bpy.data.meshes.new("Empty"))
    make_body("Flat", scale=(1.0, 1.0, 0.0))
    assert check() == [("E_GEOM_EMPTY", "Empty"), ("E_TRANSFORM_SINGULAR", "Flat")]


def test_warnings_of_the_reading_come_too(bpy, check, sound):
    sound.xpbd.pin_group = "gone"
    assert check() == [("W_PIN_GROUP", "Cloth")]


def test_the_range_of_the_scene(bpy, check, sound):
    bpy.context.scene.frame_end = 77
    assert check() == [], "it is followed"
    bpy.context.scene.xpbd.frame_end = 76
    assert check() == [("W_RANGE", "")]
    assert check(frame_start=1, frame_end=20) == []


def test_a_range_that_is_too_long_is_told_as_the_bake_would(bpy, check, sound):
    bpy.context.scene.frame_end = 1_000_001
    assert check() == [("E_FRAME_RANGE", "")]
    bpy.context.scene.frame_end = 1_000_000
    assert "E_FRAME_RANGE" not in dict(check())


def test_no_bodies(bpy, check):
    assert [code for code, _ in check()][:1] == ["E_NOTHING"]


def test_what_has_a_button_comes_before_what_has_none(bpy, check):
    """As how stiff a large jelly is, which was the first thing that was told of a cube that falls for ever."""
    bpy.ops.mesh.primitive_cube_add(size=2.0)
    bpy.ops.xpbd.set_role(role="JELLY")
    assert [code for code, _ in check()] == ["W_FALLS", "W_COARSE", "W_FEEL"]


@pytest.mark.parametrize("how", ["object", "collection", "excluded"])
def test_bodies_that_are_disabled_are_named(bpy, sound, how):
    from blender_xpbd.addon.checking.check_scene import check_scene
    from blender_xpbd.addon.data.bake_options import BakeOptions

    collection = bpy.data.collections.new("Hidden")
    bpy.context.scene.collection.children.link(collection)
    bpy.context.scene.collection.objects.unlink(sound)
    collection.objects.link(sound)
    if how == "excluded":
        bpy.context.view_layer.layer_collection.children["Hidden"].exclude = True
    else:
        (sound if how == "object" else collection).hide_viewport = True
    (found,) = check_scene(bpy.context, BakeOptions())
    assert found.code == "E_NOTHING"
    assert '"Cloth"' in found.message
    assert "disabled" in found.message


def test_nothing_but_the_first_frame_is_looked_at_and_the_playhead_stays(bpy, check, sound):
    sound.keyframe_insert("location", frame=1)
    sound.location.z = -5.0
    sound.keyframe_insert("location", frame=50)
    scene = bpy.context.scene
    scene.frame_set(40)
    visited = []
    bpy.app.handlers.frame_change_post.append(lambda scene, *_: visited.append(scene.frame_current))
    try:
        # what moves it from the second frame on, nothing holds it to
        assert check() == [("W_IGNORED", "")]
    finally:
        bpy.app.handlers.frame_change_post.clear()
    assert set(visited) <= {1, 40}
    assert scene.frame_current == 40


def test_notes_are_kept_for_the_panel_and_forgotten_by_code(bpy, sound):
    from blender_xpbd.addon.checking.check_scene import forget_findings, note_findings

    scene = bpy.context.scene
    sound.location.z = -1.0
    scene.xpbd.frame_end = 77
    bpy.context.view_layer.update()
    note_findings(bpy.context)
    assert [row["code"] for row in json.loads(scene.xpbd.findings)] == ["W_INSIDE", "W_RANGE"]
    forget_findings(scene, "W_RANGE")
    assert [row["code"] for row in json.loads(scene.xpbd.findings)] == ["W_INSIDE"]


@pytest.mark.parametrize("where", ["option", "scene"])
def test_a_cache_that_cannot_be_written_is_told_as_the_bake_would(bpy, sound, fake_worker, tmp_path, where):
    """A name that is too long was told by the bake alone, after it had read all frames."""
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.checking.check_scene import check_scene
    from blender_xpbd.addon.data.bake_options import BakeOptions
    from blender_xpbd.scene.errors import XpbdError

    folder = tmp_path / "not yet" / ("x" * 300)
    options = BakeOptions(cache=folder if where == "option" else None)
    if where == "scene":
        bpy.context.scene.xpbd.cache_directory = str(folder)
    (found,) = check_scene(bpy.context, options)
    assert list(tmp_path.iterdir()) == [], "a check writes nothing"
    with pytest.raises(XpbdError) as caught:
        run_bake(bpy.context, options)
    assert (found.code, found.message.partition(":")[2]) == ("E_IO", caught.value.message.partition(":")[2])
    assert "File name too long; choose a cache folder with shorter names" in found.message


def test_a_cache_that_cannot_be_written_is_told_beside_what_the_scene_has(bpy, check, tmp_path):
    (tmp_path / "file").touch()
    assert [code for code, _ in check(cache=tmp_path / "file" / "cache")][:2] == ["E_IO", "E_NOTHING"]
