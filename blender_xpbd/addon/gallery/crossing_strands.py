# SPDX-License-Identifier: GPL-3.0-or-later
"""Nine strands across nine others, that fall over a ball."""

from __future__ import annotations

import bpy
import numpy as np

from .gallery_scene import GalleryScene, View
from .stage import BLUE, GREY, ORANGE, add_curve, add_floor, add_sphere, set_frames, set_solver

STRANDS, NODES, LENGTH, SPACING = 9, 31, 1.5, 0.07
RADIUS = 0.01
BALL = 0.4


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, 60)
    set_solver(scene, substeps=20)
    add_floor(scene)
    ball = add_sphere(scene, "Ball", BALL, (0.0, 0.0, BALL), GREY)
    ball.xpbd.friction = 0.6
    along = np.linspace(-0.5 * LENGTH, 0.5 * LENGTH, NODES)
    places = SPACING * (np.arange(STRANDS) - 0.5 * (STRANDS - 1))
    for name, axis, height, colour in (("Below", 0, 0.0, BLUE), ("Above", 1, 4.0 * RADIUS, ORANGE)):
        lines = []
        for place in places:
            points = np.zeros((NODES, 3))
            points[:, axis], points[:, 1 - axis], points[:, 2] = along, place, 2.0 * BALL + 3.0 * RADIUS + height
            lines.append(points)
        strands = add_curve(scene, name, lines, thickness=2.0 * RADIUS, colour=colour)
        settings = strands.xpbd
        settings.role, settings.preset = "STRAND", "ROPE"
        settings.radius, settings.friction = RADIUS, 0.6


CROSSING_STRANDS = GalleryScene(
    "CROSSING_STRANDS",
    "Strands Crossing on a Ball",
    "Nine ropes fall across nine others over a ball of 0.4 m",
    "where strands cross they are at least one thickness apart, less 2 %",
    _build,
    View((1.7, -2.4, 1.9), (0.0, 0.0, 0.4)),
    30,
)
