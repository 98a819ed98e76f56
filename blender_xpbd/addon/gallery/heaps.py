# SPDX-License-Identifier: GPL-3.0-or-later
"""Heaps of grains of three frictions."""

from __future__ import annotations

import bpy

from .gallery_scene import GalleryScene, View
from .shapes import layers_of_points
from .stage import BLUE, ORANGE, STRAW, add_floor, add_grains, set_frames, set_solver

RADIUS = 0.025
COUNTS = (6, 6, 11)
FRICTIONS = (0.2, 0.5, 0.8)
_APART = 1.2


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, 120)
    set_solver(scene, substeps=30)
    add_floor(scene, friction=0.8)
    for number, (friction, colour) in enumerate(zip(FRICTIONS, (BLUE, STRAW, ORANGE), strict=True)):
        points = layers_of_points(COUNTS, 3.0 * RADIUS, jitter=0.4 * RADIUS)
        points[:, 2] += 0.1
        heap = add_grains(scene, f"Friction {friction}", points, RADIUS, colour)
        heap.location = (_APART * (number - 1), 0.0, 0.0)
        heap.xpbd.friction = friction


HEAPS = GalleryScene(
    "HEAPS",
    "Heaps of Grains",
    "Three columns of 396 grains fall on the floor: their frictions are 0.2, 0.5 and 0.8",
    "the more friction, the steeper the heap; no two grains closer than 0.98 of touching; at rest slower than 1 mm/s",
    _build,
    View((0.0, -3.9, 1.5), (0.0, 0.0, 0.1)),
    115,
)
