# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked frames in the coordinates of their object, and in the world where the object is now.

Shape keys go with their object: one that was moved, or is a copy, shows its bake where it stands. So coordinates are
those of the object as it was baked.
"""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np
import numpy.typing as npt

from ..baking.scene_reader import unit_scale_of
from ..keys.key_target import local_coordinates
from ..reading.motion import has_frame_handlers, may_move, world_matrix
from ..reduction.motion import Coordinates
from .baked_object import BakedObject

Floats = npt.NDArray[np.float64]


class LocalMotion:
    """The frames of a baked object, relative to the object.

    Attributes:
        baked: the object and its frames.
        matrices: local to world in Blender units when it was baked, shape (frames or 1, 4, 4).
        unit_scale: metres per Blender unit then.
    """

    def __init__(self, context: bpy.types.Context, baked: BakedObject) -> None:
        """Find where the object was; records of earlier versions do not tell, so where it is now.

        Args:
            context: its scene was baked; its frame may change.
            baked: the object.
        """
        self.baked = baked
        noted = baked.record.matrices()
        self.matrices = object_matrices(context, baked) if noted is None else noted
        self.unit_scale = unit_scale_of(context.scene) if noted is None else baked.record.unit_scale

    def frames(self) -> Iterator[Coordinates]:
        """Local coordinates at every frame, shape (vertices, 3), float32."""
        for frame, positions in self.baked.every_frame():
            yield self._local(frame, positions).astype(np.float32)

    def placed(self, context: bpy.types.Context) -> Iterator[Floats]:
        """Positions in the world [m] at each frame that was kept, shape (vertices, 3), where the object is now."""
        now, unit_scale = object_matrices(context, self.baked), unit_scale_of(context.scene)
        has_moved = unit_scale != self.unit_scale or not np.array_equal(*np.broadcast_arrays(now, self.matrices))
        for frame in self.baked.record.frames():
            positions = self.baked.positions(frame)
            if has_moved:
                matrix = now[self._row(frame, now)]
                local = self._local(frame, positions)
                positions = unit_scale * (local @ matrix[:3, :3].T + matrix[:3, 3])
            yield positions

    def _local(self, frame: int, positions: Floats) -> Floats:
        return local_coordinates(positions, self.matrices[self._row(frame, self.matrices)], self.unit_scale)

    def _row(self, frame: int, matrices: Floats) -> int:
        return frame - self.baked.record.start if len(matrices) > 1 else 0


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
