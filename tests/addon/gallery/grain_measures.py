# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of grains measure."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils.kdtree import KDTree


def closest(points: np.ndarray) -> float:
    """The least distance of two points."""
    tree = KDTree(len(points))
    for number, point in enumerate(points):
        tree.insert(point, number)
    tree.balance()
    return min(tree.find_n(point, 2)[1][2] for point in points)


def last_speed(scene: bpy.types.Scene, motion: np.ndarray) -> float:
    """The greatest speed between the last two frames [m/s]."""
    rate = scene.render.fps / scene.render.fps_base
    return float(np.linalg.norm(motion[-1] - motion[-2], axis=1).max()) * rate


def slope(points: np.ndarray) -> float:
    """Height by width of a heap."""
    far = np.linalg.norm(points[:, :2] - np.median(points[:, :2], axis=0), axis=1)
    return float(np.quantile(points[:, 2], 0.98) / np.quantile(far, 0.9))
