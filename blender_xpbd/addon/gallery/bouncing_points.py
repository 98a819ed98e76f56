# SPDX-License-Identifier: GPL-3.0-or-later
"""Sixty-four balls that bounce."""

from __future__ import annotations

import bpy
import numpy as np

from .gallery_scene import GalleryScene, View
from .stage import ORANGE, add_floor, add_grains, set_frames, set_solver

ROWS, SPACING = 8, 0.1
HEIGHT, RESTITUTION = 1.0, 0.8
RADIUS = 0.02
FRAMES_PER_SECOND = 60


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, 1 + 2 * FRAMES_PER_SECOND, FRAMES_PER_SECOND)
    set_solver(scene, substeps=16)
    add_floor(scene, restitution=RESTITUTION)
    places = SPACING * (np.arange(ROWS) - 0.5 * (ROWS - 1))
    x, y = np.meshgrid(places, places)
    points = np.column_stack((x.ravel(), y.ravel(), np.full(ROWS * ROWS, HEIGHT + RADIUS)))
    balls = add_grains(scene, "Balls", points, RADIUS, ORANGE)
    balls.xpbd.restitution = RESTITUTION


BOUNCING_POINTS = GalleryScene(
    "BOUNCING_POINTS",
    "Bouncing Points",
    "64 points fall by 1 m and bounce, with a restitution of 0.8",
    "first apex 0.64 m, second 0.41 m, within 2 %",
    _build,
    View((1.6, -2.2, 1.0), (0.0, 0.0, 0.4)),
    48,
)
