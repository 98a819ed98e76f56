# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that a modifier after the simulation shows smoother than it is simulated, so that colliders show through it.

A cloth that bends over an edge has its vertices there, one gap off. *Subdivision Surface* shows the limit surface of
Catmull and Clark, which cuts the corner: a vertex v between neighbours a and b is shown at v + (a − 2v + b) / 6, so a
fold by the angle θ of edges of the length L comes L sin(θ/2) / 3 nearer.
"""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from ...scene.body_kinds import body_kind
from ...scene.collider import Collider
from ...scene.collider_shapes import collider_shape
from ...scene.errors import Notice
from ...scene.listing import quoted
from ...scene.scene import Scene
from ...scene.transforms import transformed
from ..data.bake_record import read_record
from ..reading.mesh_reader import own_shape_keys
from ..reading.solid_measures import edge_numbers, mean_edge, triangle_edges

Floats = npt.NDArray[np.float64]

# edges of a collider that are looked at, twice: a check is for the moment of a click
MOST_LOOKED_AT = 500
# a cloth keeps at most this share of its mean edge as gap, see ``BodyModel.contact_offset``
MOST_GAP = 0.25


def smoothed(scene: bpy.types.Scene, read: Scene) -> Iterator[Notice]:
    """A warning for each cloth whose modifier shows it so smooth that what it may lie on shows through.

    Args:
        scene: whose objects have modifiers.
        read: the same, as it was read at its first frame.
    """
    for body in read.bodies:
        obj = scene.objects.get(body.name)
        if obj is None or not body_kind(body.role, body.name).is_sheet or not smoothing(obj):
            continue
        edge = mean_edge(body.positions, body.face_sizes, body.corners)
        gap = min(body.material.contact_offset, MOST_GAP * edge)
        sees = body.contact.sees
        seen = (one for one in read.colliders if sees is None or one.identifier in sees)
        cuts = {one.name: edge * np.sin(_turn(one, edge) / 2.0) / 3.0 for one in seen}
        through = {name: cut for name, cut in cuts.items() if cut > gap}
        if through:
            text = (
                f"Subdivision shows it smoother than it is simulated: up to {max(through.values()):.2g} m nearer where "
                f"it bends over {quoted(through)}, which may show through a gap of {gap:.2g} m. Apply Subdivision, so "
                "that what is seen is simulated, or raise Contact Distance."
            )
            yield Notice("W_SMOOTHED", text, body.name)


def smoothing(obj: bpy.types.Object) -> list[bpy.types.Modifier]:
    """The modifiers of an object that show its mesh as a smooth surface through what were corners."""
    return [
        modifier
        for modifier in obj.modifiers
        if modifier.type == "SUBSURF" and modifier.subdivision_type == "CATMULL_CLARK" and _levels(modifier) > 0
    ]


def _levels(modifier: bpy.types.Modifier) -> int:
    shown = modifier.levels if modifier.show_viewport else 0
    return max(shown, modifier.render_levels if modifier.show_render else 0)


def apply_subdivision(context: bpy.types.Context, obj: bpy.types.Object) -> str:
    """Apply the modifiers that smooth an object, at the level of viewports or at least once; why not, where not."""
    if read_record(obj) is not None:
        return f'Clear the bake of "{obj.name}" first: its shape keys are for the mesh as it is'
    if own_shape_keys(obj.data) is not None:
        return f'"{obj.name}" has shape keys, which a modifier cannot be applied to'
    if obj.data.users > 1:
        return f'Other objects use the mesh of "{obj.name}": make it single-user first'
    for modifier in smoothing(obj):
        modifier.show_viewport, modifier.levels = True, max(1, modifier.levels)
        with context.temp_override(object=obj, active_object=obj):
            bpy.ops.object.modifier_apply(modifier=modifier.name)
    return ""


def _turn(collider: Collider, length: float) -> float:
    """By which angle a sheet bends over a collider within a length at most [rad]."""
    if collider_shape(collider.shape).has_triangles:
        surface = transformed(collider.transforms[0], collider.positions[0])
        return _greatest_turn(surface, collider.triangles, length)
    radius = collider.radius * float(np.cbrt(abs(np.linalg.det(collider.transforms[0][:3, :3]))))
    return min(length / radius, np.pi) if radius > 0.0 else 0.0


def _greatest_turn(surface: Floats, triangles: npt.NDArray[np.int32], length: float) -> float:
    """The greatest angle by which a line over a convex part of a surface turns, of segments of a length [rad].

    It goes over the edges that turn most, and evenly over all others. What is rough, but small beside the length, does
    not count.

    Args:
        surface: places of the vertices, shape (vertices, 3) [m].
        triangles: shape (triangles, 3).
        length: [m].
    """
    middles, ways, cosines = _edge_sides(surface, triangles)
    strongest = np.argsort(cosines)[:MOST_LOOKED_AT]
    asked = np.union1d(strongest, np.arange(0, len(middles), -(-len(middles) // MOST_LOOKED_AT) or 1))
    tree = BVHTree.FromPolygons(surface.tolist(), triangles.tolist())
    greatest = 0.0
    for middle, sides in zip(middles[asked], ways[asked], strict=True):
        found = [tree.find_nearest(Vector(point)) for point in (middle, *(middle + length * sides))]
        if any(place is None for place, *_ in found):
            continue
        normal = found[0][1]
        along = normal.cross(Vector(sides[1]))
        # across the edge: at a border, the nearest may lie to the side
        before, after = (
            way - way.project(along) for way in (Vector(middle) - found[1][0], found[2][0] - Vector(middle))
        )
        is_short = min(before.length, after.length) < 0.5 * length
        # convex: the surface falls away from its normal on both sides
        if not is_short and normal.dot(after - before) < 0.0:
            greatest = max(greatest, before.angle(after, 0.0))
    return greatest


def _edge_sides(surface: Floats, triangles: npt.NDArray[np.int32]) -> tuple[Floats, Floats, Floats]:
    """Edges of two triangles: middles, unit vectors from there into both, and the cosine of the turn.

    Returns:
        shapes (edges, 3), (edges, 2, 3) and (edges,); a cosine is 1 where the surface is flat.
    """
    numbers = edge_numbers(triangle_edges(triangles))
    order = np.argsort(numbers, kind="stable")
    follows = np.flatnonzero(numbers[order[1:]] == numbers[order[:-1]])
    both = np.stack([order[follows], order[follows + 1]], axis=1)
    ends = triangle_edges(triangles)[both[:, 0]]
    start, end = surface[ends[:, 0]], surface[ends[:, 1]]
    middles = 0.5 * (start + end)
    along = (end - start) / np.maximum(np.linalg.norm(end - start, axis=1), 1e-30)[:, None]
    # of corner k the edge goes to k + 1, so k + 2 is across
    across = surface[triangles[both // 3, (both + 2) % 3]] - middles[:, None]
    across -= (across * along[:, None]).sum(axis=2, keepdims=True) * along[:, None]
    across /= np.maximum(np.linalg.norm(across, axis=2), 1e-30)[:, :, None]
    return middles, across, -(across[:, 0] * across[:, 1]).sum(axis=1)
