# SPDX-License-Identifier: GPL-3.0-or-later
"""A mannequin that walks in a cape."""

from __future__ import annotations

import bpy

from blender_xpbd.addon.gallery.gallery_scene import GalleryScene, View
from blender_xpbd.addon.gallery.stage import set_frames

from .mannequin import Mannequin
from .studio import CREAM, set_look, set_studio, subdivide, thicken

_VIEW = View((2.3, 0.3, 1.5), (0.0, -2.35, 0.92), 40.0)


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, 72)
    figure = Mannequin(scene)
    body, cape = figure.add_body(), figure.add_cape()
    figure.walk(72)
    body.xpbd.role = "COLLIDER"
    cape.xpbd.role, cape.xpbd.pin_group = "CLOTH", "Pins"
    # the pins ride on the bones, and the rest hangs free
    cape.xpbd.goal_source, cape.xpbd.goal_group = "DEFORMED", "Pins"
    set_look(cape, roughness=0.6, sheen=0.5)
    thicken(cape, 0.006)
    subdivide(cape)
    set_studio(scene, _VIEW, CREAM)


CAPE_ON_A_WALK = GalleryScene(
    "CAPE_ON_A_WALK",
    "Cape on a Walk",
    "A mannequin walks in a cape of cotton that its shoulders hold",
    "",
    _build,
    _VIEW,
    52,
)
