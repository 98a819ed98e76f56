# SPDX-License-Identifier: GPL-3.0-or-later
"""How far cloth and jelly are inside the mannequin, and how far what is shown is from what was simulated."""

from __future__ import annotations

import numpy as np
from tutorial_scenes.mannequin import BONES


def deepest_inside(baked, name):
    """How deep a vertex of an object is inside a limb at any frame at most [m]."""
    scene, motion = baked.scene, baked.motions[name]
    rig = next(obj for obj in scene.objects if obj.type == "ARMATURE")
    deepest = 0.0
    for frame, points in enumerate(motion, start=scene.xpbd.frame_start):
        scene.frame_set(frame)
        for bone, (_, head, tail, radius) in BONES.items():
            if radius == 0.0:
                continue
            posed = np.array(rig.matrix_world @ rig.pose.bones[bone].matrix)
            local = (points - posed[:3, 3]) @ posed[:3, :3]
            half = 0.5 * np.linalg.norm(np.subtract(tail, head))
            # an ellipsoid about the middle of the bone, which lies along Y
            share = np.linalg.norm((local - (0.0, half, 0.0)) / (radius, half + 0.5 * radius, radius), axis=1)
            deepest = max(deepest, float((1.0 - share.min()) * radius))
    return deepest


def farthest_off(baked, name):
    """How far an evaluated vertex is from the simulated one at any frame, as a share of the mesh's size."""
    import bpy

    scene, motion = baked.scene, baked.motions[name]
    obj = scene.objects[name]
    for modifier in obj.modifiers:
        modifier.show_viewport = modifier.type == "ARMATURE"
    worst = 0.0
    for frame, points in enumerate(motion, start=scene.xpbd.frame_start):
        scene.frame_set(frame)
        evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
        shown = np.array([(evaluated.matrix_world @ vertex.co)[:] for vertex in evaluated.data.vertices])
        worst = max(worst, float(np.linalg.norm(shown - points, axis=1).max()))
    return worst / float(np.ptp(motion[0], axis=0).max())
