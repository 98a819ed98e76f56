# SPDX-License-Identifier: GPL-3.0-or-later
"""A flag in the wind: the gallery's, at default settings."""

from __future__ import annotations

from dataclasses import replace

import bpy

from blender_xpbd.addon.gallery.flag import FLAG as FLAG_OF_GALLERY
from blender_xpbd.addon.gallery.gallery_scene import View

from .studio import SKY, set_look, set_studio, subdivide

_VIEW = View((1.0, -2.3, 1.45), (0.4, 0.0, 1.63), 50.0)


def _build(scene: bpy.types.Scene, file: str) -> None:
    FLAG_OF_GALLERY.build(scene, file)
    for name in ("quality", "substeps", "iterations"):
        scene.xpbd.property_unset(name)
    flag = scene.objects["Flag"]
    flag.data.materials[0].node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (0.8, 0.05, 0.06, 1)
    set_look(flag, roughness=0.45, sheen=0.1)
    subdivide(flag)
    set_studio(scene, _VIEW, SKY)


FLAG = replace(FLAG_OF_GALLERY, label="Flag", numbers="", build=_build, view=_VIEW, picture_frame=51)
