# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders that deform come with their vertices at every frame; what keeps its shape comes once."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError
from tests.addon.deformers import (
    DEFORMERS,
    animate,
    deform_by_armature,
    deform_by_count,
    deform_by_key,
    deform_by_modifier,
    rest_in_armature,
    subdivide,
)

FRAMES = 20


@pytest.fixture
def read(bpy):
    """A function that reads the scene to its end; it returns the collider called Wall."""
    from blender_xpbd.addon.baking.scene_reader import read_scene
    from blender_xpbd.addon.data.bake_options import BakeOptions

    def run(**values):
        steps = read_scene(bpy.context, BakeOptions(**{"frame_start": 1, "frame_end": FRAMES, **values}))
        run.steps = 0
        try:
            while True:
                next(steps)
                run.steps += 1
        except StopIteration as end:
            (wall,) = [collider for collider in end.value.scene.colliders if collider.name == "Wall"]
            return wall

    return run


def shown(bpy, obj, frame):
    """Local vertices of the evaluated mesh at a frame."""
    bpy.context.scene.frame_set(frame)
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    return np.array([vertex.co[:] for vertex in mesh.vertices])


@pytest.mark.parametrize("moves", [False, True])
@pytest.mark.parametrize("deform", [deform for deform in DEFORMERS if deform is not deform_by_count])
def test_a_collider_that_deforms(bpy, make_body, read, deform, moves):
    make_body()
    wall = make_body("Wall", role="COLLIDER")
    deform(bpy, wall)
    if moves:
        animate(wall, "location", {1: (0, 0, 0), FRAMES: (1, 0, 0)})
    bpy.context.scene.frame_set(7)
    found = read()
    assert bpy.context.scene.frame_current == 7
    assert found.positions.shape == (FRAMES, len(shown(bpy, wall, 1)), 3)
    assert len(found.transforms) == (FRAMES if moves else 1)
    for frame in (1, 5, 8, FRAMES):
        np.testing.assert_allclose(found.positions[frame - 1], shown(bpy, wall, frame), atol=1e-6)
    assert np.ptp(found.positions, axis=0).max() > 0.01


def test_frames_before_the_first_change_have_the_first_shape(bpy, make_body, read):
    make_body()
    wall = make_body("Wall", role="COLLIDER")
    wall.shape_key_add(name="Basis")
    key = wall.shape_key_add(name="Key")
    key.data[0].co.z += 1.0
    animate(key, "value", {1: 0.0, 10: 0.0, 20: 1.0})
    positions = read().positions
    assert (positions[:10] == positions[0]).all()
    assert positions[19, 0, 2] == pytest.approx(positions[0, 0, 2] + 1.0)


def hide_deformer(bpy, obj):
    deform_by_modifier(bpy, obj)
    obj.modifiers[0].show_viewport = False


def move(bpy, obj):
    animate(obj, "location", {1: (0, 0, 0), 20: (1000, 0, 0)})


def simulate(bpy, obj):
    obj.modifiers.new("Cloth", "CLOTH").settings.effector_weights.gravity = 0.0


@pytest.mark.parametrize("change", [rest_in_armature, subdivide, hide_deformer, move, simulate])
def test_a_collider_that_keeps_its_shape_comes_once(bpy, make_body, read, change):
    make_body()
    change(bpy, make_body("Wall", role="COLLIDER"))
    assert len(read().positions) == 1


def test_what_cannot_deform_is_not_played(bpy, make_body, read):
    make_body()
    wall = make_body("Wall", role="COLLIDER")
    subdivide(bpy, wall)
    read()
    assert read.steps == 0
    deform_by_key(bpy, wall)
    read()
    assert read.steps == FRAMES - 1


def test_an_endless_plane_is_not_played(bpy, make_body, read):
    make_body()
    wall = make_body("Wall", role="COLLIDER")
    wall.xpbd.collider_shape = "PLANE"
    deform_by_armature(bpy, wall)
    assert len(read().positions) == 1
    assert read.steps == 0


def test_blenders_own_cloth_collides_as_it_falls(bpy, make_body, read):
    make_body()
    wall = make_body("Wall", role="COLLIDER")
    wall.modifiers.new("Cloth", "CLOTH")
    positions = read().positions
    assert len(positions) == FRAMES
    assert positions[-1, :, 2].mean() < positions[0, :, 2].mean() - 0.5


def test_a_collider_that_a_handler_deforms(bpy, make_body, read):
    make_body()
    wall = make_body("Wall", role="COLLIDER")

    def deform(scene, *_arguments):
        wall.data.vertices[0].co.z = scene.frame_current
        wall.data.update()

    bpy.app.handlers.frame_change_pre.append(deform)
    try:
        positions = read().positions
    finally:
        bpy.app.handlers.frame_change_pre.remove(deform)
    np.testing.assert_allclose(positions[:, 0, 2], np.arange(1, FRAMES + 1))


def decimate(bpy, obj):
    animate(obj.modifiers.new("Decimate", "DECIMATE"), "ratio", {1: 1.0, FRAMES: 0.3})


@pytest.mark.parametrize("change", [deform_by_count, decimate])
def test_faces_that_change_are_refused_with_the_frame(bpy, make_body, read, change):
    make_body()
    wall = make_body("Wall", role="COLLIDER")
    change(bpy, wall)
    with pytest.raises(XpbdError, match="Wall") as caught:
        read()
    assert caught.value.code == "E_MODIFIER_TOPOLOGY"
    assert 1 < caught.value.frame <= FRAMES


def test_a_vertex_that_leaves_for_nowhere_is_refused(bpy, make_body, read):
    make_body()
    wall = make_body("Wall", role="COLLIDER")

    def deform(scene, *_arguments):
        wall.data.vertices[3].co.z = float("nan") if scene.frame_current == 6 else 0.0
        wall.data.update()

    bpy.app.handlers.frame_change_pre.append(deform)
    try:
        with pytest.raises(XpbdError, match=r"E_GEOM_NONFINITE.*Wall.*frame 6"):
            read()
    finally:
        bpy.app.handlers.frame_change_pre.remove(deform)
