# SPDX-License-Identifier: GPL-3.0-or-later
"""Places for balls inside a closed mesh: none overlap, and none reach out of it."""

from __future__ import annotations

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from ...scene.errors import XpbdError

Floats = npt.NDArray[np.float64]

# how far apart balls of a lattice are, so that rounding lets none overlap
LATTICE_SPACING = 1.001
# and those of a loose packing, which are then moved at random by half of what is left between them
RANDOM_SPACING = 1.12
# more are a slip of the radius
MOST_GRAINS = 1_000_000
# none of these runs along an axis, for modelled faces and edges do
_DIRECTIONS = tuple(
    Vector(way).normalized() for way in ((0.931, 0.263, 0.254), (-0.217, 0.953, 0.211), (0.187, -0.239, 0.953))
)


def fill_places(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, radius: float, packing: str, seed: int
) -> Floats:
    """Centres of balls that fill an object, as it is seen in the present frame.

    Args:
        obj: a mesh object.
        depsgraph: evaluated.
        radius: of the balls, in Blender units.
        packing: "LATTICE" or "RANDOM".
        seed: of what is random.

    Returns:
        In the world, shape (balls, 3); none where no ball fits.

    Raises:
        XpbdError: E_GEOM_EMPTY, for a mesh without faces; E_TET_OPEN, for one with holes; E_PARAM, for more than
            ``MOST_GRAINS``.
    """
    corners, polygons = _surface(obj, depsgraph)
    low, high = corners.min(axis=0) + radius, corners.max(axis=0) - radius
    if (low > high).any():
        return np.zeros((0, 3))
    spacing = 2.0 * radius * (LATTICE_SPACING if packing == "LATTICE" else RANDOM_SPACING)
    count = float(np.prod((high - low) / spacing + 1.0)) * np.sqrt(2.0)
    if count > MOST_GRAINS:
        advice = f"Some {count:.3g} grains would fill the box around the mesh: use a greater radius."
        raise XpbdError("E_PARAM", advice, obj.name)
    places = _close_packing(low, high, spacing)
    if packing == "RANDOM":
        random = np.random.default_rng(seed)
        ways = random.normal(size=places.shape)
        sizes = (spacing - 2.0 * radius) / 2.0 * random.uniform(size=len(places)) ** (1.0 / 3.0)
        places += ways * (sizes / np.maximum(np.linalg.norm(ways, axis=1), 1e-300))[:, None]
    tree = BVHTree.FromPolygons(corners.tolist(), polygons)
    return places[[_fits(tree, Vector(place), radius) for place in places.tolist()]]


def _surface(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> tuple[Floats, list[list[int]]]:
    """Vertices in the world and polygons of an object with its modifiers."""
    evaluated = obj.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    try:
        if len(mesh.polygons) == 0:
            raise XpbdError("E_GEOM_EMPTY", "The mesh has no faces, so that it has no inside.", obj.name)
        uses = np.bincount([index for polygon in mesh.polygons for index in _edges_of(mesh, polygon)])
        if (uses[uses > 0] % 2).any():
            raise XpbdError("E_TET_OPEN", "The mesh has holes, so that it has no inside: close them.", obj.name)
        matrix = np.array(evaluated.matrix_world, np.float64)
        corners = np.empty((len(mesh.vertices), 3), np.float32)
        mesh.vertices.foreach_get("co", corners.ravel())
        polygons = [list(polygon.vertices) for polygon in mesh.polygons]
    finally:
        evaluated.to_mesh_clear()
    return corners.astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3], polygons


def _edges_of(mesh: bpy.types.Mesh, polygon: bpy.types.MeshPolygon) -> list[int]:
    return [mesh.loops[index].edge_index for index in polygon.loop_indices]


def _close_packing(low: Floats, high: Floats, spacing: float) -> Floats:
    """Points of a hexagonal close packing in a box, in its middle, shape (points, 3)."""
    # layers of triangles, each over the gaps of the one before
    rise, depth = spacing * np.sqrt(2.0 / 3.0), spacing * np.sqrt(3.0) / 2.0
    counts = np.floor((high - low) / (spacing, depth, rise) + 1e-9).astype(int) + 1
    i, j, k = (axis.ravel() for axis in np.meshgrid(*(np.arange(count) for count in counts), indexing="ij"))
    points = np.column_stack([spacing * (i + 0.5 * ((j + k) % 2)), depth * (j + (k % 2) / 3.0), rise * k])
    points += (low + high) / 2.0 - (points.min(axis=0) + points.max(axis=0)) / 2.0
    order = np.lexsort((points[:, 0], points[:, 1], points[:, 2]))
    result: Floats = points[order]
    return result


def _fits(tree: BVHTree, place: Vector, radius: float) -> bool:
    """Whether a ball is inside, by how often most of three rays leave the mesh, and clear of the surface."""
    nearest = tree.find_nearest(place, radius)
    return nearest[0] is None and sum(_is_odd(tree, place, way) for way in _DIRECTIONS) >= 2


def _is_odd(tree: BVHTree, place: Vector, way: Vector) -> bool:
    crossings, start = 0, place
    while True:
        hit, _normal, _index, distance = tree.ray_cast(start, way)
        if hit is None:
            return crossings % 2 == 1
        crossings += 1
        start = hit + way * max(1e-6, 1e-6 * distance)
