# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth on what an armature deforms, baked from end to end: nothing passes, and it goes along."""

from __future__ import annotations

import numpy as np
import pytest

from tests.geometry.triangle_shapes import signed_distances

FRAME_END = 40


def world_points(bpy, obj):
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.data
    points = np.empty(3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", points)
    matrix = np.array(evaluated.matrix_world)
    return points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def inside_count(bpy, cloth, collider):
    """Vertices of the cloth inside the collider at the scene's frame."""
    points, skin = world_points(bpy, cloth), world_points(bpy, collider)
    collider.data.calc_loop_triangles()
    triangles = np.array([triangle.vertices[:] for triangle in collider.data.loop_triangles])
    return int((signed_distances(points, skin[triangles]) < -1e-4).sum())


@pytest.mark.slow
def test_a_cape_on_a_walking_figure(bpy, tmp_path):
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions
    from tests.addon.walking_figure import SPEED, add_cape, add_figure

    rig, figure = add_figure(FRAME_END)
    cape = add_cape()
    cape.parent, cape.parent_type, cape.parent_bone = rig, "BONE", "torso"
    bpy.context.view_layer.update()
    cape.matrix_world = np.eye(4).tolist()
    summary = run_bake(bpy.context, BakeOptions(cache=tmp_path / "cache", frame_start=1, frame_end=FRAME_END))
    assert not [warning for warning in summary.warnings if "Figure" in str(warning)]
    inside = []
    for frame in range(1, FRAME_END + 1):
        bpy.context.scene.frame_set(frame)
        inside.append(inside_count(bpy, cape, figure))
    assert inside == [0] * FRAME_END
    points = world_points(bpy, cape)
    gone = SPEED * (FRAME_END - 1) / 24.0
    assert points[:, 1].mean() < 0.6 - gone
    assert 0.3 < points[:, 2].min() < 1.0, "it hangs"


def bending_arm(bpy):
    """A tube of 1.2 m along X; its outer half bends up by 60° and lifts what lies on it."""
    rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, start in (("upper", 0.0), ("lower", 0.6)):
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail = (start, 0, 0), (start + 0.6, 0, 0)
    rig.data.edit_bones["lower"].parent = rig.data.edit_bones["upper"]
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.mesh.primitive_cylinder_add(vertices=8, radius=0.1, depth=1.2, location=(0.6, 0, 0), end_fill_type="TRIFAN")
    arm = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide(number_cuts=5)
    bpy.ops.object.mode_set(mode="OBJECT")
    points = np.array([vertex.co[:] for vertex in arm.data.vertices])
    turned = np.stack([points[:, 2], points[:, 1], -points[:, 0]], axis=1)
    arm.data.vertices.foreach_set("co", turned.ravel())
    share = np.clip((turned[:, 0] + 0.15) / 0.3, 0.0, 1.0)
    for name, weights in (("upper", 1.0 - share), ("lower", share)):
        group = arm.vertex_groups.new(name=name)
        for vertex, weight in enumerate(weights):
            group.add([vertex], float(weight), "REPLACE")
    arm.modifiers.new("Armature", "ARMATURE").object = rig
    bone = rig.pose.bones["lower"]
    bone.rotation_mode = "XYZ"
    up = np.array(rig.data.bones["lower"].matrix_local)[:3, :3].T @ [0.0, -1.0, 0.0]
    for frame, angle in ((10, 0.0), (FRAME_END, np.radians(60.0))):
        bone.rotation_euler = (up * angle).tolist()
        bone.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(1)
    arm.xpbd.role, arm.xpbd.collider_shape, arm.xpbd.friction = "COLLIDER", "MESH", 2.0
    return arm


@pytest.mark.slow
def test_cloth_on_a_bending_arm(bpy, tmp_path):
    """A towel over the forearm goes up with it: it neither passes nor stays behind."""
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    arm = bending_arm(bpy)
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=12, y_subdivisions=24, size=1.0, location=(0.85, 0.0, 0.12))
    towel = bpy.context.object
    towel.data.vertices.foreach_set("co", (np.array([v.co[:] for v in towel.data.vertices]) * [0.35, 0.8, 1]).ravel())
    towel.xpbd.role, towel.xpbd.friction = "CLOTH", 2.0
    run_bake(bpy.context, BakeOptions(cache=tmp_path / "cache", frame_start=1, frame_end=FRAME_END))
    inside, heights = [], []
    for frame in range(1, FRAME_END + 1):
        bpy.context.scene.frame_set(frame)
        inside.append(inside_count(bpy, towel, arm))
        heights.append(world_points(bpy, towel)[:, 2].max())
    assert inside == [0] * FRAME_END
    # its place on the arm rises by sin 60° of its distance from the elbow
    assert heights[-1] > heights[10] + 0.15
