# SPDX-License-Identifier: GPL-3.0-or-later
"""Cut a closed mesh into closed pieces that fill it, so that jelly can tear into them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bmesh
import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Vector
from mathutils.bvhtree import BVHTree
from mathutils.kdtree import KDTree

from ...scene.errors import XpbdError
from .link_attributes import SEAM

Floats = npt.NDArray[np.float64]

# of the mesh's size: what lies closer is one place. Chosen by hand: far above rounding, far below a piece
ONE_PLACE = 1e-5
# the angle between faces that were cut across, which lie in one plane [rad]
_FLAT = 1e-3
# and the cosine between the two halves of a straight edge
_STRAIGHT = -0.9999
# points inside the mesh per piece, and rounds in which each seed goes to the middle of its own: chosen by hand, so that
# pieces are about equally large and none has a face of its own size beside a sliver
POINTS_PER_PIECE = 60
ROUNDS = 4


def cut_into_pieces(
    mesh: bpy.types.Mesh, count: int, seed: int, object_name: str = "", held: Sequence[int] = ()
) -> int:
    """Cut a mesh into Voronoi cells of random points; each vertex is told its piece (``SEAM``).

    Pieces that touch have vertices at the same places there. Faces become triangles. All is cut about the middle of the
    mesh, for far from it coordinates are too coarse to find where a cut runs.

    Args:
        mesh: closed, without shape keys, each vertex at a finite place.
        count: of the pieces.
        seed: of the random points.
        object_name: named in errors.
        held: numbers of vertex groups that hold what is in them: these get new vertices only where all around these
            was held, for weights that are blended would hold the inside too.

    Returns:
        How many pieces there are: one whose cell holds nothing is none.

    Raises:
        XpbdError: E_TET_OPEN, for a mesh that has holes; E_GEOM_EMPTY, for one with nothing inside.
    """
    source, cut = bmesh.new(), bmesh.new()
    try:
        source.from_mesh(mesh)
        if not source.faces or any(len(edge.link_faces) != 2 for edge in source.edges):
            raise XpbdError("E_TET_OPEN", "Only a closed mesh can be cut: close its holes.", object_name)
        middle = Vector(_corners(source).mean(axis=0))
        _move(source, -middle)
        is_turned = source.calc_volume(signed=True) < 0.0
        if is_turned:
            bmesh.ops.reverse_faces(source, faces=source.faces)
        trees = {group: _held_tree(source, group) for group in held}
        bmesh.ops.triangulate(source, faces=[face for face in source.faces if len(face.verts) > 3])
        tolerance = ONE_PLACE * float(np.ptp(_corners(source), axis=0).max())
        seeds = _seeds(source, count, np.random.default_rng(seed), object_name)
        made = sum(_add_cell(cut, source, seeds, number, tolerance, object_name) for number in range(len(seeds)))
        _snap(cut, tolerance)
        for group, tree in trees.items():
            _let_go(cut, group, tree, 2.0 * tolerance)
        if is_turned:
            bmesh.ops.reverse_faces(cut, faces=cut.faces)
        _move(cut, middle)
        _sort(cut, tolerance)
        cut.to_mesh(mesh)
        mesh.update()
        return made
    finally:
        source.free()
        cut.free()


def _corners(source: bmesh.types.BMesh) -> Floats:
    """Lower and upper corner of the box around the faces of a mesh, shape (2, 3)."""
    places = np.array([vertex.co for vertex in source.verts if vertex.link_faces])
    return np.stack([places.min(axis=0), places.max(axis=0)])


def _move(data: bmesh.types.BMesh, way: Vector) -> None:
    """Move all vertices by a way."""
    for vertex in data.verts:
        vertex.co += way


def _seeds(source: bmesh.types.BMesh, count: int, random: np.random.Generator, object_name: str) -> Floats:
    """Middles of cells that are about equally large, shape (count, 3)."""
    tree, (low, high) = BVHTree.FromBMesh(source), _corners(source)
    inside: list[Floats] = []
    for _ in range(40):
        for point in random.uniform(low, high, (POINTS_PER_PIECE * count, 3)):
            nearest, normal, _index, _distance = tree.find_nearest(Vector(point))
            if (Vector(point) - nearest).dot(normal) < 0.0:
                inside.append(point)
        if len(inside) >= POINTS_PER_PIECE * count:
            break
    if len(inside) < count:
        raise XpbdError("E_GEOM_EMPTY", "The mesh has next to nothing inside that could be cut.", object_name)
    points = np.array(inside)
    seeds: Floats = points[random.choice(len(points), count, replace=False)]
    for _ in range(ROUNDS):
        near = KDTree(count)
        for number, place in enumerate(seeds):
            near.insert(place, number)
        near.balance()
        nearest_seed = np.array([near.find(point)[1] for point in points])
        # a seed is the nearest one to itself, so that none is left without points in the first round
        used = np.bincount(nearest_seed, minlength=count) > 0
        seeds[used] = [points[nearest_seed == number].mean(axis=0) for number in np.flatnonzero(used)]
    return seeds


def _add_cell(
    cut: bmesh.types.BMesh, source: bmesh.types.BMesh, seeds: Floats, number: int, tolerance: float, object_name: str
) -> bool:
    """Add what of a mesh is nearest to a seed; whether there is any."""
    cell = source.copy()
    cuts = cell.faces.layers.int.new("cut")
    mesh = bpy.data.meshes.new("Piece")
    try:
        ways = seeds - seeds[number]
        distances = np.linalg.norm(ways, axis=1)
        for other in np.argsort(distances, kind="stable")[1:]:
            reach = max(((vertex.co - Vector(seeds[number])).length for vertex in cell.verts), default=0.0)
            if distances[other] / 2.0 > reach:
                break
            plane = Vector((seeds[number] + seeds[other]) / 2.0), Vector(ways[other] / distances[other])
            _clip(cell, plane, tolerance, (cuts, int(other) + 1))
        _drop_strays(cell, cuts)
        bmesh.ops.remove_doubles(cell, verts=cell.verts, dist=tolerance)
        bmesh.ops.triangulate(cell, faces=[face for face in cell.faces if len(face.verts) > 3])
        if not cell.faces:
            return False
        if any(len(edge.link_faces) != 2 for edge in cell.edges):
            raise XpbdError("E_TET_OPEN", "A piece could not be closed: cut with another Seed.", object_name)
        layer = cell.verts.layers.int.get(SEAM) or cell.verts.layers.int.new(SEAM)
        for vertex in cell.verts:
            vertex[layer] = number + 1
        cell.faces.layers.int.remove(cuts)
        cell.to_mesh(mesh)
        cut.from_mesh(mesh)
        return True
    finally:
        cell.free()
        bpy.data.meshes.remove(mesh)


def _clip(cell: bmesh.types.BMesh, plane: tuple[Any, Any], tolerance: float, label: tuple[Any, int]) -> None:
    """Take away what lies beyond a plane, and close the cut with faces that have no vertices but along its rim.

    Args:
        cell: to be cut.
        plane: a place on it, and its normal.
        tolerance: what is nearer to it lies on it.
        label: a layer of numbers of faces, and the one that faces of this cut get.
    """
    place, normal = plane
    everything = [*cell.verts, *cell.edges, *cell.faces]
    bmesh.ops.bisect_plane(cell, geom=everything, dist=tolerance, plane_co=place, plane_no=normal, clear_outer=True)
    rim = [edge for edge in cell.edges if edge.is_boundary]
    if not rim:
        return
    for edge in rim:
        edge.smooth = False
    for faces in _fill(cell, rim, normal):
        for face in faces:
            face.normal_update()
            face.smooth = False
            face[label[0]] = label[1]
        # all at once: the normal of a sliver says nothing
        if sum(face.normal.dot(normal) * face.calc_area() for face in faces) < 0.0:
            bmesh.ops.reverse_faces(cell, faces=faces)
        if len(faces) == 1:
            continue
        # as one face the next cut divides it only at its rim, where other pieces have vertices too
        known, outer = set(faces), set(rim)
        every = dict.fromkeys(edge for face in faces for edge in face.edges)
        within = [edge for edge in every if edge not in outer and known.issuperset(edge.link_faces)]
        bmesh.ops.dissolve_limit(cell, angle_limit=_FLAT, edges=within, verts=[], use_dissolve_boundaries=False)


def _fill(cell: bmesh.types.BMesh, rim: list[bmesh.types.BMEdge], normal: Any) -> list[list[bmesh.types.BMFace]]:
    """Close the loops of a rim: each by a face of its own, or all at once where one may lie within another."""
    loops = _loops(rim)
    boxes = [
        (np.min(corners, axis=0), np.max(corners, axis=0))
        for corners in ([vertex.co for edge in loop for vertex in edge.verts] for loop in loops)
    ]
    are_apart = all(
        (low > high_other).any() or (high < low_other).any()
        for number, (low, high) in enumerate(boxes)
        for low_other, high_other in boxes[:number]
    )
    if are_apart and all(len(loop) == len({vertex for edge in loop for vertex in edge.verts}) for loop in loops):
        return [bmesh.ops.edgeloop_fill(cell, edges=loop)["faces"] for loop in loops]
    filled = bmesh.ops.triangle_fill(cell, use_beauty=True, use_dissolve=False, edges=rim, normal=normal)["geom"]
    return [[item for item in filled if isinstance(item, bmesh.types.BMFace)]]


def _loops(rim: list[bmesh.types.BMEdge]) -> list[list[bmesh.types.BMEdge]]:
    """Edges of a rim that hang together, in the order of the rim."""
    left, found = dict.fromkeys(rim), []
    while left:
        first = next(iter(left))
        del left[first]
        loop = [first]
        for edge in loop:
            near = [other for vertex in edge.verts for other in vertex.link_edges if other in left]
            for other in dict.fromkeys(near):
                del left[other]
                loop.append(other)
        found.append(loop)
    return found


def _drop_strays(cell: bmesh.types.BMesh, layer: Any) -> None:
    """Take away vertices of cuts that are no corners of them: where an edge was cut that a face should not have had."""
    for vertex in list(cell.verts):
        cuts = {face[layer] for face in vertex.link_faces}
        if not cuts or 0 in cuts or len(cuts) > 2:
            continue
        if len(cuts) == 1:
            bmesh.ops.dissolve_verts(cell, verts=[vertex])
            continue
        level = [edge for edge in vertex.link_edges if len({face[layer] for face in edge.link_faces}) == 1]
        if level:
            bmesh.ops.dissolve_edges(cell, edges=level, use_verts=False)
        if len(vertex.link_edges) == 2:
            one, other = (edge.other_vert(vertex).co - vertex.co for edge in vertex.link_edges)
            if one.normalized().dot(other.normalized()) < _STRAIGHT:
                bmesh.ops.dissolve_verts(cell, verts=[vertex])


def _snap(cut: bmesh.types.BMesh, tolerance: float) -> None:
    """Put vertices of different pieces that are at one place exactly there."""
    tree = KDTree(len(cut.verts))
    for number, vertex in enumerate(cut.verts):
        tree.insert(vertex.co, number)
    tree.balance()
    cut.verts.ensure_lookup_table()
    for number, vertex in enumerate(cut.verts):
        first = min(found for _place, found, _distance in tree.find_range(vertex.co, tolerance))
        if first < number:
            vertex.co = cut.verts[first].co


def _sort(cut: bmesh.types.BMesh, tolerance: float) -> None:
    """Put vertices, edges and faces in an order of their own: Blender's follows addresses in memory."""
    layer = cut.verts.layers.int.get(SEAM) or cut.verts.layers.int.new(SEAM)
    _sort_by(cut.verts, [(vertex[layer], *(round(c / tolerance) for c in vertex.co)) for vertex in cut.verts])
    for parts in (cut.edges, cut.faces):
        _sort_by(parts, [sorted(vertex.index for vertex in part.verts) for part in parts])


