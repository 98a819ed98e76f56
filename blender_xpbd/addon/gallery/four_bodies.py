# SPDX-License-Identifier: GPL-3.0-or-later
"""A body that moves among three others by attraction alone."""

from __future__ import annotations

import math

import bpy
import numpy as np

from .gallery_scene import GalleryScene, View
from .stage import ORANGE, add_grains, pin, set_frames, set_solver

ATTRACTION = 0.5
VELOCITY = (0.3, 0.2, 0.0)
FRAMES_PER_SECOND = 100
FRAMES = 203
RADIUS = 0.05
_ANGLES = np.radians([90.0, 210.0, 330.0])
RING = np.column_stack((np.cos(_ANGLES), np.sin(_ANGLES), np.zeros(3)))


def _build(scene: bpy.types.Scene, _file: str) -> None:
    scene.gravity = (0.0, 0.0, 0.0)
    set_frames(scene, FRAMES, FRAMES_PER_SECOND)
    set_solver(scene, substeps=2)
    scene.xpbd.attraction = ATTRACTION
    masses = add_grains(scene, "Masses", np.concatenate((RING, np.zeros((1, 3)))), RADIUS, ORANGE)
    pin(masses, range(len(RING)))
    settings = masses.xpbd
    settings.initial_velocity, settings.preset = VELOCITY, "MATERIAL"
    # of 1 kg each
    settings.density = 1.0 / (4.0 / 3.0 * math.pi * RADIUS**3)


FOUR_BODIES = GalleryScene(
    "FOUR_BODIES",
    "Four Bodies",
    "Three masses of 1 kg are held on a circle of 1 m and attract a fourth, which starts in the middle: G is 0.5",
    "after 2 s it is at (0.4769, 0.4693) m ± 0.01 m; its energy stays at −1.435 J within 1 %",
    _build,
    View((0.0, -1.6, 3.2), (0.0, 0.0, 0.0)),
    150,
)
