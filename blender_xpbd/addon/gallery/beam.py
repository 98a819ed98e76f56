# SPDX-License-Identifier: GPL-3.0-or-later
"""A beam that is held at one end."""

from __future__ import annotations

import bpy
import numpy as np

from .gallery_scene import GalleryScene, View
from .shapes import box
from .stage import PURPLE, add_mesh, pin, set_frames, set_solver

LENGTH, THICKNESS = 1.0, 0.1
YOUNGS_MODULUS, DENSITY = 5e7, 1000.0
FRAMES_PER_SECOND = 120


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, 1 + FRAMES_PER_SECOND, FRAMES_PER_SECOND)
    set_solver(scene, substeps=160)
    points, quads = box((LENGTH, THICKNESS, THICKNESS), (20, 4, 4))
    beam = add_mesh(scene, "Beam", points, quads, colour=PURPLE)
    beam.data.polygons.foreach_set("use_smooth", np.zeros(len(quads), bool))
    beam.location = (0.0, 0.0, 1.0)
    settings = beam.xpbd
    settings.role, settings.preset = "JELLY", "MATERIAL"
    settings.youngs_modulus, settings.density, settings.poissons_ratio = YOUNGS_MODULUS, DENSITY, 0.3
    settings.internal_damping = 0.0
    settings.cage_resolution = 16
    pin(beam, np.flatnonzero(points[:, 0] == 0.0))


BEAM = GalleryScene(
    "BEAM",
    "Beam",
    "A beam of 1 m by 0.1 m by 0.1 m, of 50 MPa and 1000 kg/m³, swings about its sag after it was let go at one end",
    "sag 0.0294 m and period 0.277 s, both within 5 %",
    _build,
    View((0.9, -1.9, 1.3), (0.45, 0.0, 0.97)),
    18,
)