def _sort_by(parts: Any, keys: list[Any]) -> None:
    """Sort vertices, edges or faces by keys of any kind; Blender itself takes numbers only."""
    parts.index_update()
    places = np.empty(len(keys), np.int64)
    places[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
    parts.sort(key=lambda part: places[part.index])
    parts.index_update()


def _held_tree(source: bmesh.types.BMesh, group: int) -> Any:
    """What of a mesh a vertex group holds: its vertices, and edges and faces all of whose corners are in it."""
    held = source.copy()
    try:
        layer = held.verts.layers.deform.active
        free = [vertex for vertex in held.verts if layer is None or vertex[layer].get(group, 0.0) <= 0.0]
        bmesh.ops.delete(held, geom=free, context="VERTS")
        bmesh.ops.triangulate(held, faces=[face for face in held.faces if len(face.verts) > 3])
        held.verts.index_update()
        # an edge is a triangle of no width, a vertex one of no size
        parts: list[list[Any]] = [[vertex] * 3 for vertex in held.verts]
        parts += [[edge.verts[0], edge.verts[1], edge.verts[1]] for edge in held.edges]
        parts += [list(face.verts) for face in held.faces]
        places = [vertex.co.copy() for vertex in held.verts]
        tree: Any = BVHTree.FromPolygons(places, [[vertex.index for vertex in part] for part in parts])
        return tree
    finally:
        held.free()


def _let_go(cut: bmesh.types.BMesh, group: int, held: Any, tolerance: float) -> None:
    """Take vertices out of a group that lie on nothing of what it held."""
    layer = cut.verts.layers.deform.active
    if layer is None:
        return
    for vertex in cut.verts:
        if vertex[layer].get(group, 0.0) > 0.0 and held.find_nearest(vertex.co, tolerance)[0] is None:
            del vertex[layer][group]
