# SPDX-License-Identifier: GPL-3.0-or-later
"""How deep bodies start inside colliders, and how far up they are out of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from ...scene.body import Body
from ...scene.collider import Collider
from ...scene.collider_shapes import Depth, collider_shape
from ...scene.transforms import transformed
from ..measures.solid_measures import edge_numbers, triangle_edges
from ..reading.feel import length_of
from .triangle_trees import triangle_tree

Floats = npt.NDArray[np.float64]

# of a collider's mesh, vertices of the body are asked for at most: a check is for the moment of a click
MOST_ASKED = 2000
# along no axis and no diagonal, where meshes have their edges; and how far beyond a hit the next ray begins
RAY = Vector((0.357, 0.213, 0.909)).normalized()
PAST = 1e-5
# share of its length by which a body may stand inside something untold, or be thick that lies flat
FLATNESS = 0.02


def depths(body: Body, colliders: Iterable[Collider]) -> dict[str, Depth]:
    """The colliders in which a body starts, by their names; those that it sees."""
    sees = body.contact.sees
    seen = [collider for collider in colliders if sees is None or collider.identifier in sees]
    found = {collider.name: _depth(body.positions, collider) for collider in seen}
    return {name: depth for name, depth in found.items() if depth.depth > 0.0}


def told_depths(body: Body, colliders: Iterable[Collider]) -> dict[str, float]:
    """How deep a body starts inside colliders, by their names, where a check tells of it [m]."""
    # of small ones the bake takes less than the gap that was asked for
    gap = min(body.material.contact_offset, FLATNESS * length_of(body.positions, body.axes))
    return {name: one.depth for name, one in depths(body, colliders).items() if one.depth > gap}


def _depth(points: Floats, collider: Collider) -> Depth:
    known = collider_shape(collider.shape).depth
    if known is not None:
        return known(points, collider)
    surface = transformed(collider.transforms[0], collider.positions[0])
    depth = _depth_in_mesh(points, surface, collider.triangles)
    return Depth(depth, float(surface[:, 2].max() - points[:, 2].min()))


def _depth_in_mesh(points: Floats, surface: Floats, triangles: npt.NDArray[np.int32]) -> float:
    """How deep a point is inside at most, 0 where none is; open meshes have no inside."""
    within = ((points > surface.min(axis=0)) & (points < surface.max(axis=0))).all(axis=1)
    asked = points[within]
    if len(asked) == 0 or not is_closed(triangles):
        return 0.0
    tree = triangle_tree(surface, triangles)
    step = -(-len(asked) // MOST_ASKED)
    inside = (Vector(point) for point in asked[::step].tolist() if _is_inside(tree, Vector(point)))
    return max((float(tree.find_nearest(point)[3] or 0.0) for point in inside), default=0.0)


def closed_tree(surface: Floats, triangles: npt.NDArray[np.int32]) -> BVHTree | None:
    """What ``is_within`` asks of a mesh; None for an open one, which has no inside."""
    return triangle_tree(surface, triangles) if is_closed(triangles) else None


def is_within(points: Floats, tree: BVHTree) -> bool:
    """Whether all points are inside a closed mesh."""
    step = -(-len(points) // MOST_ASKED)
    return all(_is_inside(tree, Vector(point)) for point in points[::step].tolist())


def _is_inside(tree: BVHTree, point: Vector) -> bool:
    """Whether a ray to infinity leaves the surface once more than it enters it."""
    is_inside, origin = False, point
    while (hit := tree.ray_cast(origin, RAY))[0] is not None:
        is_inside = not is_inside
        origin = hit[0] + RAY * max(float(hit[3] or 0.0), 1.0) * PAST
    return is_inside


def is_closed(triangles: npt.NDArray[np.int32]) -> bool:
    """Whether each edge has two triangles."""
    numbers = edge_numbers(triangle_edges(triangles))
    return bool((np.unique(numbers, return_counts=True)[1] == 2).all())
