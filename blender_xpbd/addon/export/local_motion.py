# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked frames in the coordinates of their object, which may move itself."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np
import numpy.typing as npt

from ..keys.key_target import local_coordinates
from ..reading.motion import has_frame_handlers, may_move, world_matrix
from ..reduction.motion import Coordinates
from .baked_object import BakedObject

Floats = npt.NDArray[np.float64]


def object_matrices(context: bpy.types.Context, baked: BakedObject) -> Floats:
    """Local to world in Blender units at every frame, shape (frames or 1, 4, 4); the scene's frame may change."""
    scene, record = context.scene, baked.record
    if not (may_move(baked.obj) or has_frame_handlers()):
        return world_matrix(baked.obj, context.evaluated_depsgraph_get())[None]
    matrices = []
    for frame in range(record.start, record.end + 1):
        scene.frame_set(frame)
        matrices.append(world_matrix(baked.obj, context.evaluated_depsgraph_get(), frame))
    return np.array(matrices)


def local_frames(baked: BakedObject, matrices: Floats, unit_scale: float) -> Iterator[Coordinates]:
    """Local coordinates at every frame, shape (vertices, 3).

    Args:
        baked: the object.
        matrices: of it, from ``object_matrices``.
        unit_scale: metres per Blender unit.
    """
    for row, (_, positions) in enumerate(baked.every_frame()):
        matrix = matrices[row if len(matrices) > 1 else 0]
        yield local_coordinates(positions, matrix, unit_scale).astype(np.float32)
