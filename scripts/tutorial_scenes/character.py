# SPDX-License-Identifier: GPL-3.0-or-later
"""What makes a figure of a mannequin: a skin, a face, shoes, a clasp for its cape. None is simulated."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bmesh
import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Matrix

from blender_xpbd.addon.gallery.stage import Colour

from .mannequin import BONES, Mannequin
from .studio import set_look

Point = tuple[float, float, float]
# bone, two ends, the radius at each [m]
Limb = tuple[str, Point, Point, float, float]

SKIN: Colour = (0.80, 0.50, 0.31)
GOLD: Colour = (0.85, 0.55, 0.12)
BROWN: Colour = (0.16, 0.07, 0.035)
_VOXEL = 0.014
_SMOOTHING = 8
# how fast the weight of a bone falls with the distance from it
_FALL = 8


def _pair(bone: str, first: Point, last: Point, radius: float, end: float) -> tuple[Limb, Limb]:
    """A limb at the left, and its mirror image."""
    left, right = (
        (f"{bone}.{side}", (sign * first[0], *first[1:]), (sign * last[0], *last[1:]), radius, end)
        for side, sign in (("L", 1.0), ("R", -1.0))
    )
    return left, right


_BODY: tuple[Limb, ...] = (
    ("head", (0.0, 0.0, 1.665), (0.0, 0.0, 1.73), 0.125, 0.135),
    ("neck", (0.0, 0.0, 1.42), (0.0, 0.0, 1.6), 0.075, 0.055),
    ("chest", (-0.06, 0.0, 1.34), (0.06, 0.0, 1.34), 0.135, 0.135),
    ("spine", (0.0, 0.0, 1.15), (0.0, 0.0, 1.3), 0.14, 0.14),
    # the belly rests on it
    ("spine", (0.0, -0.05, 1.12), (0.0, -0.05, 1.2), 0.115, 0.1),
    ("hips", (-0.04, 0.0, 1.0), (0.04, 0.0, 1.0), 0.135, 0.135),
    *_pair("shoulder", (0.08, 0.0, 1.42), (0.2, 0.0, 1.41), 0.075, 0.062),
    *_pair("upper_arm", (0.21, 0.0, 1.4), (0.3, 0.0, 1.15), 0.058, 0.046),
    *_pair("forearm", (0.3, 0.0, 1.15), (0.36, 0.0, 0.9), 0.046, 0.036),
    *_pair("hand", (0.362, -0.005, 0.875), (0.362, -0.02, 0.82), 0.042, 0.038),
    *_pair("hand", (0.345, -0.03, 0.88), (0.335, -0.065, 0.84), 0.02, 0.016),
    *_pair("thigh", (0.1, 0.0, 0.92), (0.1, 0.0, 0.5), 0.09, 0.062),
    *_pair("shin", (0.1, 0.0, 0.5), (0.1, 0.0, 0.1), 0.062, 0.045),
)
_SHOES: tuple[Limb, ...] = (
    *_pair("foot", (0.1, 0.02, 0.055), (0.1, -0.15, 0.045), 0.058, 0.05),
    *_pair("shin", (0.1, 0.0, 0.1), (0.1, 0.0, 0.19), 0.056, 0.062),
)
_EYES: tuple[Limb, ...] = tuple(("head", (x, -0.121, 1.725), (x, -0.121, 1.74), 0.017, 0.017) for x in (-0.05, 0.05))
_NOSE: tuple[Limb, ...] = (("head", (0.0, -0.14, 1.69), (0.0, -0.15, 1.688), 0.026, 0.026),)
_MOUTH: tuple[Limb, ...] = tuple(
    (
        "head",
        (x, -0.122 + 2.0 * x * x, 1.625 + 5.0 * x * x),
        (x + 0.01, -0.122 + 2.0 * (x + 0.01) ** 2, 1.625 + 5.0 * (x + 0.01) ** 2),
        0.007,
        0.007,
    )
    for x in np.linspace(-0.05, 0.04, 10).tolist()
)
# the rod that bears the cape
_CLASP: tuple[Limb, ...] = (
    ("chest", (-0.175, 0.17, 1.462), (0.175, 0.17, 1.462), 0.014, 0.014),
    *_pair("chest", (0.175, 0.17, 1.462), (0.16, 0.0, 1.48), 0.014, 0.014),
    *_pair("chest", (0.16, 0.0, 1.48), (0.12, -0.09, 1.44), 0.014, 0.016),
)


def add_character(figure: Mannequin) -> None:
    """Clothe a mannequin in a skin, and give it a face, shoes and what bears its cape."""
    skin = _add_limbs(figure, "Skin", _BODY, SKIN)
    set_look(skin, roughness=0.5, subsurface=0.15)
    for name, limbs, colour, roughness in (
        ("Shoes", _SHOES, BROWN, 0.35),
        ("Eyes", _EYES, (0.01, 0.01, 0.012), 0.1),
        ("Nose", _NOSE, (0.80, 0.25, 0.20), 0.4),
        ("Mouth", _MOUTH, (0.25, 0.03, 0.03), 0.5),
        ("Clasp", _CLASP, GOLD, 0.3),
    ):
        set_look(_add_limbs(figure, name, limbs, colour, voxel=0.4 * _VOXEL), roughness=roughness)


def _add_limbs(figure: Mannequin, name: str, limbs: Iterable[Limb], colour: Colour, voxel: float = _VOXEL) -> Any:
    """One smooth surface around all limbs, bound to the bones that they name."""
    limbs = tuple(limbs)
    points, faces = _surface_around(limbs, voxel)
    nearness = {
        bone: sum((_reach(points, limb) for limb in limbs if limb[0] == bone), np.zeros(len(points))) for bone in BONES
    }
    total = sum(nearness.values(), np.zeros(len(points)))
    return figure.add(name, points, faces, {bone: near / total for bone, near in nearness.items()}, colour)


def _reach(points: npt.NDArray[np.floating], limb: Limb) -> npt.NDArray[np.floating]:
    """How near points (points, 3) are to a limb, by its radius."""
    _, head, tail, radius, end = limb
    first, way = np.array(head), np.subtract(tail, head)
    along = np.clip((points - first) @ way / (way @ way), 0.0, 1.0)
    distance = np.linalg.norm(points - first - along[:, None] * way, axis=1)
    return (distance / (radius + along * (end - radius))) ** -_FALL


def _surface_around(limbs: Iterable[Limb], voxel: float) -> tuple[npt.NDArray[np.floating], list[list[int]]]:
    """Points (points, 3) [m] and polygons of a smooth surface around all limbs."""
    shape = bmesh.new()
    for _, head, tail, radius, end in limbs:
        steps = max(2, 1 + round(4.0 * float(np.linalg.norm(np.subtract(tail, head))) / min(radius, end)))
        for along in np.linspace(0.0, 1.0, steps).tolist():
            centre = np.array(head) + along * np.subtract(tail, head)
            matrix = Matrix.Translation(centre.tolist())
            bmesh.ops.create_icosphere(shape, subdivisions=3, radius=radius + along * (end - radius), matrix=matrix)
    mesh = bpy.data.meshes.new("Limbs")
    shape.to_mesh(mesh)
    shape.free()
    obj: Any = bpy.data.objects.new("Limbs", mesh)
    bpy.context.scene.collection.objects.link(obj)
    remesh = obj.modifiers.new("Remesh", "REMESH")
    remesh.mode, remesh.voxel_size = "VOXEL", voxel
    smooth = obj.modifiers.new("Smooth", "SMOOTH")
    smooth.factor, smooth.iterations = 0.5, _SMOOTHING
    result = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    points = np.array([vertex.co[:] for vertex in result.vertices])
    faces = [list(polygon.vertices) for polygon in result.polygons]
    bpy.data.objects.remove(obj)
    bpy.data.meshes.remove(mesh)
    return points, faces
