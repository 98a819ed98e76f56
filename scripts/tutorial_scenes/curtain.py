# SPDX-License-Identifier: GPL-3.0-or-later
"""A curtain that is drawn along its rail."""

from __future__ import annotations

import math

import bpy
import numpy as np

from blender_xpbd.addon.gallery.gallery_scene import GalleryScene, View
from blender_xpbd.addon.gallery.shapes import grid
from blender_xpbd.addon.gallery.stage import add_mesh, pin, set_frames

from .studio import CREAM, set_look, set_studio, subdivide, thicken

WIDTH, HEIGHT, COLUMNS, ROWS = 1.6, 1.9, 65, 31
PLEATS, DEPTH = 8, 0.035
_TOP = 2.1
# the rings slide together between these frames, to this share of the width
_FIRST, _LAST, DRAWN = 12, 60, 0.45
_VIEW = View((0.5, -4.6, 1.5), (-0.1, 0.0, 1.12), 50.0)


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, 84)
    points, quads = grid(COLUMNS, ROWS, WIDTH, HEIGHT)
    phase = 2.0 * math.pi * PLEATS * points[:, 0] / WIDTH
    # from its left end, where it stays
    places = np.column_stack((points[:, 0] + 0.5 * WIDTH, DEPTH * np.cos(phase), points[:, 1] - 0.5 * HEIGHT))
    curtain = add_mesh(scene, "Curtain", places, quads, colour=(0.06, 0.33, 0.36))
    curtain.location = (-0.5 * WIDTH, 0.0, _TOP)
    curtain.xpbd.role, curtain.xpbd.preset, curtain.xpbd.use_self_collision = "CLOTH", "LINEN", True
    top = points[:, 1] > 0.499 * HEIGHT
    pin(curtain, np.flatnonzero(top & (np.cos(phase) > 0.99)))
    for frame, share in ((_FIRST, 1.0), (_LAST, DRAWN)):
        curtain.scale.x = share
        curtain.keyframe_insert("scale", index=0, frame=frame)
    scene.frame_set(1)
    set_look(curtain, roughness=0.8, sheen=0.4)
    thicken(curtain, 0.004)
    subdivide(curtain)
    _add_rail(scene)
    set_studio(scene, _VIEW, CREAM)


def _add_rail(scene: bpy.types.Scene) -> None:
    angles = 2.0 * np.pi * np.arange(16) / 16
    circle = np.column_stack((np.zeros(16), 0.016 * np.cos(angles), 0.016 * np.sin(angles)))
    ends = [(-0.56 * WIDTH, DEPTH, _TOP + 0.02), (0.56 * WIDTH, DEPTH, _TOP + 0.02)]
    points = np.concatenate([circle + end for end in ends])
    first = np.arange(16)
    after = (first + 1) % 16
    rail = add_mesh(
        scene, "Rail", points, np.column_stack((first, after, after + 16, first + 16)), colour=(0.5, 0.33, 0.12)
    )
    set_look(rail, roughness=0.25, coat=0.5)


CURTAIN = GalleryScene(
    "CURTAIN",
    "Curtain",
    "A curtain of linen is drawn along its rail, and falls into folds",
    "",
    _build,
    _VIEW,
    64,
)
