# SPDX-License-Identifier: GPL-3.0-or-later
"""A scarf with a fringe, that falls over a rail."""

from __future__ import annotations

import math
from itertools import pairwise

import bpy
import numpy as np

from .gallery_scene import GalleryScene, View
from .looks import show_edges
from .shapes import grid
from .stage import GREY, PURPLE, add_mesh, set_frames, set_solver

COLUMNS, ROWS, WIDTH, LENGTH = 11, 41, 0.3, 1.2
THREADS, SEGMENTS, SEGMENT = COLUMNS, 5, 0.02
RADIUS = 0.05
HEIGHT = 1.2
_REACH, _SIDES = 0.3, 32


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, 60)
    set_solver(scene, substeps=20)
    sheet, quads = grid(COLUMNS, ROWS, WIDTH, LENGTH)
    points, edges = [sheet], []
    for row, side in ((0, -1.0), (ROWS - 1, 1.0)):
        for column in range(COLUMNS):
            root = row * COLUMNS + column
            first = sum(map(len, points))
            thread = np.repeat(sheet[root][None], SEGMENTS, axis=0)
            thread[:, 1] += side * SEGMENT * np.arange(1, SEGMENTS + 1)
            points.append(thread)
            chain = [root, *range(first, first + SEGMENTS)]
            edges += list(pairwise(chain))
    places = np.concatenate(points) + np.array([0.0, 0.1, HEIGHT + RADIUS + 0.02])
    scarf = add_mesh(scene, "Scarf", places, quads, edges, PURPLE)
    scarf.xpbd.role, scarf.xpbd.radius, scarf.xpbd.use_self_collision = "CLOTH", 0.002, True
    scarf.xpbd.friction = 1.0
    show_edges(scarf, 0.005)
    _add_rail(scene)


def _add_rail(scene: bpy.types.Scene) -> None:
    """A round bar along X."""
    angles = 2.0 * math.pi * np.arange(_SIDES) / _SIDES
    circle = np.column_stack((np.zeros(_SIDES), RADIUS * np.cos(angles), RADIUS * np.sin(angles)))
    ends = np.concatenate([circle + np.array([x, 0.0, HEIGHT]) for x in (-_REACH, _REACH)])
    around, after = np.arange(_SIDES), (np.arange(_SIDES) + 1) % _SIDES
    faces = [*np.column_stack((around, after, after + _SIDES, around + _SIDES)).tolist()]
    faces += [around[::-1].tolist(), (around + _SIDES).tolist()]
    rail = add_mesh(scene, "Rail", ends, faces, colour=GREY)
    rail.xpbd.role, rail.xpbd.friction = "COLLIDER", 1.0


SCARF = GalleryScene(
    "SCARF",
    "Fringe on a Scarf",
    "A cotton scarf with 22 threads at its ends falls over a rail; the threads are loose edges of its mesh",
    "threads keep their length within 1 %, hang down from the ends, and nothing crosses or enters the rail",
    _build,
    View((1.5, -2.0, 1.3), (0.0, 0.0, 0.9)),
    55,
)
