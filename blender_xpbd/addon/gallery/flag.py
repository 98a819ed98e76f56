# SPDX-License-Identifier: GPL-3.0-or-later
"""A flag in turbulent wind."""

from __future__ import annotations

import math
from typing import Any

import bpy
import numpy as np

from .gallery_scene import GalleryScene, View
from .shapes import box, grid
from .stage import GREY, ORANGE, add_mesh, pin, set_frames, set_solver

COLUMNS, ROWS, WIDTH, HEIGHT = 31, 21, 0.9, 0.6
WIND, TURBULENCE = 16.0, 40.0
_POLE, _TOP = 0.03, 2.0
_END = 96


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, _END)
    set_solver(scene, substeps=20)
    points, quads = grid(COLUMNS, ROWS, WIDTH, HEIGHT)
    places = points[:, [0, 2, 1]] + np.array([0.5 * WIDTH, 0.0, _TOP - 0.5 * HEIGHT])
    flag = add_mesh(scene, "Flag", places, quads, colour=ORANGE)
    flag.xpbd.role, flag.xpbd.preset, flag.xpbd.use_self_collision = "CLOTH", "SILK", True
    pin(flag, np.flatnonzero(points[:, 0] < -0.499 * WIDTH))
    pole, sides = box((_POLE, _POLE, _TOP + 0.05), (1, 1, 1))
    add_mesh(scene, "Pole", pole - np.array([_POLE, 0.5 * _POLE, 0.0]), sides, colour=GREY)
    wind = _add_field(scene, "WIND", WIND)
    # its Z axis points along X, and a little aside
    wind.rotation_euler = (0.0, 0.5 * math.pi, 0.15)
    turbulence = _add_field(scene, "TURBULENCE", TURBULENCE)
    turbulence.field.size, turbulence.field.flow = 0.4, 1.0
    # its noise stands still in its own space, and goes by with the wind
    for frame, place in ((1, 0.0), (_END, WIND * (_END - 1) / scene.render.fps)):
        turbulence.location.x = place
        turbulence.keyframe_insert("location", frame=frame)


def _add_field(scene: bpy.types.Scene, kind: str, strength: float) -> Any:
    """An object without vertices that has a force field."""
    field = add_mesh(scene, kind.capitalize(), np.zeros((0, 3)))
    # new objects have no settings of fields until something makes them, as this modifier does
    field.modifiers.remove(field.modifiers.new("", "COLLISION"))
    field.field.type, field.field.strength = kind, strength
    return field


FLAG = GalleryScene(
    "FLAG",
    "Flag in Turbulent Wind",
    "A silk flag flies in a wind of 16 m/s with turbulence",
    "it flies to at least half of its width, goes on fluttering, stretches by at most 3 % on average; nothing crosses",
    _build,
    View((0.7, -2.9, 1.5), (0.45, 0.0, 1.6)),
    70,
)
