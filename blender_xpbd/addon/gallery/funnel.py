# SPDX-License-Identifier: GPL-3.0-or-later
"""Sand that runs through a funnel."""

from __future__ import annotations

import math

import bpy
import numpy as np

from .gallery_scene import GalleryScene, View
from .shapes import layers_of_points
from .stage import GREY, STRAW, add_floor, add_grains, add_mesh, set_frames, set_solver

RADIUS = 0.012
COUNTS = (10, 10, 4)
# of the cone: its rim and its hole, and how high they are [m]
RIM, HOLE = 0.26, 0.075
RIM_HEIGHT, HOLE_HEIGHT = 0.65, 0.3
_SIDES = 48


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, 72)
    set_solver(scene, substeps=45)
    add_floor(scene, friction=0.6)
    angles = 2.0 * math.pi * np.arange(_SIDES) / _SIDES
    circle = np.column_stack((np.cos(angles), np.sin(angles)))
    points = np.concatenate(
        [np.column_stack((r * circle, np.full(_SIDES, z))) for r, z in ((HOLE, HOLE_HEIGHT), (RIM, RIM_HEIGHT))]
    )
    first = np.arange(_SIDES)
    after = np.roll(first, -1)
    quads = np.column_stack((first, after, after + _SIDES, first + _SIDES))
    funnel = add_mesh(scene, "Funnel", points, quads, colour=GREY)
    funnel.xpbd.role, funnel.xpbd.friction = "COLLIDER", 0.1
    places = layers_of_points(COUNTS, 2.3 * RADIUS, jitter=0.1 * RADIUS)
    places[:, 2] += RIM_HEIGHT
    sand = add_grains(scene, "Sand", places, RADIUS, STRAW)
    sand.xpbd.friction = 0.3


FUNNEL = GalleryScene(
    "FUNNEL",
    "Sand through a Funnel",
    "400 grains of radius 12 mm run through a funnel whose hole is 150 mm wide",
    "none goes through the cone, no two closer than 0.98 of touching, at least 80 % are through in the end",
    _build,
    View((1.1, -1.6, 1.0), (0.0, 0.0, 0.33)),
    18,
)
