# SPDX-License-Identifier: GPL-3.0-or-later
"""A gummy bear that drops onto a plate."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from blender_xpbd.addon.gallery.gallery_scene import GalleryScene, View
from blender_xpbd.addon.gallery.stage import add_mesh, set_frames

from .studio import MINT, set_look, set_studio

# of the bear: centre and radius of each ball [m]; those along X are there on both sides
_MIDDLE = (((0.0, 0.0, 0.1), 0.08), ((0.0, -0.005, 0.205), 0.066), ((0.0, -0.06, 0.192), 0.03))
_SIDES = (
    ((0.05, 0.0, 0.265), 0.026),
    ((0.075, -0.03, 0.14), 0.032),
    ((0.055, -0.055, 0.04), 0.044),
    ((0.045, 0.045, 0.045), 0.048),
)
_DROP = 0.06
# of the plate: radius and height along its profile, from the middle of its face around its rim to its foot [m]
_PROFILE = ((0.0, 0.02), (0.15, 0.02), (0.2, 0.03), (0.25, 0.05), (0.255, 0.045), (0.2, 0.02), (0.15, 0.0), (0.0, 0.0))
_SEGMENTS = 48
_VIEW = View((0.55, -1.35, 0.6), (0.0, 0.0, 0.11), 70.0)


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, 72)
    scene.xpbd.use_floor = True
    bear = add_mesh(scene, "Bear", *_bear_mesh(scene), colour=(0.85, 0.03, 0.04))
    bear.location.z, bear.rotation_euler = _DROP, (-0.06, 0.08, 0.0)
    set_look(bear, roughness=0.12, subsurface=0.7, coat=0.4)
    bear.xpbd.role, bear.xpbd.preset = "JELLY", "JELLY_MEDIUM"
    plate = add_mesh(scene, "Plate", *_plate(), colour=(0.85, 0.87, 0.88))
    set_look(plate, roughness=0.15, coat=0.6)
    plate.xpbd.role = "COLLIDER"
    set_studio(scene, _VIEW, MINT)


def _bear_mesh(scene: bpy.types.Scene) -> tuple[np.ndarray, list[list[int]]]:
    """The smooth surface of balls that flow into each other: points [m] and polygons."""
    balls: Any = bpy.data.metaballs.new("Bear")
    balls.resolution, balls.threshold = 0.012, 0.1
    mirrored = [((-x, y, z), radius) for (x, y, z), radius in _SIDES]
    for centre, radius in (*_MIDDLE, *_SIDES, *mirrored):
        ball = balls.elements.new()
        ball.co, ball.radius, ball.stiffness = centre, 1.35 * radius, 2.0
    obj = bpy.data.objects.new("Bear", balls)
    scene.collection.objects.link(obj)
    layer = scene.view_layers[0]
    layer.update()
    evaluated = obj.evaluated_get(layer.depsgraph)
    mesh = evaluated.to_mesh()
    points = np.array([vertex.co[:] for vertex in mesh.vertices])
    polygons = [list(polygon.vertices) for polygon in mesh.polygons]
    evaluated.to_mesh_clear()
    bpy.data.objects.remove(obj)
    bpy.data.metaballs.remove(balls)
    points[:, 2] -= points[:, 2].min()
    return points, polygons


def _plate() -> tuple[np.ndarray, list[list[int]]]:
    """The profile turned about the Z axis: points [m] and polygons."""
    angles = 2.0 * np.pi * np.arange(_SEGMENTS) / _SEGMENTS
    rings = [
        np.column_stack((radius * np.cos(angles), radius * np.sin(angles), np.full(_SEGMENTS, height)))
        for radius, height in _PROFILE[1:-1]
    ]
    points = np.concatenate([*rings, [(0.0, 0.0, _PROFILE[0][1]), (0.0, 0.0, _PROFILE[-1][1])]])
    quads = []
    for ring in range(len(rings) - 1):
        for i in range(_SEGMENTS):
            a, b = ring * _SEGMENTS + i, ring * _SEGMENTS + (i + 1) % _SEGMENTS
            quads.append([b, a, a + _SEGMENTS, b + _SEGMENTS])
    last, top = (len(rings) - 1) * _SEGMENTS, len(rings) * _SEGMENTS
    caps = [[i, (i + 1) % _SEGMENTS, top] for i in range(_SEGMENTS)]
    caps += [[last + (i + 1) % _SEGMENTS, last + i, top + 1] for i in range(_SEGMENTS)]
    return points, quads + caps


TOY_ON_A_PLATE = GalleryScene(
    "TOY_ON_A_PLATE",
    "Toy on a Plate",
    "A bear of jelly drops onto a plate, is squashed, and wobbles",
    "",
    _build,
    _VIEW,
    40,
)
