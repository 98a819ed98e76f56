# SPDX-License-Identifier: GPL-3.0-or-later
"""A cape on a figure that walks, baked from end to end: nothing passes, and it goes along."""

from __future__ import annotations

import numpy as np

from tests.geometry.triangle_shapes import signed_distances

FRAME_END = 40


def world_points(bpy, obj):
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.data
    points = np.empty(3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", points)
    matrix = np.array(evaluated.matrix_world)
    return points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


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
        points, skin = world_points(bpy, cape), world_points(bpy, figure)
        figure.data.calc_loop_triangles()
        triangles = np.array([triangle.vertices[:] for triangle in figure.data.loop_triangles])
        inside.append(int((signed_distances(points, skin[triangles]) < -1e-4).sum()))
    assert inside == [0] * FRAME_END
    gone = SPEED * (FRAME_END - 1) / 24.0
    assert points[:, 1].mean() < 0.6 - gone
    assert 0.3 < points[:, 2].min() < 1.0, "it hangs"
