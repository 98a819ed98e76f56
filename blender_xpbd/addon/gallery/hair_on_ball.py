# SPDX-License-Identifier: GPL-3.0-or-later
"""A ball with hair that is shaken."""

from __future__ import annotations

import math
from typing import Any

import bpy
import numpy as np

from .gallery_scene import GalleryScene, View
from .stage import GREY, STRAW, add_object, add_sphere, set_frames, set_solver

HAIRS, POINTS, SEGMENT = 120, 10, 0.04
RADIUS, HEIGHT = 0.3, 1.0
_PUSH, _SHAKES = 0.15, 3
_END = 72
_GOLDEN_ANGLE = math.pi * (3.0 - math.sqrt(5.0))


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, _END)
    set_solver(scene, substeps=10)
    ball = add_sphere(scene, "Ball", RADIUS, (0.0, 0.0, HEIGHT), GREY)
    for frame in range(1, _END + 1):
        ball.location[0] = _PUSH * math.sin(2.0 * math.pi * _SHAKES * (frame - 1) / _END)
        ball.keyframe_insert("location", frame=frame)
    curves: Any = bpy.data.hair_curves.new("Hair")
    curves.add_curves([POINTS] * HAIRS)
    curves.position_data.foreach_set("vector", _points().astype(np.float32).ravel())
    curves.attributes.new("radius", "FLOAT", "POINT").data.foreach_set("value", np.tile(_thickness(), HAIRS))
    curves.surface = ball
    hair = add_object(scene, "Hair", curves, STRAW)
    settings = hair.xpbd
    settings.role, settings.preset = "STRAND", "HAIR_STRAIGHT"
    settings.use_body_collision = False


def _points() -> np.ndarray:
    """Hairs that stand on the upper half of the ball, evenly spread on a spiral, shape (hairs, points, 3) [m]."""
    numbers = np.arange(HAIRS)
    heights = 1.0 - (numbers + 0.5) / HAIRS
    widths, angles = np.sqrt(1.0 - heights**2), _GOLDEN_ANGLE * numbers
    normals = np.column_stack((widths * np.cos(angles), widths * np.sin(angles), heights))
    reach = RADIUS + SEGMENT * np.arange(POINTS)
    return normals[:, None] * reach[None, :, None] + np.array((0.0, 0.0, HEIGHT))


def _thickness() -> np.ndarray:
    """Of the points of a hair, as it is shown [m]."""
    return np.linspace(0.004, 0.001, POINTS).astype(np.float32)


HAIR_ON_BALL = GalleryScene(
    "HAIR_ON_BALL",
    "Hair on a Ball",
    "120 straight hairs, a Curves object, hang on a ball that goes to and fro; their roots follow its surface",
    "roots stay on the ball within 0.1 mm; lengths within 0.5 % on average, 5 % at most",
    _build,
    View((1.6, -2.2, 1.3), (0.0, 0.0, 0.95)),
    30,
)
