# SPDX-License-Identifier: GPL-3.0-or-later
"""A marionette of jelly on strings."""

from __future__ import annotations

import math
from itertools import pairwise, product

import bpy
import numpy as np

from .gallery_scene import GalleryScene, View
from .looks import show_edges
from .shapes import box, voxels
from .stage import BLUE, GREY, ORANGE, add_floor, add_mesh, attach, pin, set_frames, set_solver

CELL = 0.06
# cells of the figure, seen from the front: from its feet up
_FIGURE = (
    "..#.#..",
    "..#.#..",
    "..#.#..",
    "..###..",
    "..###..",
    "#######",
    "...#...",
    "...#...",
)
# the cells on whose tops strings end
_HELD = ((0, 5), (6, 5), (3, 7))
_BAR, SEGMENTS = 1.1, 10
_END = 96


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, _END)
    set_solver(scene, substeps=60)
    add_floor(scene)
    # in halves, so that strings end at vertices
    halves = np.array(list(product((0, 1), repeat=3)))
    cells = [2 * np.array((x, 0, z)) + halves for z, row in enumerate(_FIGURE) for x, c in enumerate(row) if c == "#"]
    points, quads = voxels(np.concatenate(cells), 0.5 * CELL)
    middle = np.array([0.5 * len(_FIGURE[0]) * CELL, 0.5 * CELL, -0.12])
    doll = add_mesh(scene, "Doll", points - middle, quads, colour=ORANGE)
    doll.xpbd.role, doll.xpbd.preset, doll.xpbd.cage_resolution = "JELLY", "MATERIAL", 20
    # stuffed, and so light that strings bear it
    doll.xpbd.youngs_modulus, doll.xpbd.density, doll.xpbd.internal_damping = 4.5e3, 60.0, 2.0
    ends = np.array([((x + 0.5) * CELL, 0.5 * CELL, (z + 1) * CELL) for x, z in _HELD]) - middle
    strings = _add_strings(scene, ends)
    strings.location.z = _BAR
    attach(strings, SEGMENTS + (SEGMENTS + 1) * np.arange(len(ends)), doll)
    size = np.array([0.5, 0.03, 0.03])
    corners, sides = box(size, (1, 1, 1))
    bar = add_mesh(scene, "Bar", corners - 0.5 * size, sides, colour=GREY)
    bar.parent = strings
    for frame in range(1, _END + 1):
        phase = 2.0 * math.pi * (frame - 1) / 48.0
        strings.rotation_euler.y = 0.35 * math.sin(phase)
        strings.location.z = _BAR + 0.05 * math.sin(phase) ** 2
        strings.keyframe_insert("rotation_euler", frame=frame)
        strings.keyframe_insert("location", frame=frame)


def _add_strings(scene: bpy.types.Scene, ends: np.ndarray) -> bpy.types.Object:
    """Strings from the bar, at the origin, straight down to these ends [m]."""
    points, edges = [], []
    for number, end in enumerate(ends):
        first = number * (SEGMENTS + 1)
        shares = np.linspace(0.0, 1.0, SEGMENTS + 1)[:, None]
        top = np.array([end[0], end[1], _BAR])
        points.append(top + shares * (end - top) - np.array([0.0, 0.0, _BAR]))
        edges += list(pairwise(range(first, first + SEGMENTS + 1)))
    strings = add_mesh(scene, "Strings", np.concatenate(points), edges=edges, colour=BLUE)
    settings = strings.xpbd
    settings.role, settings.preset, settings.hold_direction = "STRAND", "ROPE", False
    settings.radius = 0.003
    # what is tied to the doll lies on it
    settings.use_body_collision = False
    show_edges(strings, 0.006)
    pin(strings, (SEGMENTS + 1) * np.arange(len(ends)))
    return strings


MARIONETTE = GalleryScene(
    "MARIONETTE",
    "Marionette on Strings",
    "A doll of jelly hangs on three strings from a bar that tilts to and fro",
    "strings keep their length within 1 % and end on the doll within 1 mm; its hands follow the bar; it keeps its "
    "volume within 3 %",
    _build,
    View((0.9, -2.4, 0.8), (0.0, 0.0, 0.55)),
    13,
)
