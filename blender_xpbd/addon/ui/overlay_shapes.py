# SPDX-License-Identifier: GPL-3.0-or-later
"""What overlays show, as points and lines in the world in Blender units; nothing is drawn or changed."""

from __future__ import annotations

import math
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.transforms import transformed
from ..keys.strain_map import COLOUR_SUFFIX, FULL_STRAIN, MAPS, is_sewn, map_colours
from ..reading.mesh_reader import group_weights, has_group
from ..reading.motion import rotation_of

Floats = npt.NDArray[np.float64]
Colours = npt.NDArray[np.float32]

NOTHING = np.zeros((0, 3))
# lines of the floor, on each side of what stands on it, and how far they go by the extent of that
_FLOOR_LINES, _FLOOR_MARGIN = 10, 0.5


def shown_points(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Floats:
    """Where the vertices of a mesh are shown, shape (vertices, 3); as modelled where modifiers change how many."""
    mesh = obj.evaluated_get(depsgraph).data
    if len(mesh.vertices) != len(obj.data.vertices):
        mesh = obj.data
    return _placed(obj, _points(mesh))


def group_points(obj: bpy.types.Object, group: str, depsgraph: bpy.types.Depsgraph) -> tuple[Floats, Colours]:
    """The vertices of a group, shape (vertices, 3), and their weights, shape (vertices,)."""
    if not group or not has_group(obj, group):
        return NOTHING, np.zeros(0, np.float32)
    weights = group_weights(obj, group)
    held = weights > 0.0
    return shown_points(obj, depsgraph)[held], np.minimum(weights[held], np.float32(1.0))


def floor_lines(height: float, points: Floats) -> Floats:
    """A grid at a height around points, shape (2 · lines, 3).

    Args:
        height: of the floor.
        points: what stands on it, shape (points, 3).
    """
    x, y, half = floor_square(points)
    rows = np.linspace(-half, half, 2 * _FLOOR_LINES + 1)
    lines = [[(x + row, y - half), (x + row, y + half), (x - half, y + row), (x + half, y + row)] for row in rows]
    flat = np.array(lines).reshape(-1, 2)
    return np.column_stack([flat, np.full(len(flat), height)])


def floor_square(points: Floats) -> tuple[float, float, float]:
    """Middle and half the side of the square of the floor that is shown.

    Args:
        points: what stands on it, shape (points, 3).
    """
    low, high = (points.min(axis=0), points.max(axis=0)) if len(points) else (-np.ones(3), np.ones(3))
    x, y, _ = 0.5 * (low + high)
    return float(x), float(y), (0.5 + _FLOOR_MARGIN) * max(float((high - low)[:2].max()), 1e-3)


def cage_lines(obj: bpy.types.Object) -> Floats:
    """The cells of the cage along the edges of its box, as the mesh is modelled, shape (2 · lines, 3).

    They are cubes in the world along the object's own axes, however it is scaled.
    """
    axes = rotation_of(np.array(obj.matrix_world, np.float64)[:3, :3])
    points = _placed(obj, _points(obj.data)) @ axes
    if not len(points):
        return NOTHING
    low, high = points.min(axis=0), points.max(axis=0)
    cell = float((high - low).max()) / obj.xpbd.cage_resolution
    if cell <= 0.0:
        return NOTHING
    counts = [max(1, math.ceil(extent / cell - 1e-6)) for extent in high - low]
    middle = 0.5 * (low + high)
    low, high = middle - 0.5 * cell * np.array(counts), middle + 0.5 * cell * np.array(counts)
    lines: list[Floats] = []
    for axis in range(3):
        first, second = (other for other in range(3) if other != axis)
        for level in (low[axis], high[axis]):
            for along, across in ((first, second), (second, first)):
                for place in np.linspace(low[along], high[along], counts[along] + 1):
                    ends = np.empty((2, 3))
                    ends[:, axis], ends[:, along] = level, place
                    ends[:, across] = low[across], high[across]
                    lines.append(ends)
    return np.concatenate(lines) @ axes.T


def thickness_lines(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Floats:
    """Half the thickness of a cloth to both sides of each vertex, shape (2 · vertices, 3).

    Where the thickness follows from the mesh it is the contact distance, which is the most that it is then.
    """
    mesh = obj.evaluated_get(depsgraph).data
    if len(mesh.vertices) != len(obj.data.vertices):
        mesh = obj.data
    normals = np.zeros(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("normal", normals)
    turned = normals.reshape(-1, 3).astype(np.float64) @ _cofactors(np.array(obj.matrix_world)[:3, :3]).T
    turned /= np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-12)
    points, reach = _placed(obj, _points(mesh)), 0.5 * (obj.xpbd.thickness or obj.xpbd.contact_offset)
    return np.stack([points - reach * turned, points + reach * turned], axis=1).reshape(-1, 3)


def strain_triangles(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> tuple[Floats, Colours, npt.NDArray[np.int32]] | None:
    """Vertices, their colours and the triangles of a mesh.

    The colours are those of its map of strain or stress. Of a mesh without one they are those of its strain as it is
    shown; None where modifiers change how many vertices there are, so that only a map would tell.
    """
    mesh: Any = obj.evaluated_get(depsgraph).data
    found = [mesh.attributes[name + COLOUR_SUFFIX] for name in MAPS if name + COLOUR_SUFFIX in mesh.attributes]
    if found:
        colours = np.zeros(4 * len(mesh.vertices), np.float32)
        if (found[0].domain, found[0].data_type) != ("POINT", "FLOAT_COLOR"):
            return None
        found[0].data.foreach_get("color", colours)
    elif len(mesh.vertices) == len(obj.data.vertices) and len(obj.data.edges):
        colours = map_colours(_strain(obj, _points(mesh)) / FULL_STRAIN)
    else:
        return None
    mesh.calc_loop_triangles()
    triangles = np.zeros(3 * len(mesh.loop_triangles), np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    return _placed(obj, _points(mesh)), colours.reshape(-1, 4), triangles.reshape(-1, 3)


def _strain(obj: bpy.types.Object, shown: Floats) -> Floats:
    """As the nodes of a map compute it: the mean of |length / rest length − 1| over the edges of each vertex.

    Args:
        obj: a mesh object.
        shown: its vertices, shape (vertices, 3), in its own coordinates.
    """
    edges: npt.NDArray[np.int32] = np.zeros(2 * len(obj.data.edges), np.int32)
    obj.data.edges.foreach_get("vertices", edges)
    scale = np.array(obj.matrix_world.to_scale())
    ends = edges.reshape(-1, 2)
    if is_sewn(obj):
        loops = np.zeros(len(obj.data.loops), np.int32)
        obj.data.loops.foreach_get("edge_index", loops)
        ends = ends[np.unique(loops)]
    rest, now = (
        np.linalg.norm(scale * (points[ends[:, 1]] - points[ends[:, 0]]), axis=1)
        for points in (_points(obj.data), shown)
    )
    strain = np.abs(np.divide(now, rest, out=np.ones_like(now), where=rest > 0.0) - 1.0)
    sums = np.bincount(ends.ravel(), np.repeat(strain, 2), len(shown))
    return np.asarray(sums / np.maximum(np.bincount(ends.ravel(), minlength=len(shown)), 1), np.float64)


def _cofactors(matrix: Floats) -> Floats:
    """What turns normals as a matrix turns faces, up to a factor, also one that flattens them; shapes (3, 3)."""
    rows = matrix / max(float(np.abs(matrix).max()), 1e-30)
    return np.cross(np.roll(rows, -1, axis=0), np.roll(rows, -2, axis=0))


def _points(mesh: bpy.types.Mesh) -> Floats:
    points = np.zeros(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    return points.reshape(-1, 3).astype(np.float64)


def _placed(obj: bpy.types.Object, points: Floats) -> Floats:
    return transformed(np.array(obj.matrix_world), points)
