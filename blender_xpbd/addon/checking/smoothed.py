# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that a modifier after the simulation shows smoother than it is simulated, so that other things show through it.

These are colliders and jelly that it may lie on.

A cloth that bends over an edge has its vertices there, one gap off. *Subdivision Surface* shows the limit surface of
Catmull and Clark, which cuts the corner: a vertex v between neighbours a and b is shown at v + (a − 2v + b) / 6, so a
fold by the angle θ of edges of the length L comes L sin(θ/2) / 3 nearer.

What a cloth may lie on is what is within its reach, see ``reach``, or comes there by its keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Vector

from ...scene.body import Body
from ...scene.body_kinds import body_kind
from ...scene.collider import Collider
from ...scene.collider_shapes import has_triangles
from ...scene.errors import Notice
from ...scene.listing import quoted
from ...scene.scene import Scene
from ..data.bake_record import read_record
from ..measures.solid_measures import edge_numbers, fans, triangle_edges
from ..reading.mesh_reader import own_shape_keys
from ..reading.modifier_stack import subdivision_levels
from .gaps import Gaps, meet
from .reach import Box, Boxes, least_radius_within, motions_of, starting_places
from .triangle_trees import triangle_tree

Floats = npt.NDArray[np.float64]

# edges of a collider that are looked at, twice: a check is for the moment of a click
MOST_LOOKED_AT = 500
# places of a collider that moves at which it is asked what of it is reached, at most
MOST_PLACES = 8


def smoothed(scene: bpy.types.Scene, read: Scene) -> Iterator[Notice]:
    """A warning for each cloth whose modifier shows it so smooth that what it may lie on shows through.

    Args:
        scene: whose objects have modifiers.
        read: the same, as it was read at its first frame.
    """
    # made once, for all cloths
    gaps, boxes = Gaps(), Boxes(read.gravity)
    surfaces = {one.identifier: _Surface(one, boxes) for one in read.colliders if has_triangles(one)}
    surfaces |= {one.identifier: _Surface(one, boxes) for one in read.bodies if _is_jelly(one)}
    # Blender looks for each name in all of them
    objects = dict(scene.objects.items())
    for body in read.bodies:
        obj = objects.get(body.name)
        if obj is None or not body_kind(body.role, body.name).is_sheet or not smoothing(obj):
            continue
        through = {name: (cut, gap) for name, cut, gap in _cuts(body, read, surfaces, gaps, boxes) if cut > gap}
        if through:
            cut, gap = max(through.values())
            text = (
                f"Subdivision shows it smoother than it is simulated: up to {cut:.2g} m nearer where "
                f"it bends over {quoted(through)}, which may show through a gap of {gap:.2g} m. Apply Subdivision, so "
                "that what is seen is simulated, or raise Contact Distance."
            )
            yield Notice("W_SMOOTHED", text, body.name)


def _cuts(
    body: Body, read: Scene, surfaces: Mapping[str, _Surface], gaps: Gaps, boxes: Boxes
) -> Iterator[tuple[str, float, float]]:
    """What a cloth may bend over: its name, how much nearer the cloth is shown there, and the gap to it [m].

    Args:
        body: of the cloth.
        read: the scene as it was read.
        surfaces: of meshes and jelly, by their identifiers.
        gaps: of this check.
        boxes: of this check.
    """
    edge, sees, reach = gaps.edge(body), body.contact.sees, boxes.reach(body)
    for one in read.colliders:
        is_seen = sees is None or one.identifier in sees
        turn = _turn(one, surfaces.get(one.identifier), reach, boxes, edge) if is_seen else 0.0
        if turn > 0.0:
            yield one.name, _cut(edge, turn), gaps.to_colliders(body)
    for other in read.bodies:
        turn = surfaces[other.identifier].turn(reach, edge) if _is_jelly(other) and meet(body, other) else 0.0
        if turn > 0.0:
            yield other.name, _cut(edge, turn), gaps.between(body, other)


def _cut(edge: float, turn: float) -> float:
    """How much nearer a fold of edges by an angle [rad] is shown."""
    return edge * float(np.sin(turn / 2.0)) / 3.0


def _is_jelly(body: Body) -> bool:
    return body_kind(body.role, body.name).is_solid and len(body.corners) > 0


def smoothing(obj: bpy.types.Object) -> list[bpy.types.Modifier]:
    """The modifiers of an object that show its mesh as a smooth surface through what were corners."""
    return [
        modifier
        for modifier in obj.modifiers
        if modifier.type == "SUBSURF"
        and modifier.subdivision_type == "CATMULL_CLARK"
        and subdivision_levels(modifier) > 0
    ]


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


class _Edges(NamedTuple):
    """Edges of a surface that two triangles have, those first that turn most.

    Attributes:
        starts, ends: shape (edges, 3) [m].
        sides: unit vectors from the edge into both triangles, shape (edges, 2, 3).
    """

    starts: Floats
    ends: Floats
    sides: Floats


