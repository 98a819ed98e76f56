# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets that fall apart where their vertices are doubled, as text that became a mesh and many imported meshes do."""

from __future__ import annotations

from collections.abc import Iterator

import bmesh
import bpy
import numpy as np
import numpy.typing as npt

from ...scene.body import Body
from ...scene.body_kinds import body_kind
from ...scene.errors import Notice
from ...scene.scene import Scene
from ..data.bake_record import read_record
from ..measures.solid_measures import edge_numbers, fans, triangle_edges
from ..reading.feel import length_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

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
    if obj.type != "MESH" or not obj.data.is_editable or not obj.data.vertices:
        return f'There is no mesh of "{obj.name}" that could be changed'
    if read_record(obj) is not None:
        return f'Clear the bake of "{obj.name}" first: its shape keys are for the mesh as it is'
    made, mesh = bmesh.new(), obj.data
    try:
        made.from_mesh(mesh)
        spread, count = np.ptp([vertex.co for vertex in made.verts], axis=0), len(made.verts)
        bmesh.ops.remove_doubles(made, verts=list(made.verts), dist=MERGED * float(np.linalg.norm(spread)))
        if len(made.verts) == count:
            return f'No vertices of the mesh of "{obj.name}" are in one place'
        made.to_mesh(mesh)
    finally:
        made.free()
    mesh.update()
    return ""


def doubled_places(points: Floats, triangles: Ints) -> Ints:
    """A number of each vertex, equal where faces end in one place, shape (vertices,).

    Layers and closed pieces that touch there are no copies.

    Args:
        points: of the vertices at rest, shape (vertices, 3).
        triangles: shape (triangles, 3).
    """
    numbers, ends = np.arange(len(points), dtype=np.int32), np.unique(_border(triangles))
    size = np.ptp(points[ends], axis=0).max() if len(ends) else 0.0
    if size > 0.0:
        steps = np.rint((points[ends] - points[ends].min(axis=0)) / (MERGED * size)).astype(np.int64)
        _, firsts, places = np.unique(steps, axis=0, return_index=True, return_inverse=True)
        numbers[ends] = ends[firsts[places.reshape(-1)]]
    return numbers


def _border(triangles: Ints) -> Ints:
    """Edges of one triangle, shape (edges, 2)."""
    edges = triangle_edges(triangles)
    first, times = np.unique(edge_numbers(edges), return_index=True, return_counts=True)[1:]
    return edges[first[times == 1]]


def _cuts(body: Body) -> int:
    """How many borders of faces lie on others, with vertices of their own that neither threads nor pins hold there."""
    border = _border(fans(body.face_sizes, body.corners))
    border = border[~np.isin(border, np.concatenate([body.loose_edges, body.links.pairs])).all(axis=1)]
    length = length_of(body.positions, body.axes)
    if len(border) == 0 or length == 0.0:
        return 0
    used, of_used = np.unique(border, return_inverse=True)
    steps = np.rint(body.positions[used] / (MERGED * length)).astype(np.int64)
    places = np.unique(steps, axis=0, return_inverse=True)[1].reshape(-1)[of_used.reshape(-1, 2)]
    own, counts = np.unique(edge_numbers(places), return_inverse=True, return_counts=True)[1:]
    held = body.pins.vertices if body.attachment is None else np.union1d(body.pins.vertices, body.attachment.vertices)
    loose = np.bincount(own.reshape(-1), ~np.isin(border, held).all(axis=1))
    return int(counts[(counts > 1) & (loose > 0)].sum())
