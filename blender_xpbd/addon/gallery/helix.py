# SPDX-License-Identifier: GPL-3.0-or-later
"""A curl of hair: a helix that sags as a coil spring does, and is shaken."""

from __future__ import annotations

import math

import bpy
import numpy as np

from .gallery_scene import GalleryScene, View
from .stage import STRAW, add_curve, set_frames, set_solver

NODES, TURNS, RADIUS, HEIGHT = 60, 6, 0.1, 1.0
WIRE, DENSITY, SHEAR_MODULUS = 0.02, 1000.0, 1.42e8
FRAMES_PER_SECOND = 24
# it hangs, is shaken, and comes to rest [s]
HANGS, SHAKEN, RESTS = 4, 10, 4
_SHAKE, _SHAKES_PER_SECOND = 0.1, 1.5


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, 1 + (HANGS + SHAKEN + RESTS) * FRAMES_PER_SECOND, FRAMES_PER_SECOND)
    set_solver(scene, substeps=40)
    angles = np.linspace(0.0, 2.0 * math.pi * TURNS, NODES)
    points = np.column_stack((RADIUS * np.cos(angles), RADIUS * np.sin(angles), -np.linspace(0.0, HEIGHT, NODES)))
    hair = add_curve(scene, "Curl", [points], thickness=WIRE, colour=STRAW)
    hair.location = (0.0, 0.0, 1.5)
    settings = hair.xpbd
    settings.role, settings.preset = "STRAND", "MATERIAL"
    settings.radius, settings.density = 0.5 * WIRE, DENSITY
    settings.youngs_modulus, settings.twist_stiffness = 2.6 * SHEAR_MODULUS, SHEAR_MODULUS
    settings.bending_share, settings.damping = 1.0, 1.0
    settings.pinned_ends = "START"
    first = 1 + HANGS * FRAMES_PER_SECOND
    for frame in range(first, first + SHAKEN * FRAMES_PER_SECOND + 1):
        phase = 2.0 * math.pi * _SHAKES_PER_SECOND * (frame - first) / FRAMES_PER_SECOND
        hair.location = (_SHAKE * math.sin(phase), _SHAKE * math.sin(0.5 * phase), 1.5)
        hair.keyframe_insert("location", frame=frame)


HELIX = GalleryScene(
    "HELIX",
    "Curly Hair",
    "A helix of 60 nodes and 6 turns hangs, is shaken for ten seconds, and comes to rest: wire of 2 cm, G 142 MPa",
    "sag W/2k, k = G d⁴/(8 D³ N), within 10 %, before and after the shaking; length kept within 1 %",
    _build,
    View((1.6, -2.6, 1.3), (0.0, 0.0, 0.95)),
    90,
)
