# SPDX-License-Identifier: GPL-3.0-or-later
"""Which vertices of an object are drawn to its goal."""

from __future__ import annotations

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.errors import Notice
from .mesh_reader import group_weights, has_group
from .points import point_count


def read_goal(obj: bpy.types.Object) -> tuple[npt.NDArray[np.float32], tuple[Notice, ...]]:
    """Weight of each vertex, shape (vertices,), or (0,) for no goal; a warning where the group names no vertices."""
    nothing = np.zeros(0, np.float32)
    if obj.xpbd.goal_source == "NONE":
        return nothing, ()
    name = obj.xpbd.goal_group
    if not name:
        return np.ones(point_count(obj.data), np.float32), ()
    weights = np.minimum(group_weights(obj, name), np.float32(1.0))
    if not has_group(obj, name):
        text = f'There is no vertex group "{name}": nothing is drawn to the goal. Choose another goal group.'
    elif not (weights > 0.0).any():
        text = f'No vertex of "{name}" has a weight above 0: nothing is drawn to the goal.'
    else:
        return weights, ()
    return nothing, (Notice("W_GROUP", text, obj.name),)
