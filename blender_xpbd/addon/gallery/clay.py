# SPDX-License-Identifier: GPL-3.0-or-later
"""A block of clay that keeps the dent of a ball."""

from __future__ import annotations

import bpy
import numpy as np

from .gallery_scene import GalleryScene, View
from .shapes import box
from .stage import BLUE, ORANGE, add_floor, add_mesh, add_sphere, set_frames, set_solver

SIZE = 0.2
RADIUS = 0.06
DEPTH = 0.05
# the ball comes, stays and goes
FRAMES = (1, 12, 16, 28)


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, 40)
    # with fewer, so stiff a block yields too softly and turns inside out at its corners
    set_solver(scene, substeps=80)
    add_floor(scene)
    points, quads = box((SIZE, SIZE, SIZE), (8, 8, 8))
    clay = add_mesh(scene, "Clay", points - np.array([SIZE / 2.0, SIZE / 2.0, 0.0]), quads, colour=ORANGE)
    settings = clay.xpbd
    settings.role, settings.preset, settings.cage_resolution = "JELLY", "MATERIAL", 8
    # it yields at 6 kPa, and its own weight is 3 kPa at the floor
    settings.youngs_modulus, settings.density, settings.internal_damping = 3e5, 1700.0, 5.0
    settings.yield_strain, settings.creep = 2.0, 50.0
    # it stands on the floor as it begins, and is not pushed off it
    settings.contact_offset = 0.0
    ball = add_sphere(scene, "Ball", RADIUS, (0.0, 0.0, 0.0), BLUE)
    high, low = SIZE + RADIUS + 0.05, SIZE + RADIUS - DEPTH
    for frame, height in zip(FRAMES, (high, low, low, high + 0.15), strict=True):
        ball.location.z = height
        ball.keyframe_insert("location", frame=frame)


CLAY = GalleryScene(
    "CLAY",
    "Clay",
    "A ball is pressed into a block of clay that yields at a strain of 2 %, and goes: the dent stays",
    "the dent keeps at least 80 % of its depth, and moves by less than 1 mm in the last half second",
    _build,
    View((0.45, -0.6, 0.5), (0.0, 0.0, 0.12)),
    38,
)
