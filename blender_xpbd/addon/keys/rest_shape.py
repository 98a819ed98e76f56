# SPDX-License-Identifier: GPL-3.0-or-later
"""A shape of a bake as the mesh's own."""

from __future__ import annotations

import bpy
import numpy as np

from ...scene.errors import XpbdError
from ..reading.mesh_reader import is_shared, key_coordinates
from ..reading.points import read_points
from .clearing import check_clearing, clear_bake


def set_rest_shape(obj: bpy.types.Object) -> None:
    """Give a baked mesh the shape that its keys show now, before its modifiers, and clear the bake.

    The artist's own shape keys go along: what each of them adds stays.

    Args:
        obj: a mesh object with a bake.

    Raises:
        XpbdError: E_MODE_EDIT, E_DATA_LINKED or E_DATA_SHARED.
    """
    check_clearing(obj)
    if is_shared(obj):
        raise XpbdError("E_DATA_SHARED", "Other objects use the same mesh: make it single-user first.", obj.name)
    shape = _shown(obj)
    clear_bake(obj)
    mesh, keys = obj.data, obj.data.shape_keys
    before = read_points(mesh) if keys is None else _shown(obj)
    moved = shape - before
    for block in keys.key_blocks if keys is not None else ():
        block.points.foreach_set("co", np.ravel(key_coordinates(block) + moved).astype(np.float32))
    mesh.vertices.foreach_set("co", np.ravel(read_points(mesh) + moved).astype(np.float32))
    mesh.update()


def _shown(obj: bpy.types.Object) -> np.ndarray:
    """What the keys show now, shape (vertices, 3)."""
    mix = obj.shape_key_add(name="XPBD Rest", from_mix=True)
    shape = key_coordinates(mix)
    obj.shape_key_remove(mix)
    return shape
