# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose of a run as the start of what is simulated next; the shape at rest stays."""

from __future__ import annotations

import bpy
import numpy as np
import numpy.typing as npt

from ..reading.points import topology_of
from ..reading.start_reader import START, has_start


def keep_start(obj: bpy.types.Object, local: npt.NDArray[np.float64]) -> None:
    """Let a mesh begin in a pose.

    Args:
        obj: a mesh object.
        local: of the vertices in its own coordinates, shape (vertices, 3).
    """
    mesh = obj.data
    before = mesh.attributes.get(START)
    if before is not None:
        mesh.attributes.remove(before)
    attribute = mesh.attributes.new(START, "FLOAT_VECTOR", "POINT")
    attribute.data.foreach_set("vector", np.ascontiguousarray(local, np.float32).ravel())
    obj.xpbd.start_topology = topology_of(mesh)
    mesh.update()


def clear_start(obj: bpy.types.Object) -> bool:
    """Let a mesh begin in its shape at rest again; whether it began in another pose."""
    if not has_start(obj):
        return False
    obj.data.attributes.remove(obj.data.attributes[START])
    obj.xpbd.property_unset("start_topology")
    return True