@dataclass(frozen=True)
class _Surface:
    """A closed mesh in the world at the first frame, and what is made of it once something may come near it.

    Attributes:
        of: the collider, or the jelly as it begins.
        boxes: of this check.
    """

    of: Body | Collider
    boxes: Boxes

    @cached_property
    def points(self) -> Floats:
        """Its vertices, shape (vertices, 3) [m]."""
        return starting_places(self.of)

    @cached_property
    def triangles(self) -> npt.NDArray[np.int32]:
        """Shape (triangles, 3)."""
        return self.of.triangles if isinstance(self.of, Collider) else fans(self.of.face_sizes, self.of.corners)

    @cached_property
    def tree(self) -> Any:
        """A BVHTree, to ask what is nearest."""
        return triangle_tree(self.points, self.triangles)

    @cached_property
    def edges(self) -> _Edges:
        """Its edges."""
        return _edge_sides(self.points, self.triangles)

    def turn(self, reach: Box, length: float) -> float:
        """By which angle a sheet bends within a length at most, over what it reaches of it [rad]."""
        parts = self.boxes.parts_within(self.of, reach)
        ways = np.flatnonzero(parts[:, 0] <= parts[:, 1])
        if len(ways) == 0:
            return 0.0
        motions = motions_of(self.of)
        # a way is from a place to the next
        later = np.minimum(ways + 1, len(motions) - 1)
        steps = np.linspace(0.0, 1.0, max(MOST_PLACES // len(ways), 2) if len(motions) > 1 else 1)[:, None]
        shares = (parts[ways, 0] + steps * (parts[ways, 1] - parts[ways, 0]))[:, :, None, None]
        places = ((1.0 - shares) * motions[ways] + shares * motions[later]).reshape(-1, 4, 4)
        some = places[:: -(-len(places) // MOST_PLACES)]
        # to what has grown, the segments are shorter; it counts as of one size where it has grown by about a tenth
        scales = np.cbrt(np.abs(np.linalg.det(some[:, :3, :3])))
        sizes = np.log(scales.clip(1e-30)).round(1)
        return max(
            _greatest_turn(self, [reach.seen_from(motion) for motion in some[sizes == size]], length / np.exp(size))
            for size in np.unique(sizes)
        )


def _turn(collider: Collider, surface: _Surface | None, reach: Box, boxes: Boxes, length: float) -> float:
    """By which angle a sheet bends within a length at most, over what it reaches of a collider [rad]."""
    if surface is not None:
        return surface.turn(reach, length)
    radius = least_radius_within(collider, reach, boxes)
    return min(length / radius, np.pi) if radius > 0.0 else 0.0


def _greatest_turn(surface: _Surface, reaches: Sequence[Box], length: float) -> float:
    """The greatest angle by which a line over a convex part of a surface turns, of segments of a length [rad].

    It goes over the edges that turn most, and evenly over all others, each at the middle of what is within reach. What
    is rough, but small beside the length, does not count.

    Args:
        surface: where it stands at the first frame.
        reaches: where the sheet may come, as the surface sees it from each of some places.
        length: of the segments [m].
    """
    edges, tree = surface.edges, surface.tree
    shares = reaches[0].inner_parts(edges.starts, edges.ends)
    for reach in reaches[1:]:
        later = reach.inner_parts(edges.starts, edges.ends)
        shares = np.where(shares[:, :1] <= shares[:, 1:], shares, later)
    reached = np.flatnonzero(shares[:, 0] <= shares[:, 1])
    asked = np.union1d(reached[:MOST_LOOKED_AT], reached[:: -(-len(reached) // MOST_LOOKED_AT) or 1])
    starts, middle_shares = edges.starts[asked], shares[asked].mean(axis=1, keepdims=True)
    middles = starts + middle_shares * (edges.ends[asked] - starts)
    greatest = 0.0
    for middle, sides in zip(middles, edges.sides[asked], strict=True):
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


def _edge_sides(surface: Floats, triangles: npt.NDArray[np.int32]) -> _Edges:
    """The edges of a surface; ``surface`` of shape (vertices, 3), ``triangles`` of shape (triangles, 3)."""
    numbers = edge_numbers(triangle_edges(triangles))
    order = np.argsort(numbers, kind="stable")
    follows = np.flatnonzero(numbers[order[1:]] == numbers[order[:-1]])
    both = np.stack([order[follows], order[follows + 1]], axis=1)
    ends = triangle_edges(triangles)[both[:, 0]]
    start, end = surface[ends[:, 0]], surface[ends[:, 1]]
    along = (end - start) / np.maximum(np.linalg.norm(end - start, axis=1), 1e-30)[:, None]
    # of corner k the edge goes to k + 1, so k + 2 is across
    across = surface[triangles[both // 3, (both + 2) % 3]] - start[:, None]
    across -= (across * along[:, None]).sum(axis=2, keepdims=True) * along[:, None]
    across /= np.maximum(np.linalg.norm(across, axis=2), 1e-30)[:, :, None]
    # by the cosine of the turn, 1 where the surface is flat
    first = np.argsort(-(across[:, 0] * across[:, 1]).sum(axis=1))
    return _Edges(start[first], end[first], across[first])
