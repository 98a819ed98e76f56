# SPDX-License-Identifier: GPL-3.0-or-later
"""A mannequin of 20 bones that walks, and parts for it that hang in its armature; all by Blender's data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import bmesh
import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Matrix, Vector

from blender_xpbd.addon.gallery.stage import Colour, add_mesh, add_object

from .studio import WOOD, set_look

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


class Mannequin:
    """A figure that looks along −Y, with its feet on the floor.

    What is added to it is bound to its bones. The vertex group "Pins" of a part is where it sits on the body.
    """

    def __init__(self, scene: bpy.types.Scene) -> None:
        """Its armature, at rest."""
        self._scene = scene
        self._rig: Any = add_object(scene, "Rig", bpy.data.armatures.new("Rig"))
        self._rig.hide_render = True
        layer = scene.view_layers[0]
        with bpy.context.temp_override(
            scene=scene, view_layer=layer, object=self._rig, active_object=self._rig, selected_objects=[self._rig]
        ):
            layer.objects.active = self._rig
            bpy.ops.object.mode_set(mode="EDIT")
            for name, (parent, head, tail, _) in BONES.items():
                bone = self._rig.data.edit_bones.new(name)
                bone.head, bone.tail = head, tail
                bone.parent = self._rig.data.edit_bones.get(parent)
            bpy.ops.object.mode_set(mode="OBJECT")

    def add_body(self) -> Any:
        """A capsule around each bone that has a radius, joined in one mesh."""
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
        mesh.verts.index_update()
        points = [vertex.co[:] for vertex in mesh.verts]
        owners = np.array([vertex[layer] for vertex in mesh.verts])
        # Blender makes the faces of spheres in an order that differs from run to run
        faces = sorted(_from_least([vertex.index for vertex in face.verts]) for face in mesh.faces)
        mesh.free()
        groups = {name: (owners == number).astype(float) for number, name in enumerate(names)}
        body = self.add("Mannequin", points, faces, groups, WOOD)
        set_look(body, roughness=0.35, coat=0.3)
        return body

    def add_belly(self) -> Any:
        """A round belly before the spine."""
        return self._add_blob("Belly", (0.0, -0.245, 1.14), (0.16, 0.09, 0.15), "spine", (0.0, 1.0, 0.0))

    def add_ears(self) -> tuple[Any, Any]:
        """An ear at each side of the head."""
        left, right = (
            self._add_blob(f"Ear.{side}", (0.162 * sign, 0.0, 1.75), (0.035, 0.03, 0.11), "head", (0.0, 0.0, -1.0))
            for side, sign in (("L", 1.0), ("R", -1.0))
        )
        return left, right

    def add_hat(self) -> Any:
        """A pointed hat, upright on the head."""
        return self._add_blob("Hat", (0.0, 0.0, 1.955), (0.11, 0.11, 0.14), "head", (0.0, 0.0, -1.0), taper=0.45)

    def add_cape(self, columns: int = 20, rows: int = 24) -> Any:
        """A cape behind the shoulders, which hold its upper edge."""
        x, drop = np.meshgrid(np.linspace(-0.17, 0.17, columns), np.linspace(0.0, 0.76, rows))
        points = np.column_stack(
            [(x * (1.0 + 0.6 * drop)).ravel(), (0.17 + 0.25 * drop).ravel(), (1.46 - drop).ravel()]
        )
        chest = np.clip(1.0 - drop.ravel() / 0.9, 0.0, 1.0)
        groups = {"chest": chest, "hips": 1.0 - chest, "Pins": (np.arange(len(points)) < columns).astype(float)}
        quads = _quads(rows, columns, closed=False)
        return self.add("Cape", points, quads, groups, (0.62, 0.03, 0.05))

    def add_skirt(self, columns: int = 28, rows: int = 12) -> Any:
        """A skirt around the hips, which hold its upper edge."""
        angle, drop = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, columns, endpoint=False), np.linspace(0.0, 0.42, rows))
        radius = 0.19 + 0.35 * drop
        points = np.column_stack(
            [(radius * np.cos(angle)).ravel(), (radius * np.sin(angle)).ravel(), (1.0 - drop).ravel()]
        )
        low, x = drop.ravel() / 0.42, points[:, 0]
        left = 0.5 * low * (0.5 + 0.5 * np.clip(x / 0.1, -1.0, 1.0))
        right = 0.5 * low - left
        groups = {
            "hips": 1.0 - left - right,
            "thigh.L": left,
            "thigh.R": right,
            "Pins": (np.arange(len(points)) < columns).astype(float),
        }
        return self.add("Skirt", points, _quads(rows, columns, closed=True), groups, (0.08, 0.22, 0.5))

    def add(
        self,
        name: str,
        points: npt.ArrayLike,
        faces: Sequence[Sequence[int]],
        groups: Mapping[str, npt.NDArray[np.floating]],
        colour: Colour,
    ) -> Any:
        """A part of points [m] and polygons; a group that is called as a bone binds it to that."""
        obj = add_mesh(self._scene, name, points, faces, colour=colour)
        for bone, weights in groups.items():
            group = obj.vertex_groups.new(name=bone)
            for index, weight in enumerate(weights.tolist()):
                if weight > 0.0:
                    group.add([index], weight, "REPLACE")
        obj.modifiers.new("Armature", "ARMATURE").object = self._rig
        return obj

    def walk(self, frame_end: int) -> None:
        """Key its bones, so that it walks along −Y from frame 1 on."""
        hips = self._rig.pose.bones["hips"]
        axes = np.array(self._rig.data.bones["hips"].matrix_local)[:3, :3]
        for frame in range(1, frame_end + 2, 2):
            angle = 2.0 * math.pi * (frame - 1) / FRAMES_PER_STRIDE
            for name, (amplitude, phase) in SWINGS.items():
                self.turn(name, amplitude * math.sin(angle + phase), frame=frame)
            for side, phase in (("L", 0.0), ("R", math.pi)):
                self.turn(f"shin.{side}", 0.45 * (1.0 - math.cos(angle + phase)) / 2.0, frame=frame)
                self.turn(f"forearm.{side}", -0.3, frame=frame)
            way = (0.0, -SPEED * (frame - 1) / 24.0, 0.025 * math.cos(2.0 * angle))
            hips.location = (axes.T @ way).tolist()
            hips.keyframe_insert("location", frame=frame)

    def turn(self, name: str, angle: float, axis: Sequence[float] = (1.0, 0.0, 0.0), frame: int | None = None) -> None:
        """Turn a bone [rad] about an axis of the armature at rest, and key it at a frame."""
        bone = self._rig.pose.bones[name]
        own = np.array(self._rig.data.bones[name].matrix_local)[:3, :3].T @ axis
        bone.rotation_mode = "AXIS_ANGLE"
        bone.rotation_axis_angle = (angle, *own.tolist())
        if frame is not None:
            bone.keyframe_insert("rotation_axis_angle", frame=frame)

    def _add_blob(
        self,
        name: str,
        centre: tuple[float, float, float],
        radii: tuple[float, float, float],
        bone: str,
        seat: tuple[float, float, float],
        taper: float = 0.0,
    ) -> Any:
        """An ellipsoid that tapers upwards, with its pins towards ``seat``."""
        mesh = bmesh.new()
        bmesh.ops.create_icosphere(mesh, subdivisions=3, radius=1.0)
        mesh.verts.index_update()
        points = np.array([vertex.co[:] for vertex in mesh.verts])
        # Blender makes the faces of spheres in an order that differs from run to run
        faces = sorted(_from_least([vertex.index for vertex in face.verts]) for face in mesh.faces)
        mesh.free()
        groups = {bone: np.ones(len(points)), "Pins": (points @ seat > 0.6).astype(float)}
        points[:, :2] *= 1.0 - taper * points[:, 2:]
        if taper:
            # what stands on something is flat below
            points[:, 2] = np.maximum(points[:, 2], -0.6)
        return self.add(name, points * radii + centre, faces, groups, (0.85, 0.30, 0.38))


def _from_least(face: list[int]) -> list[int]:
    """The corners of a face from its least on, in the same sense."""
    first = face.index(min(face))
    return face[first:] + face[:first]


def _quads(rows: int, columns: int, *, closed: bool) -> list[list[int]]:
    """Of a sheet of rows × columns vertices, the last column joined to the first where it is closed."""
    sides = columns if closed else columns - 1
    quads = []
    for row in range(rows - 1):
        for i in range(sides):
            a, b = row * columns + i, row * columns + (i + 1) % columns
            quads.append([a, b, b + columns, a + columns])
    return quads
