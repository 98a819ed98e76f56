# SPDX-License-Identifier: GPL-3.0-or-later
"""A slab of jelly that a ball breaks through."""

from __future__ import annotations

import bpy
import numpy as np

from ..data.cut_mesh import cut_into_pieces
from .gallery_scene import GalleryScene, View
from .shapes import box
from .stage import BLUE, ORANGE, add_floor, add_mesh, add_sphere, pin, set_frames, set_solver

SIZE = np.array([0.5, 0.3, 0.06])
HEIGHT = 0.3
PIECES = 16
RADIUS = 0.07
FRAMES = 40
# the ball comes and goes on through
STRIKE, END = 8, 24


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, FRAMES)
    set_solver(scene, substeps=20)
    add_floor(scene)
    points, quads = box(SIZE, (10, 6, 2))
    slab = add_mesh(scene, "Slab", points - [SIZE[0] / 2.0, SIZE[1] / 2.0, -HEIGHT], quads, colour=ORANGE)
    # as Make Tearable does
    cut_into_pieces(slab.data, PIECES, seed=3)
    settings = slab.xpbd
    settings.role, settings.preset, settings.cage_resolution = "JELLY", "MATERIAL", 16
    settings.youngs_modulus, settings.density, settings.tear_strain = 4e5, 1000.0, 8.0
    ends = [vertex.index for vertex in slab.data.vertices if abs(vertex.co.x) > 0.499 * SIZE[0]]
    pin(slab, ends)
    ball = add_sphere(scene, "Ball", RADIUS, (0.0, 0.0, 0.0), BLUE)
    high, low = HEIGHT + SIZE[2] + RADIUS + 0.02, RADIUS + 0.1
    for frame, height in ((1, high), (STRIKE, high), (END, low)):
        ball.location.z = height
        ball.keyframe_insert("location", frame=frame)


BREAKING_JELLY = GalleryScene(
    "BREAKING_JELLY",
    "Breaking Jelly",
    "A ball breaks through a slab of jelly that was cut into 16 pieces and tears at a strain of 8 %",
    "nothing tears before the ball is there, some pieces fall to the floor, the ends stay, each piece keeps its volume "
    "within 10 %",
    _build,
    View((0.75, -1.0, 0.75), (0.0, 0.0, 0.2)),
    22,
)
