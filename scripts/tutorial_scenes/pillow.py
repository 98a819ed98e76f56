# SPDX-License-Identifier: GPL-3.0-or-later
"""A pillow that is blown up."""

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
_VIEW = View((0.6, -1.5, 0.75), (0.0, 0.0, 0.11), 62.0)


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, 60)
    scene.xpbd.use_floor = True
    pillow = add_mesh(scene, "Pillow", *_two_sheets(), colour=(0.85, 0.80, 0.72))
    pillow.location.z, pillow.rotation_euler = 0.25, (0.25, 0.1, 0.5)
    settings = pillow.xpbd
    settings.role, settings.preset = "CLOTH", "COTTON"
    settings.pressure_model, settings.pressure = "GAS", 150.0
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
    "A pillow of cotton is blown up by gas, and falls onto the floor",
    "",
    _build,
    _VIEW,
    50,
)
