# SPDX-License-Identifier: GPL-3.0-or-later
"""The points of an object that are simulated: vertices of a mesh, control points of a curve, points of hair.

Control points of a curve are those of its splines, one spline after the other. They are the points of a Poly spline,
the control points of a NURBS spline, and those of a Bézier spline without their handles. Hair has its points in the
order of its curves.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import bmesh
import bpy
import numpy as np
import numpy.typing as npt

from ...scene.body import topology_hash
from ..data.link_attributes import LINK_KIND

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

NO_FACES = np.zeros(0, np.int32)


def point_count(data: Any) -> int:
    """How many points a Mesh, a Curve or Curves have."""
    if isinstance(data, bpy.types.Curve):
        return sum(len(spline_points(spline)) for spline in data.splines)
    return len(data.points) if isinstance(data, bpy.types.Curves) else len(data.vertices)


def spline_points(spline: bpy.types.Spline) -> Any:
    """The control points of a spline, whatever kind it is of."""
    return spline.bezier_points if spline.type == "BEZIER" else spline.points


def read_points(data: Any) -> Floats:
    """Local coordinates of the points, shape (points, 3)."""
    if isinstance(data, bpy.types.Curve):
        return _curve_values(data, "co")
    coordinates = np.empty((point_count(data), 3), np.float32)
    if len(coordinates) == 0:
        # Blender 4.5 crashes where the places of hair without points are asked for
        return coordinates.astype(np.float64)
    if isinstance(data, bpy.types.Curves):
        data.position_data.foreach_get("vector", coordinates.ravel())
    else:
        data.vertices.foreach_get("co", coordinates.ravel())
    return coordinates.astype(np.float64)


def read_handles(curve: bpy.types.Curve) -> tuple[Floats, Floats]:
    """Left and right handles of the points of a curve, shapes (points, 3); the point itself where it has none."""
    return _curve_values(curve, "handle_left"), _curve_values(curve, "handle_right")


def _curve_values(curve: bpy.types.Curve, name: str) -> Floats:
    rows = [np.zeros((0, 3), np.float32)]
    for spline in curve.splines:
        points = spline_points(spline)
        is_bezier = spline.type == "BEZIER"
        values = np.empty((len(points), 3 if is_bezier else 4), np.float32)
        points.foreach_get(name if is_bezier else "co", values.ravel())
        rows.append(values[:, :3])
    return np.concatenate(rows).astype(np.float64)


def read_segments(data: Any) -> Ints:
    """The pairs of points that are joined, shape (segments, 2): all edges of a mesh; a closed spline is closed."""
    if isinstance(data, bpy.types.Mesh):
        return read_edges(data)
    return np.concatenate([np.zeros((0, 2), np.int32), *(_run(*run) for run in read_runs(data))])


def read_runs(data: Any) -> list[tuple[int, int, bool]]:
    """Of a Curve or of Curves, each run of points: its first, how many, whether it is closed."""
    if isinstance(data, bpy.types.Curves):
        if len(data.curves) == 0:
            return []
        offsets = np.zeros(len(data.curve_offset_data), np.int32)
        data.curve_offset_data.foreach_get("value", offsets)
        closed = np.zeros(len(data.curves), bool)
        if (attribute := data.attributes.get("cyclic")) is not None:
            attribute.data.foreach_get("value", closed)
        ends = zip(pairwise(offsets.tolist()), closed.tolist(), strict=True)
        return [(first, last - first, is_closed) for (first, last), is_closed in ends]
    counts = [len(spline_points(spline)) for spline in data.splines]
    starts = np.cumsum([0, *counts]).tolist()
    closed_splines = [spline.use_cyclic_u for spline in data.splines]
    return list(zip(starts[:-1], counts, closed_splines, strict=True))


def _run(first: int, count: int, is_closed: bool) -> Ints:
    numbers = np.arange(first, first + count, dtype=np.int32)
    open_run = np.column_stack((numbers[:-1], numbers[1:]))
    if not is_closed or count < 3:
        return open_run
    return np.concatenate((open_run, np.array([[numbers[-1], numbers[0]]], np.int32)))


def read_radii(data: Any) -> Floats:
    """How thick the points are by the thickest, between 0 and 1, shape (points,); 1 where nothing tells."""
    radii = np.ones(point_count(data), np.float32)
    if isinstance(data, bpy.types.Curve):
        first = 0
        for spline in data.splines:
            points = spline_points(spline)
            points.foreach_get("radius", radii[first : first + len(points)])
            first += len(points)
    elif isinstance(data, bpy.types.Curves) and (attribute := data.attributes.get("radius")) is not None:
        attribute.data.foreach_get("value", radii)
    greatest = radii.max(initial=0.0)
    return radii.astype(np.float64) / greatest if greatest > 0.0 else np.ones(len(radii))


def read_polygons(mesh: bpy.types.Mesh) -> tuple[Ints, Ints]:
    """Corners per polygon, shape (polygons,), and the vertex of each corner, shape (corners,)."""
    face_sizes = np.zeros(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_total", face_sizes)
    corners = np.zeros(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    return face_sizes, corners


def shown_faces(points: Floats, face_sizes: Ints, corners: Ints) -> tuple[Ints, Ints]:
    """Polygons as Blender shows them, for what is simulated is cut into fans about first corners.

    A quad that is concave at its second or fourth corner begins at the next one. Polygons of five and more corners,
    which may be concave anywhere, become the triangles that Blender draws.

    Args:
        points: vertices, shape (vertices, 3).
        face_sizes: corners per polygon, shape (polygons,).
        corners: vertex of each corner, shape (corners,).

    Returns:
        Like ``face_sizes`` and ``corners``, in the order of the polygons.
    """
    starts = np.cumsum(face_sizes) - face_sizes
    quads = starts[face_sizes == 4][:, None] + np.arange(4)
    shown = corners.copy()
    is_turned = _is_turned(points[corners[quads]])
    shown[quads] = corners[np.where(is_turned[:, None], np.roll(quads, -1, axis=1), quads)]
    is_large = face_sizes > 4
    if not is_large.any():
        return face_sizes, shown
    of_corner = np.repeat(np.arange(len(face_sizes)), face_sizes)
    places, owners = _drawn_triangles(points, corners, starts[is_large], face_sizes[is_large])
    kept = ~is_large[of_corner]
    owners = np.flatnonzero(is_large)[owners]
    order = np.argsort(np.concatenate([of_corner[kept], np.repeat(owners, 3)]), kind="stable")
    shown = np.concatenate([shown[kept], corners[places.ravel()]])[order]
    order = np.argsort(np.concatenate([np.flatnonzero(~is_large), owners]), kind="stable")
    sizes = np.concatenate([face_sizes[~is_large], np.full(len(owners), 3)])[order]
    return sizes.astype(np.int32), shown.astype(np.int32)


def _is_turned(quads: Floats) -> npt.NDArray[np.bool_]:
    """Whether Blender draws quads of shape (quads, 4, 3) along the diagonal of their second and fourth corners."""
    a, b, c, d = quads.transpose(1, 0, 2)
    return np.einsum("ij,ij->i", np.cross(b - a, c - a), np.cross(c - a, d - a)) < 0.0


def _drawn_triangles(points: Floats, corners: Ints, starts: Ints, sizes: Ints) -> tuple[Ints, Ints]:
    """The triangles that Blender draws of polygons: places among the corners, shape (triangles, 3), and the owners."""
    places: list[tuple[int, ...]] = []
    owners: list[int] = []
    mesh: Any = bmesh.new()
    try:
        # each has vertices of its own, for Blender refuses polygons that use a vertex or all of them twice
        for start, size in zip(starts.tolist(), sizes.tolist(), strict=True):
            mesh.faces.new([mesh.verts.new(points[corner]) for corner in corners[start : start + size]])
        mesh.verts.index_update()
        mesh.faces.index_update()
        mesh.normal_update()
        first = starts - (np.cumsum(sizes) - sizes)
        for triangle in mesh.calc_loop_triangles():
            owner = triangle[0].face.index
            owners.append(owner)
            places.append(tuple(int(first[owner]) + loop.vert.index for loop in triangle))
    finally:
        mesh.free()
    return np.array(places, np.int32).reshape(-1, 3), np.array(owners, np.int32)


def read_edges(mesh: bpy.types.Mesh) -> Ints:
    """All edges, shape (edges, 2)."""
    edges = np.zeros((len(mesh.edges), 2), np.int32)
    mesh.edges.foreach_get("vertices", edges.ravel())
    return edges


def read_loose_edges(mesh: bpy.types.Mesh) -> Ints:
    """Edges that belong to no face and are no links, shape (edges, 2)."""
    edges = read_edges(mesh)
    used = np.zeros(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("edge_index", used)
    is_loose = link_kinds(mesh) == 0
    is_loose[used] = False
    return edges[is_loose]


def link_kinds(mesh: bpy.types.Mesh) -> Ints:
    """What the artist has made of each edge by the attribute ``LINK_KIND``, 0 for no link; shape (edges,)."""
    kinds = np.zeros(len(mesh.edges), np.int32)
    attribute = mesh.attributes.get(LINK_KIND)
    if attribute is not None and (attribute.domain, attribute.data_type) == ("EDGE", "INT"):
        attribute.data.foreach_get("value", kinds)
    return kinds


def topology_of(data: Any) -> str:
    """The digest of what is joined to what, as the worker computes it."""
    face_sizes, corners = read_polygons(data) if isinstance(data, bpy.types.Mesh) else (NO_FACES, NO_FACES)
    return topology_hash(point_count(data), face_sizes, corners, read_segments(data))
