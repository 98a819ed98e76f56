# SPDX-License-Identifier: GPL-3.0-or-later
"""What crosses at the first frame of the last bake, by the objects of the scene."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import numpy.typing as npt

from ...jobs.result import read_result
from ...jobs.tangled import read_tangled
from ...scene.body import topology_hash
from ...scene.errors import XpbdError
from ..reading.mesh_reader import read_rest_shape
from ..reading.points import read_loose_edges, read_polygons, shown_faces
from .report_text import summary_of

Ints = npt.NDArray[np.int32]


def crossing_vertices(scene: bpy.types.Scene) -> dict[str, Ints]:
    """The vertices that cross something, by the names of the objects that the last bake simulated.

    Objects that are gone, or whose polygons were edited since, are left out.

    Raises:
        XpbdError: E_CACHE or E_IO, where there is no bake or its folder cannot be read.
    """
    cache = summary_of(scene.xpbd.report).get("cache")
    # the text may come from a stranger's file
    if not isinstance(cache, str) or not cache or "\0" in cache:
        raise XpbdError("E_CACHE", "There is no bake in this scene that could tell: bake first.")
    folder = Path(cache)
    result = read_result(folder)
    tangled = read_tangled(folder, result)
    found: dict[str, Ints] = {}
    for body in result.bodies:
        obj = scene.objects.get(body.name)
        if obj is not None and obj.type == "MESH" and _topology(obj) == body.topology_hash:
            first, last = np.searchsorted(tangled, (body.vertex_start, body.vertex_start + body.vertex_count))
            found[body.name] = tangled[first:last] - np.int32(body.vertex_start)
    return found


def _topology(obj: bpy.types.Object) -> str:
    """The digest of what is simulated of a mesh, to which links do not belong."""
    mesh = obj.data
    faces = shown_faces(read_rest_shape(obj), *read_polygons(mesh))
    return topology_hash(len(mesh.vertices), *faces, read_loose_edges(mesh))
