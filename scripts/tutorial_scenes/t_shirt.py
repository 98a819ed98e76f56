# SPDX-License-Identifier: GPL-3.0-or-later
"""A T-shirt of two panels that are sewn around a mannequin."""

from __future__ import annotations

import math

import bpy
import numpy as np

from blender_xpbd.addon.gallery.gallery_scene import GalleryScene, View
from blender_xpbd.addon.gallery.shapes import Indices, Points
from blender_xpbd.addon.gallery.stage import add_mesh, set_frames

from .mannequin import Mannequin
from .studio import MINT, set_look, set_studio, subdivide, thicken

CELL = 0.022
# of a panel, in cells from its middle and from its hem: half the width of the trunk, of the neck and with sleeves
_TRUNK, _NECK, _SLEEVE = 12, 4, 20
# height of the shoulders, and from where on there are sleeves
_HEIGHT, _ARMPIT = 26, 16
_HEM, _APART = 0.93, 0.21
_VIEW = View((1.1, -3.3, 1.55), (0.0, 0.0, 1.24), 62.0)


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, 24)
    scene.xpbd.preroll, scene.xpbd.sewing_frames = 36, 20
    figure = Mannequin(scene)
    body = figure.add_body()
    for name, sign in (("upper_arm.L", -1.0), ("upper_arm.R", 1.0)):
        figure.turn(name, sign * math.radians(54.0), (0.0, 1.0, 0.0))
    body.xpbd.role = "COLLIDER"
    points, quads, seams = panels()
    shirt = add_mesh(scene, "Shirt", points, quads, seams, colour=(0.9, 0.62, 0.1))
    shirt.xpbd.role, shirt.xpbd.use_stitches, shirt.xpbd.use_self_collision = "CLOTH", True, True
    set_look(shirt, roughness=0.8, sheen=0.4)
    thicken(shirt, 0.004)
    subdivide(shirt)
    set_studio(scene, _VIEW, MINT)


def panels() -> tuple[Points, Indices, Indices]:
    """A front and a back panel, and the edges without faces that sew them: points [m], quads, edges."""
    columns, rows = np.meshgrid(np.arange(-_SLEEVE, _SLEEVE), np.arange(_HEIGHT))
    is_cloth = (np.abs(columns + 0.5) < _TRUNK) | (rows >= _ARMPIT)
    corners = np.stack((columns, rows), axis=-1)[is_cloth][:, None] + np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
    lattice, numbers = np.unique(corners.reshape(-1, 2), axis=0, return_inverse=True)
    quads = numbers.reshape(-1, 4)
    column, row = np.abs(lattice[:, 0]), lattice[:, 1]
    # the shoulders slope
    drop = 0.2 * np.maximum(column - _NECK, 0) * (row / _HEIGHT)
    front = np.column_stack((CELL * lattice[:, 0], np.full(len(row), -_APART), _HEM + CELL * (row - drop)))
    back = front * (1.0, -1.0, 1.0)
    is_sewn = (row == _HEIGHT) & (column > _NECK)
    is_sewn |= (column == _TRUNK) & (row <= _ARMPIT)
    is_sewn |= (row == _ARMPIT) & (column >= _TRUNK)
    sewn = np.flatnonzero(is_sewn)
    count = len(lattice)
    both = np.concatenate([quads, count + quads[:, ::-1]])
    return np.concatenate([front, back]), both, np.column_stack((sewn, count + sewn))


T_SHIRT = GalleryScene(
    "T_SHIRT",
    "T-Shirt",
    "Two panels of cotton are sewn around a mannequin, and drape",
    "",
    _build,
    _VIEW,
    24,
)
