# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a mesh still has the polygons that were simulated, asked so often that it must cost next to nothing."""

from __future__ import annotations

import bpy
import numpy as np
import numpy.typing as npt

from ..reading.points import topology_of

_Arrays = tuple[npt.NDArray[np.int32], ...]

# Blender's own arrays and their width: edges as pairs of vertices; vertex and edge of each corner of a polygon
_STORED = ((".edge_verts", 2), (".corner_vert", 1), (".corner_edge", 1))


class TopologyWatch:
    """Compares a mesh with a digest of its topology.

    To compute the digest of 100,000 quads takes 20 ms, twenty times what it takes to write a key. The arrays of which
    Blender makes polygons are read in 0.1 ms: as long as they are what they were when the digest was right, so is it.
    """

    def __init__(self, topology: str) -> None:
        """Nothing is read.

        Args:
            topology: the digest, as ``topology_of`` computes it.
        """
        self._topology = topology
        self._stored: _Arrays | None = None

    def matches(self, data: bpy.types.Mesh | bpy.types.Curve) -> bool:
        """Whether the data, which must not be in Edit Mode, have that topology."""
        if not isinstance(data, bpy.types.Mesh):
            return topology_of(data) == self._topology
        mesh = data
        # a loose vertex is in none of the arrays
        count = np.array([len(mesh.vertices)], np.int32)
        stored = (count, *(_stored_array(mesh, name, width) for name, width in _STORED))
        if self._stored is not None and all(map(np.array_equal, stored, self._stored)):
            return True
        if topology_of(mesh) != self._topology:
            return False
        self._stored = stored
        return True


def _stored_array(mesh: bpy.types.Mesh, name: str, width: int) -> npt.NDArray[np.int32]:
    """Shape (elements * width,), empty where the mesh has no such array."""
    attribute = mesh.attributes.get(name)
    values = np.zeros(len(attribute.data) * width if attribute is not None else 0, np.int32)
    if attribute is not None:
        attribute.data.foreach_get("value", values)
    return values
