# SPDX-License-Identifier: GPL-3.0-or-later
"""What the artist's own shape keys show beside a bake, which an export does not hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import bpy
import numpy as np

from ...scene.errors import Notice
from ..data.bake_record import RELATIVE, shape_digest
from ..keys.key_animation import value_path
from ..keys.key_target import local_coordinates
from ..reading.mesh_reader import key_coordinates, own_keys, own_shape_keys, read_mixed_shape
from ..reading.motion import animated_paths
from .baked_object import BakedObject

# of an object's size; what single precision leaves of coordinates far from their origin is less
_CHANGED = 1e-4


def lost_motion(objects: Sequence[BakedObject]) -> Iterator[Notice]:
    """A warning for each object whose own keys are animated below relative baked ones, or were changed since the bake.

    Both together are shown. The cache has what was simulated, from what the keys were at the first frame.

    Raises:
        XpbdError: E_CACHE, E_IO.
    """
    for baked in objects:
        keys = own_shape_keys(baked.obj.data)
        if keys is None or baked.record.style != RELATIVE:
            continue
        paths = animated_paths(keys)
        moving = [block.name for block in own_keys(baked.obj) if value_path(block.name) in paths]
        if moving:
            text = (
                f"The file holds what was simulated, without the animation of the object's own shape keys "
                f"({', '.join(moving)}), which is shown on top of it. A modifier that plays the file hides them."
            )
            yield Notice("W_OWN_KEYS", text, baked.obj.name)
        elif _is_mixed_otherwise(baked, keys):
            text = (
                "The object's own shape keys were changed since the bake. The file holds what was simulated with them "
                "as they were, and a modifier that plays it hides the change: bake again first."
            )
            yield Notice("W_OWN_KEYS", text, baked.obj.name)


def _is_mixed_otherwise(baked: BakedObject, keys: bpy.types.Key) -> bool:
    """Whether the artist's own keys show another shape than when it was baked, as its record, or a baked key, tells."""
    record, matrices = baked.record, baked.record.matrices()
    if record.own_shape:
        return record.own_shape != shape_digest(read_mixed_shape(baked.obj))
    frame = next((frame for frame in record.frames() if record.key_name(frame) in keys.key_blocks), None)
    if frame is None or matrices is None or record.frees_deformed:
        return False
    matrix = matrices[frame - record.start if len(matrices) > 1 else 0]
    simulated = local_coordinates(baked.positions(frame), matrix, record.unit_scale)
    # a relative key has what is added to the basis, so that both give what was simulated
    added = key_coordinates(keys.key_blocks[record.key_name(frame)]) - key_coordinates(keys.reference_key)
    now = read_mixed_shape(baked.obj)
    return bool(np.abs(simulated - added - now).max(initial=0.0) > _CHANGED * np.ptp(now, axis=0).max(initial=0.0))
