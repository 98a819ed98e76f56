# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose in which a body begins, where the artist has kept one: an attribute of the mesh's vertices."""

from __future__ import annotations

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.errors import Notice
from .points import topology_of

Floats = npt.NDArray[np.float64]

# of vertices: where each begins, in the object's own coordinates
START = "xpbd_start"
NO_START = np.zeros((0, 3))


def has_start(obj: bpy.types.Object) -> bool:
    """Whether a pose was kept in which the object begins."""
    return obj.type == "MESH" and bool(obj.xpbd.start_topology) and START in obj.data.attributes


def read_start(obj: bpy.types.Object) -> tuple[Floats, tuple[Notice, ...]]:
    """Where the vertices begin, in local coordinates, shape (vertices, 3); shape (0, 3) where that is at rest."""
    if not has_start(obj):
        return NO_START, ()
    mesh = obj.data
    attribute = mesh.attributes[START]
    is_own = (attribute.domain, attribute.data_type) == ("POINT", "FLOAT_VECTOR")
    if is_own and obj.xpbd.start_topology == topology_of(mesh):
        start = np.zeros(3 * len(mesh.vertices), np.float32)
        attribute.data.foreach_get("vector", start)
        if np.isfinite(start).all():
            return start.reshape(-1, 3).astype(np.float64), ()
    text = "The mesh was edited after its start was kept, so it begins as modelled. Keep a pose again, or clear it."
    return NO_START, (Notice("W_IGNORED", text, obj.name),)
