# SPDX-License-Identifier: GPL-3.0-or-later
"""Chain mail: rings of wire, each of which goes through its neighbours."""

from __future__ import annotations

import math

import bpy
import numpy as np

from .gallery_scene import GalleryScene, View
from .stage import GREY, ORANGE, STRAW, add_curve, add_sphere, set_frames, set_solver

ROWS, SPACING = 4, 0.13
WIRE = 0.005
# of the rings that lie, and of those that stand and join two of them [m]
LYING, STANDING = 0.05, 0.035
POINTS = 12
BALL = 0.2


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, 48)
    set_solver(scene, substeps=40)
    add_sphere(scene, "Ball", BALL, (0.0, 0.0, 0.0), ORANGE).xpbd.friction = 1.0
    for name, rings, colour in (("Lying Rings", lying_rings(), GREY), ("Standing Rings", standing_rings(), STRAW)):
        mail = add_curve(scene, name, list(rings), thickness=2.0 * WIRE, colour=colour, cyclic=True)
        mail.location = (0.0, 0.0, BALL + 0.05)
        settings = mail.xpbd
        settings.role, settings.preset, settings.radius = "STRAND", "STEEL_WIRE", WIRE
        settings.use_self_collision, settings.friction = True, 0.8


def _circle(radius: float) -> np.ndarray:
    angles = 2.0 * math.pi * (np.arange(POINTS) + 0.5) / POINTS
    return radius * np.column_stack((np.cos(angles), np.sin(angles), np.zeros(POINTS)))


def _place(column: float, row: float) -> np.ndarray:
    return SPACING * np.array([column - 0.5 * (ROWS - 1), row - 0.5 * (ROWS - 1), 0.0])


def lying_rings() -> np.ndarray:
    """Rings in rows, shape (rings, points, 3) [m]."""
    return np.array([_place(i, j) + _circle(LYING) for j in range(ROWS) for i in range(ROWS)])


def standing_rings() -> np.ndarray:
    """Rings that join each to the next of its row and of its column, shape (rings, points, 3) [m]."""
    ring = _circle(STANDING)
    across, along = ring[:, [0, 2, 1]], ring[:, [2, 0, 1]]
    rows = [_place(i + 0.5, j) + across for j in range(ROWS) for i in range(ROWS - 1)]
    columns = [_place(i, j + 0.5) + along for j in range(ROWS - 1) for i in range(ROWS)]
    return np.array(rows + columns)


CHAIN_MAIL = GalleryScene(
    "CHAIN_MAIL",
    "Chain Mail",
    "16 rings that lie and 24 that join them, of steel wire, fall on a ball",
    "every ring stays linked with those that it was linked with, and with no other; wires at least 0.94 of their "
    "thickness apart; none in the ball",
    _build,
    View((0.9, -1.2, 0.9), (0.0, 0.0, 0.1)),
    36,
)
