# SPDX-License-Identifier: GPL-3.0-or-later
"""A balloon on a string."""

from __future__ import annotations

import math

import bpy
import numpy as np

from .gallery_scene import GalleryScene, View
from .looks import show_edges
from .shapes import line_edges
from .stage import GREY, ORANGE, add_ball, add_floor, add_mesh, attach, pin, set_frames, set_solver

RADIUS, LENGTH, SEGMENTS = 0.15, 1.0, 24
_START = 0.5
_TURNS = 3
# upwards, weight taken off [m/s²]
LIFT = 8.0


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, 120)
    set_solver(scene, substeps=20)
    add_floor(scene)
    balloon = add_ball(scene, "Balloon", RADIUS, (0.0, 0.0, _START + RADIUS), ORANGE)
    settings = balloon.xpbd
    settings.role, settings.preset = "CLOTH", "MATERIAL"
    settings.area_density, settings.stretch_stiffness, settings.bending_stiffness = 0.1, 300.0, 1e-5
    settings.pressure_model, settings.pressure = "GAS", 200.0
    settings.push_z, settings.damping = -scene.gravity[2] + LIFT, 2.0
    settings.use_body_collision = False
    string = add_mesh(scene, "String", _curled(), edges=line_edges(SEGMENTS + 1), colour=GREY)
    string.xpbd.role, string.xpbd.preset, string.xpbd.rest_angle = "STRAND", "ROPE", "FLAT"
    string.xpbd.radius, string.xpbd.use_body_collision = 0.002, False
    string.xpbd.hold_direction = False
    show_edges(string, 0.008)
    pin(string, [0])
    attach(string, [SEGMENTS], balloon)


def _curled() -> np.ndarray:
    """A helix from the floor to the balloon that is as long as the string, shape (points, 3) [m]."""
    step = 2.0 * math.pi * _TURNS / SEGMENTS
    rise = _START / SEGMENTS
    across = math.sqrt((LENGTH / SEGMENTS) ** 2 - rise**2)
    radius = 0.5 * across / math.sin(0.5 * step)
    angles = step * np.arange(SEGMENTS + 1)
    points = np.column_stack((radius * np.cos(angles), radius * np.sin(angles), rise * np.arange(SEGMENTS + 1)))
    return points - np.array([radius, 0.0, 0.0])


BALLOON = GalleryScene(
    "BALLOON",
    "Balloon on a String",
    "A balloon of gas rises until its string is taut, and stays there",
    "the string is as long as it was within 1.5 %, and straight; it ends on the balloon within 1 mm; the balloon keeps "
    "its width within 5 % and comes to rest",
    _build,
    View((1.2, -2.8, 0.9), (0.0, 0.0, 0.65)),
    110,
)
