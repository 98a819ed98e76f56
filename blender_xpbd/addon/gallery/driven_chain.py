# SPDX-License-Identifier: GPL-3.0-or-later
"""A chain of five equal masses whose upper end is driven aside and up."""

from __future__ import annotations

import math

import bpy
import numpy as np

from ...scene.links import EQUAL
from ..data.link_attributes import LINK_KIND
from .gallery_scene import GalleryScene, View
from .looks import show_edges
from .shapes import line_edges
from .stage import ORANGE, add_grains, pin, set_frames, set_solver

NODES, LINK = 5, 0.1
FRAMES_PER_SECOND = 60
_END = 61


def _build(scene: bpy.types.Scene, _file: str) -> None:
    scene.gravity = (0.0, 0.0, -9.8)
    set_frames(scene, _END, FRAMES_PER_SECOND)
    set_solver(scene, substeps=80)
    points = np.zeros((NODES, 3))
    points[:, 2] = -LINK * np.arange(NODES)
    pairs = line_edges(NODES)
    # grains have equal masses, the last one too; the end nodes of a strand have half of it
    chain = add_grains(scene, "Chain", points, radius=0.02, colour=ORANGE, edges=pairs)
    chain.data.attributes.new(LINK_KIND, "INT", "EDGE").data.foreach_set("value", np.full(len(pairs), EQUAL, np.int32))
    show_edges(chain, 0.008)
    pin(chain, [0])
    for frame in range(1, _END + 1):
        s = math.sin(0.5 * math.pi * (frame - 1) / FRAMES_PER_SECOND)
        chain.location = (s, 0.0, s)
        chain.keyframe_insert("location", frame=frame)


DRIVEN_CHAIN = GalleryScene(
    "DRIVEN_CHAIN",
    "Driven Chain",
    "Five equal masses hang on links of 0.1 m; the upper one is driven along X and Z by sin(π t / 2) m from rest",
    "tip (0.011, 0.057) m after 0.2 s and (0.156, 0.320) m after 0.3 s, from where the driven end began, within "
    "0.01 m; links within 0.1 %",
    _build,
    View((0.6, -1.4, 0.3), (0.25, 0.0, 0.25)),
    19,
)
