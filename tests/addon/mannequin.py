# SPDX-License-Identifier: GPL-3.0-or-later
"""A mannequin of 20 bones that walks: belly, ears and hat of jelly, cape and skirt of cloth, all in its armature."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import bmesh
import bpy
import numpy as np
from mathutils import Matrix, Vector

FRAMES_PER_STRIDE = 24
SPEED = 1.1
# bone: parent, head, tail, radius of the limb around it
BONES: dict[str, tuple[str, tuple[float, float, float], tuple[float, float, float], float]] = {
    "hips": ("", (0.0, 0.0, 0.95), (0.0, 0.0, 1.1), 0.15),
    "spine": ("hips", (0.0, 0.0, 1.1), (0.0, 0.0, 1.25), 0.14),
    "chest": ("spine", (0.0, 0.0, 1.25), (0.0, 0.0, 1.45), 0.15),
    "neck": ("chest", (0.0, 0.0, 1.45), (0.0, 0.0, 1.55), 0.06),
    "head": ("neck", (0.0, 0.0, 1.55), (0.0, 0.0, 1.8), 0.12),
    "jaw": ("head", (0.0, -0.04, 1.58), (0.0, -0.12, 1.58), 0.0),
}
for side, sign in (("L", 1.0), ("R", -1.0)):
    BONES |= {
        f"shoulder.{side}": ("chest", (0.05 * sign, 0.0, 1.42), (0.19 * sign, 0.0, 1.42), 0.0),
        f"upper_arm.{side}": (f"shoulder.{side}", (0.21 * sign, 0.0, 1.42), (0.3 * sign, 0.0, 1.15), 0.05),
        f"forearm.{side}": (f"upper_arm.{side}", (0.3 * sign, 0.0, 1.15), (0.36 * sign, 0.0, 0.9), 0.045),
        f"hand.{side}": (f"forearm.{side}", (0.36 * sign, 0.0, 0.9), (0.36 * sign, 0.0, 0.8), 0.04),
        f"thigh.{side}": ("hips", (0.1 * sign, 0.0, 0.92), (0.1 * sign, 0.0, 0.5), 0.08),
        f"shin.{side}": (f"thigh.{side}", (0.1 * sign, 0.0, 0.5), (0.1 * sign, 0.0, 0.08), 0.06),
        f"foot.{side}": (f"shin.{side}", (0.1 * sign, 0.0, 0.08), (0.1 * sign, -0.15, 0.03), 0.045),
    }
# bone: amplitude and phase of its swing about X
SWINGS = {
    "thigh.L": (0.35, 0.0),
    "thigh.R": (0.35, math.pi),
    "upper_arm.L": (0.45, math.pi),
    "upper_arm.R": (0.45, 0.0),
    "chest": (0.04, math.pi / 2.0),
    "head": (0.06, math.pi / 2.0),
}


def add_mannequin(frame_end: int, *, walks: bool = True) -> dict[str, bpy.types.Object]:
    """The whole figure; the parts that are simulated have no role yet, but groups, pins and the armature.

    Args:
        frame_end: last frame of the walk, along −Y from frame 1 on.
        walks: pose the bones; at rest without.
    """
    rig = _rig()
    parts = {"rig": rig, "body": _body(rig)}
    parts["belly"] = _blob(rig, "Belly", (0.0, -0.245, 1.12), (0.14, 0.1, 0.14), "spine", _back)
    parts["ear.L"] = _blob(rig, "Ear.L", (0.17, 0.0, 1.76), (0.035, 0.03, 0.11), "head", _low)
    parts["ear.R"] = _blob(rig, "Ear.R", (-0.17, 0.0, 1.76), (0.035, 0.03, 0.11), "head", _low)
    parts["hat"] = _blob(rig, "Hat", (0.0, 0.0, 2.0), (0.1, 0.1, 0.13), "head", _low)
    parts["cape"] = _cape(rig)
    parts["skirt"] = _skirt(rig)
    if walks:
        _walk(rig, frame_end)
    bpy.context.scene.frame_set(1)
    return parts


def simulate(parts: dict[str, bpy.types.Object], frequency: float = 3.0) -> None:
    """What an artist clicks: roles, and to follow the deformed mesh."""
    for name, obj in parts.items():
        if name in {"rig", "body"}:
            continue
        is_cloth = name in {"cape", "skirt"}
        obj.xpbd.role = "CLOTH" if is_cloth else "JELLY"
        obj.xpbd.goal_source, obj.xpbd.goal_frequency = "DEFORMED", frequency
        obj.xpbd.goal_group = obj.xpbd.pin_group = "Pins"
        if not is_cloth:
            obj.xpbd.goal_group, obj.xpbd.cage_resolution = "", 8
    parts["body"].xpbd.role = "COLLIDER"


def _rig() -> bpy.types.Object:
    rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (parent, head, tail, _) in BONES.items():
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
        bone.parent = rig.data.edit_bones.get(parent)
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def _add(
    rig: bpy.types.Object, name: str, mesh: bpy.types.Mesh, groups: dict[str, Sequence[float]]
) -> bpy.types.Object:
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    for bone, weights in groups.items():
        group = obj.vertex_groups.new(name=bone)
        for index, weight in enumerate(weights):
            if weight > 0.0:
                group.add([index], float(weight), "REPLACE")
    obj.modifiers.new("Armature", "ARMATURE").object = rig
    return obj


def _body(rig: bpy.types.Object) -> bpy.types.Object:
    """A capsule of rings around each bone that has a radius, joined in one mesh."""
    mesh = bmesh.new()
    layer = mesh.verts.layers.int.new("bone")
    names = [name for name, (_, _, _, radius) in BONES.items() if radius > 0.0]
    for number, name in enumerate(names):
        _, head, tail, radius = BONES[name]
        first, last = Vector(head), Vector(tail)
        way = last - first
        turn = way.to_track_quat("Z", "Y").to_matrix().to_4x4()
        stretch = Matrix.Diagonal((radius, radius, 0.5 * way.length + 0.5 * radius, 1.0))
        matrix = Matrix.Translation((first + last) / 2.0) @ turn @ stretch
        made = bmesh.ops.create_uvsphere(mesh, u_segments=12, v_segments=8, radius=1.0, matrix=matrix)
        for vertex in made["verts"]:
            vertex[layer] = number
    data = bpy.data.meshes.new("Mannequin")
    mesh.to_mesh(data)
    mesh.free()
    owners = np.zeros(len(data.vertices), np.int32)
    data.attributes["bone"].data.foreach_get("value", owners)
    groups = {name: (owners == number).astype(float) for number, name in enumerate(names)}
    return _add(rig, "Mannequin", data, groups)


def _blob(
    rig: bpy.types.Object,
    name: str,
    centre: tuple[float, float, float],
    radii: tuple[float, float, float],
    bone: str,
    held: Callable[[np.ndarray], np.ndarray],
) -> bpy.types.Object:
    mesh = bmesh.new()
    matrix = Matrix.Translation(centre) @ Matrix.Diagonal((*radii, 1.0))
    bmesh.ops.create_icosphere(mesh, subdivisions=3, radius=1.0, matrix=matrix)
    data = bpy.data.meshes.new(name)
    mesh.to_mesh(data)
    mesh.free()
    points = (np.array([vertex.co[:] for vertex in data.vertices]) - centre) / radii
    return _add(rig, name, data, {bone: np.ones(len(points)), "Pins": held(points)})


def _back(points: np.ndarray) -> np.ndarray:
    return (points[:, 1] > 0.35).astype(float)


def _low(points: np.ndarray) -> np.ndarray:
    return (points[:, 2] < -0.6).astype(float)


def _sheet(name: str, points: np.ndarray, columns: int, *, closed: bool) -> bpy.types.Mesh:
    rows = len(points) // columns
    sides = columns if closed else columns - 1
    quads = []
    for row in range(rows - 1):
        for i in range(sides):
            a, b = row * columns + i, row * columns + (i + 1) % columns
            quads.append((a, b, b + columns, a + columns))
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points.tolist(), [], quads)
    return mesh


def _cape(rig: bpy.types.Object, columns: int = 16, rows: int = 22) -> bpy.types.Object:
    x, z = np.meshgrid(np.linspace(-0.17, 0.17, columns), np.linspace(1.46, 0.6, rows))
    drop = 1.46 - z
    points = np.column_stack([(x * (1.0 + 0.6 * drop)).ravel(), (0.17 + 0.12 * drop).ravel(), z.ravel()])
    chest = np.clip(1.0 - drop.ravel() / 0.9, 0.0, 1.0)
    groups = {"chest": chest, "hips": 1.0 - chest, "Pins": (np.arange(len(points)) < columns).astype(float)}
    return _add(rig, "Cape", _sheet("Cape", points, columns, closed=False), groups)


def _skirt(rig: bpy.types.Object, columns: int = 28, rows: int = 12) -> bpy.types.Object:
    angle, drop = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, columns, endpoint=False), np.linspace(0.0, 0.42, rows))
    radius = 0.19 + 0.35 * drop
    points = np.column_stack([(radius * np.cos(angle)).ravel(), (radius * np.sin(angle)).ravel(), (1.0 - drop).ravel()])
    low, x = drop.ravel() / 0.42, points[:, 0]
    left = 0.5 * low * (0.5 + 0.5 * np.clip(x / 0.1, -1.0, 1.0))
    right = 0.5 * low - left
    groups = {
        "hips": 1.0 - left - right,
        "thigh.L": left,
        "thigh.R": right,
        "Pins": (np.arange(len(points)) < columns).astype(float),
    }
    return _add(rig, "Skirt", _sheet("Skirt", points, columns, closed=True), groups)


def _walk(rig: bpy.types.Object, frame_end: int) -> None:
    for frame in range(1, frame_end + 1, 2):
        angle = 2.0 * math.pi * (frame - 1) / FRAMES_PER_STRIDE
        for name, (amplitude, phase) in SWINGS.items():
            _turn(rig, name, amplitude * math.sin(angle + phase), frame)
        for side, phase in (("L", 0.0), ("R", math.pi)):
            _turn(rig, f"shin.{side}", -0.45 * (1.0 - math.cos(angle + phase)) / 2.0, frame)
            _turn(rig, f"forearm.{side}", -0.3, frame)
        hips = rig.pose.bones["hips"]
        axes = np.array(rig.data.bones["hips"].matrix_local)[:3, :3]
        way = (0.0, -SPEED * (frame - 1) / 24.0, 0.025 * math.cos(2.0 * angle))
        hips.location = (axes.T @ way).tolist()
        hips.keyframe_insert("location", frame=frame)


def _turn(rig: bpy.types.Object, name: str, angle: float, frame: int) -> None:
    """About the X axis of the armature, so that legs and arms swing to and fro."""
    bone = rig.pose.bones[name]
    axis = np.array(rig.data.bones[name].matrix_local)[:3, :3].T @ (1.0, 0.0, 0.0)
    bone.rotation_mode = "AXIS_ANGLE"
    bone.rotation_axis_angle = (angle, *axis.tolist())
    bone.keyframe_insert("rotation_axis_angle", frame=frame)
