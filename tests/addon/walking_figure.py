# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure of boxes that walks: an armature, a mesh in its groups, and a cape pinned at the shoulders."""

from __future__ import annotations

import math

import bpy
import numpy as np

# bone: head, tail, half widths of its box
BONES = {
    "torso": ((0.0, 0.0, 0.9), (0.0, 0.0, 1.5), (0.2, 0.11)),
    "head": ((0.0, 0.0, 1.55), (0.0, 0.0, 1.8), (0.1, 0.1)),
    "leg.L": ((0.11, 0.0, 0.9), (0.11, 0.0, 0.0), (0.08, 0.08)),
    "leg.R": ((-0.11, 0.0, 0.9), (-0.11, 0.0, 0.0), (0.08, 0.08)),
    "arm.L": ((0.28, 0.0, 1.45), (0.28, 0.0, 0.85), (0.05, 0.05)),
    "arm.R": ((-0.28, 0.0, 1.45), (-0.28, 0.0, 0.85), (0.05, 0.05)),
}
SWING = {"leg.L": 0.5, "leg.R": -0.5, "arm.L": -0.5, "arm.R": 0.5}
STEPS_AROUND = 6
FRAMES_PER_STRIDE = 24
SPEED = 1.2


def add_figure(frame_end: int) -> tuple[bpy.types.Object, bpy.types.Object]:
    """A figure that walks along −Y from frame 1 on; the mesh is a child that the armature deforms."""
    rig = _armature()
    body = _body(rig)
    for frame in range(1, frame_end + 1):
        swing = math.sin(2.0 * math.pi * (frame - 1) / FRAMES_PER_STRIDE)
        for name, angle in SWING.items():
            bone = rig.pose.bones[name]
            bone.rotation_mode = "XYZ"
            bone.rotation_euler.x = angle * swing
            bone.keyframe_insert("rotation_euler", frame=frame)
        hips = rig.pose.bones["root"]
        # bones lie along their own Y: the root's is up, its −Z is ahead
        hips.location = _along(rig, (0.0, -SPEED * (frame - 1) / 24.0, 0.02 * abs(swing)))
        hips.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    body.xpbd.role, body.xpbd.collider_shape = "COLLIDER", "MESH"
    return rig, body


def add_cape(columns: int = 24, rows: int = 36) -> bpy.types.Object:
    """A sheet behind the back; its upper edge is in the group Pins. Its object goes where the shoulders go."""
    x, z = np.meshgrid(np.linspace(-0.24, 0.24, columns), np.linspace(1.5, 0.5, rows))
    flare = 1.0 + 0.5 * (1.5 - z)
    points = np.column_stack([(x * flare).ravel(), np.full(x.size, 0.145) + 0.12 * (1.5 - z).ravel(), z.ravel()])
    quads = [
        (row * columns + i, row * columns + i + 1, (row + 1) * columns + i + 1, (row + 1) * columns + i)
        for row in range(rows - 1)
        for i in range(columns - 1)
    ]
    mesh = bpy.data.meshes.new("Cape")
    mesh.from_pydata(points.tolist(), [], quads)
    cape = bpy.data.objects.new("Cape", mesh)
    bpy.context.scene.collection.objects.link(cape)
    cape.vertex_groups.new(name="Pins").add(list(range(columns)), 1.0, "REPLACE")
    cape.xpbd.role, cape.xpbd.pin_group = "CLOTH", "Pins"
    return cape


def _armature() -> bpy.types.Object:
    rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    root = rig.data.edit_bones.new("root")
    root.head, root.tail = (0.0, 0.0, 0.9), (0.0, 0.0, 1.0)
    for name, (head, tail, _) in BONES.items():
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail, bone.parent = head, tail, root
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def _along(rig: bpy.types.Object, way: tuple[float, float, float]) -> list[float]:
    """A way in the armature's space, in the axes of the root bone."""
    axes = np.array(rig.data.bones["root"].matrix_local)[:3, :3]
    moved: list[float] = (axes.T @ way).tolist()
    return moved


def _body(rig: bpy.types.Object) -> bpy.types.Object:
    points: list[tuple[float, float, float]] = []
    faces: list[tuple[int, ...]] = []
    groups: dict[str, list[int]] = {}
    for name, (head, tail, (wide, deep)) in BONES.items():
        first = len(points)
        low, high = sorted((head[2], tail[2]))
        for height in np.linspace(low, high, STEPS_AROUND):
            for x, y in ((-wide, -deep), (wide, -deep), (wide, deep), (-wide, deep)):
                points.append((head[0] + x, head[1] + y, float(height)))
        for ring in range(STEPS_AROUND - 1):
            for side in range(4):
                a, b = first + 4 * ring + side, first + 4 * ring + (side + 1) % 4
                faces.append((a, b, b + 4, a + 4))
        faces += [tuple(range(first + 3, first - 1, -1)), tuple(range(len(points) - 4, len(points)))]
        groups[name] = list(range(first, len(points)))
    mesh = bpy.data.meshes.new("Figure")
    mesh.from_pydata(points, [], faces)
    body = bpy.data.objects.new("Figure", mesh)
    bpy.context.scene.collection.objects.link(body)
    for name, members in groups.items():
        body.vertex_groups.new(name=name).add(members, 1.0, "REPLACE")
    body.modifiers.new("Armature", "ARMATURE").object = rig
    return body
