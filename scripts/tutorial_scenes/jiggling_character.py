# SPDX-License-Identifier: GPL-3.0-or-later
"""A mannequin that walks: belly, ears and hat of jelly, cape and skirt of cloth."""

from __future__ import annotations

import bpy

from blender_xpbd.addon.gallery.gallery_scene import GalleryScene, View
from blender_xpbd.addon.gallery.stage import set_frames

from .character import add_character
from .mannequin import Mannequin
from .studio import SKY, set_look, set_studio, subdivide, thicken

END = 120
# small parts need no more cells along their longest side
_CELLS = 8
_VIEW = View((-4.4, -5.9, 1.35), (0.0, -3.1, 1.0), 56.0)


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, END)
    figure = Mannequin(scene)
    body = figure.add_body()
    jellies = (figure.add_belly(), *figure.add_ears(), figure.add_hat())
    cloths = (figure.add_cape(), figure.add_skirt())
    add_character(figure)
    figure.walk(END)
    # the skin is shown in its place
    body.hide_render, body.display_type = True, "WIRE"
    body.xpbd.role = "COLLIDER"
    for obj in (*jellies, *cloths):
        is_cloth = obj in cloths
        obj.xpbd.role = "CLOTH" if is_cloth else "JELLY"
        obj.xpbd.goal_source = "DEFORMED"
        if not is_cloth:
            obj.xpbd.cage_resolution = _CELLS
        # of cloth the upper edge is held, and the rest hangs free
        obj.xpbd.pin_group, obj.xpbd.goal_group = "Pins", "Pins" if is_cloth else ""
        if is_cloth:
            thicken(obj, 0.006)
            subdivide(obj)
        set_look(obj, roughness=0.6 if is_cloth else 0.2, subsurface=0.0 if is_cloth else 0.3, coat=0.0)
    set_studio(scene, _VIEW, SKY)


JIGGLING_CHARACTER = GalleryScene(
    "JIGGLING_CHARACTER",
    "Jiggling Character",
    "A mannequin walks: belly, ears and hat lag behind, cape and skirt swing",
    "",
    _build,
    _VIEW,
    68,
)
