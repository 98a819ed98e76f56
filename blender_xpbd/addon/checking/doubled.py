# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets that fall apart where their vertices are doubled, as text that became a mesh and many imported meshes do."""

from __future__ import annotations

from collections.abc import Iterator

import bmesh
import bpy
import numpy as np

from ...scene.body import Body
from ...scene.body_kinds import body_kind
from ...scene.errors import Notice
from ...scene.scene import Scene
from ..data.bake_record import read_record
from ..reading.feel import length_of

# of the length of a mesh, how far vertices may be apart that are one
MERGED = 1e-6


def doubled(scene: Scene) -> Iterator[Notice]:
    """A warning for each sheet whose faces end where others begin, with vertices of their own.

    What was made tearable holds together there, and so does jelly, whose cage knows no vertices.
    """
    for body in scene.bodies:
        if not body_kind(body.role, body.name).is_sheet or len(body.seams):
            continue
        cuts = _cuts(body)
        if cuts:
            text = (
                f"It falls apart along {cuts} edges: faces lie side by side there, but each has vertices of its own. "
                "Merge these vertices to join them."
            )
            yield Notice("W_DOUBLED", text, body.name)


def merge_doubled(obj: bpy.types.Object) -> str:
    """Merge the vertices of an object's mesh that are in one place; why not, where they cannot be."""
    if obj.type != "MESH" or not obj.data.is_editable:
        return f'There is no mesh of "{obj.name}" that could be changed'
    if read_record(obj) is not None:
        return f'Clear the bake of "{obj.name}" first: its shape keys are for the mesh as it is'
    made, mesh = bmesh.new(), obj.data
    try:
        made.from_mesh(mesh)
        spread = np.ptp([vertex.co for vertex in made.verts], axis=0)
        bmesh.ops.remove_doubles(made, verts=list(made.verts), dist=MERGED * float(np.linalg.norm(spread)))
        made.to_mesh(mesh)
    finally:
        made.free()
    mesh.update()
    return ""


def _cuts(body: Body) -> int:
    """How many borders of faces lie on others, with vertices of their own that no thread joins to them."""
    ends = np.cumsum(body.face_sizes)
    following = np.arange(1, len(body.corners) + 1)
    following[ends - 1] = ends - body.face_sizes
    edges = np.sort(np.stack([body.corners, body.corners[following]], axis=1), axis=1)
    edges, faces = np.unique(edges, axis=0, return_counts=True)
    border = edges[faces == 1]
    border = border[~np.isin(border, np.concatenate([body.loose_edges, body.links.pairs])).all(axis=1)]
    if len(border) == 0:
        return 0
    used, of_used = np.unique(border, return_inverse=True)
    steps = np.rint(body.positions[used] / (MERGED * length_of(body.positions, body.axes))).astype(np.int64)
    places = np.unique(steps, axis=0, return_inverse=True)[1].reshape(-1)[of_used.reshape(-1, 2)]
    counts = np.unique(np.sort(places, axis=1), axis=0, return_counts=True)[1]
    return int(counts[counts > 1].sum())
