# SPDX-License-Identifier: GPL-3.0-or-later
"""A sheet through which a ball bursts."""

from __future__ import annotations

import bpy
import numpy as np

from ..data.link_attributes import SEAM, WELD, WELD_DISTANCE
from .gallery_scene import GalleryScene, View
from .shapes import grid
from .stage import BLUE, ORANGE, add_mesh, add_sphere, pin, set_frames, set_solver

VERTICES = 13
SIZE = 1.0
RADIUS = 0.15
FRAMES = 30


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, FRAMES)
    set_solver(scene, substeps=10)
    points, quads = grid(VERTICES, VERTICES, SIZE, SIZE)
    # as Make Tearable leaves it: each face has vertices of its own, which know what they were
    corners = quads.ravel()
    sheet = add_mesh(scene, "Sheet", points[corners], np.arange(len(corners)).reshape(-1, 4), colour=ORANGE)
    sheet.data.attributes.new(SEAM, "INT", "POINT").data.foreach_set("value", corners.astype(np.int32) + 1)
    sheet.modifiers.new(WELD, "WELD").merge_threshold = WELD_DISTANCE
    sheet.xpbd.role, sheet.xpbd.tear_strain = "CLOTH", 15.0
    pin(sheet, np.flatnonzero(np.abs(points[corners, 0]) > 0.499 * SIZE))
    ball = add_sphere(scene, "Ball", RADIUS, (0.0, 0.0, 0.0), BLUE)
    for frame, height in ((1, 0.4), (FRAMES, -0.7)):
        ball.location.z = height
        ball.keyframe_insert("location", frame=frame)


TEARING = GalleryScene(
    "TEARING",
    "Tearing Sheet",
    "A ball is pushed through a cotton sheet that tears at a strain of 15 %",
    "nothing tears before the ball is there, between 8 and 130 of 264 seams tear, the ball comes through",
    _build,
    View((1.1, -1.6, 0.8), (0.0, 0.0, -0.1)),
    18,
)
