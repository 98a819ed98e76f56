# SPDX-License-Identifier: GPL-3.0-or-later
"""Two hundred grains that fall into a box."""

from __future__ import annotations

import math

import bpy

from .gallery_scene import GalleryScene, View
from .shapes import layers_of_points
from .stage import GREY, STRAW, add_floor, add_grains, add_mesh, set_frames, set_solver

RADIUS = 0.025
COUNTS = (4, 5, 10)
HALF = 0.2
_WALL = 0.3


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, 96)
    set_solver(scene, substeps=30)
    add_floor(scene)
    points = layers_of_points(COUNTS, 2.4 * RADIUS, jitter=0.15 * RADIUS)
    points[:, 2] += 0.1
    add_grains(scene, "Grains", points, RADIUS, STRAW)
    for number in range(4):
        _add_wall(scene, number)


def _add_wall(scene: bpy.types.Scene, number: int) -> None:
    """A wall at the edge of the box, which is endless for grains, and is seen where it hides none."""
    corners = [(-HALF, 0.0, 0.0), (HALF, 0.0, 0.0), (HALF, _WALL, 0.0), (-HALF, _WALL, 0.0)]
    wall = add_mesh(scene, f"Wall {number}", corners, [(0, 1, 2, 3)], colour=GREY)
    angle = 0.5 * math.pi * number
    # its Z axis looks inwards
    wall.rotation_euler = (0.5 * math.pi, 0.0, angle)
    wall.location = (-HALF * math.sin(angle), HALF * math.cos(angle), 0.0)
    wall.xpbd.role, wall.xpbd.collider_shape = "COLLIDER", "PLANE"
    wall.display_type = "WIRE" if number in {2, 3} else "TEXTURED"
    wall.hide_render = number in {2, 3}


BOX_OF_GRAINS = GalleryScene(
    "BOX_OF_GRAINS",
    "Box of Grains",
    "200 grains of radius 25 mm fall into a box of 0.4 m",
    "no two closer than 0.98 of touching, at least 3 layers, all in the box, at rest slower than 1 mm/s",
    _build,
    View((1.0, -1.3, 1.0), (0.0, 0.0, 0.1)),
    90,
)
