# SPDX-License-Identifier: GPL-3.0-or-later
"""A pillow that is filled."""

from __future__ import annotations

import bpy
import numpy as np

from blender_xpbd.addon.gallery.gallery_scene import GalleryScene, View
from blender_xpbd.addon.gallery.shapes import Indices, Points, grid
from blender_xpbd.addon.gallery.stage import add_mesh, set_frames

from .studio import ROSE, set_look, set_studio, subdivide

SIZE, CELLS = 0.5, 32
# between its two sheets where they are farthest apart, as it is modelled [m]
MODELLED = 0.03
# how many times as much is in it in the end, and when it is filled
RATIO, _EMPTY, _FULL = 6.5, 6, 36
_VIEW = View((0.6, -1.5, 0.75), (0.0, 0.0, 0.06), 80.0)


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, 60)
    scene.xpbd.use_floor = True
    pillow = add_mesh(scene, "Pillow", *_two_sheets(), colour=(0.06, 0.19, 0.42))
    pillow.location.z, pillow.rotation_euler = 0.14, (0.15, 0.05, 0.5)
    settings = pillow.xpbd
    settings.role, settings.preset = "CLOTH", "COTTON"
    settings.pressure_model = "VOLUME"
    for frame, ratio in ((_EMPTY, 1.0), (_FULL, RATIO)):
        settings.volume_ratio = ratio
        pillow.keyframe_insert("xpbd.volume_ratio", frame=frame)
    set_look(pillow, roughness=0.7, sheen=0.5)
    subdivide(pillow)
    set_studio(scene, _VIEW, ROSE)


def _two_sheets() -> tuple[Points, Indices]:
    """A closed mesh of two sheets that share their edge, bulged a little: points [m] and quads."""
    points, quads = grid(CELLS + 1, CELLS + 1, SIZE, SIZE)
    x, y = (2.0 * points[:, :2] / SIZE).T
    points[:, 2] = 0.5 * MODELLED * (1.0 - x**2) * (1.0 - y**2)
    is_inside = (np.abs(x) < 0.999) & (np.abs(y) < 0.999)
    below = np.arange(len(points))
    below[is_inside] = len(points) + np.arange(np.count_nonzero(is_inside))
    under = points[is_inside] * (1.0, 1.0, -1.0)
    return np.concatenate([points, under]), np.concatenate([quads, below[quads[:, ::-1]]])


PILLOW = GalleryScene(
    "PILLOW",
    "Pillow",
    "A pillow of cotton falls onto the floor, and is filled",
    "",
    _build,
    _VIEW,
    56,
)
