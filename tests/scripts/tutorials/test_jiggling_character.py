# SPDX-License-Identifier: GPL-3.0-or-later
"""A mannequin of 20 bones walks in jelly and cloth."""

from __future__ import annotations

import numpy as np
import pytest

from tests.scripts.tutorials.mannequin_measures import deepest_inside, farthest_off

PARTS = ("Belly", "Ear.L", "Ear.R", "Hat", "Cape", "Skirt")
MOST_CLICKS = 8


@pytest.mark.slow
def test_it_takes_eight_clicks(bpy):
    """Each part is clicked once (with Shift), then Jiggle, then Bake; roles, goals and pins are the tutorial's."""
    from tutorial_scenes import JIGGLING_CHARACTER

    from blender_xpbd.addon.gallery.gallery import add_gallery_scene

    scene = add_gallery_scene(JIGGLING_CHARACTER, "")
    bpy.context.window.scene = scene
    taking_part = [obj for obj in scene.objects if obj.type == "MESH" and obj.xpbd.role != "NONE"]
    names = ("role", "goal_source", "goal_group", "pin_group")
    wanted = {obj.name: [getattr(obj.xpbd, name) for name in names] for obj in taking_part}
    for obj in taking_part:
        for name in (*names, "cage_resolution", "normal_resolution"):
            obj.xpbd.property_unset(name)
    for obj in scene.objects:
        obj.select_set(obj.name in PARTS)
    bpy.context.view_layer.objects.active = scene.objects[PARTS[0]]
    assert len(PARTS) + len(("Jiggle", "Bake")) <= MOST_CLICKS
    assert bpy.ops.xpbd.jiggle() == {"FINISHED"}
    assert {obj.name: [getattr(obj.xpbd, name) for name in names] for obj in taking_part} == wanted


@pytest.mark.slow
def test_the_parts_lag_behind_and_nothing_is_deformed_twice(bpy, bake_scene):
    from tutorial_scenes import JIGGLING_CHARACTER
    from tutorial_scenes.mannequin import BONES

    assert len(BONES) == 20
    baked = bake_scene(JIGGLING_CHARACTER)
    assert not [text for text in baked.summary.warnings if "W_DEFORMER" in text]
    for name in PARTS:
        assert farthest_off(baked, name) < 1e-5
        assert deepest_inside(baked, name) < 0.005
    hat = baked.motions["Hat"]
    top = hat[:, hat[0, :, 2].argmax()] - hat.mean(axis=1)
    assert np.ptp(top[:, 1]) > 0.005
    assert baked.summary.mean_strain < 0.05
    assert baked.summary.inverted_tetrahedra == 0
    assert all(entry["crossings_end"] == 0 for entry in baked.summary.contact)


@pytest.mark.slow
def test_at_rest_and_without_weight_the_rest_mesh_comes_out(bpy, bake_scene):
    from dataclasses import replace

    from tutorial_scenes import JIGGLING_CHARACTER

    def stand(scene, file):
        JIGGLING_CHARACTER.build(scene, file)
        rig = next(obj for obj in scene.objects if obj.type == "ARMATURE")
        rig.animation_data_clear()
        for bone in rig.pose.bones:
            bone.matrix_basis.identity()
        scene.gravity = (0.0, 0.0, 0.0)

    baked = bake_scene(replace(JIGGLING_CHARACTER, build=stand), frame_end=4)
    # nothing is so near to another thing that it is pushed away
    assert not any(entry["contacts"] for entry in baked.summary.contact)
    for name in PARTS:
        rest = np.array([vertex.co[:] for vertex in baked.scene.objects[name].data.vertices])
        off = np.abs(baked.motions[name] - rest)
        size = np.ptp(rest, axis=0).max()
        assert off.max() < 1e-5 * size
        assert farthest_off(baked, name) < 1e-5
