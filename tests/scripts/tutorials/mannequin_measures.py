# SPDX-License-Identifier: GPL-3.0-or-later
"""How far cloth and jelly are inside the mannequin, and how far what is shown is from what was simulated."""

from __future__ import annotations

import numpy as np


def limb_planes(body):
    """Planes of the faces of each limb, which is convex, as it is posed: outward normals and offsets [m] by limb."""
    import bpy

    shown = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    points = np.array([(shown.matrix_world @ vertex.co)[:] for vertex in shown.data.vertices])
    owners = np.array([vertex.groups[0].group for vertex in body.data.vertices])
    faces = [np.array(polygon.vertices[:]) for polygon in body.data.polygons]
    limbs = []
    for owner in np.unique(owners):
        own = [face for face in faces if owners[face[0]] == owner]
        crosses = np.array([np.cross(points[f[1]] - points[f[0]], points[f[2]] - points[f[0]]) for f in own])
        normals = crosses / np.linalg.norm(crosses, axis=1, keepdims=True)
        offsets = np.einsum("ij,ij->i", normals, points[[face[0] for face in own]])
        centre = points[owners == owner].mean(axis=0)
        signs = np.sign(offsets - normals @ centre)
        limbs.append((normals * signs[:, None], offsets * signs))
    return limbs


def deepest_inside(baked, name):
    """How deep a vertex of an object is inside a limb at any frame at most [m]; negative where it stays outside."""
    scene, motion = baked.scene, baked.motions[name]
    deepest = -np.inf
    for frame, points in enumerate(motion, start=scene.xpbd.frame_start):
        scene.frame_set(frame)
        for normals, offsets in limb_planes(scene.objects["Mannequin"]):
            deepest = max(deepest, float((offsets - points @ normals.T).min(axis=1).max()))
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
