# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a cloth may come, as all stands at the first frame.

What a cloth may lie on is what is within its reach, in a box. Where pins hold it, no vertex comes farther from a pin
than it is at rest, times a little for stretch: a curtain that hangs high does not come to the floor. What is held
otherwise comes as far as its own length. A cloth that nothing holds goes as far as gravity and its initial velocity
take it: that way the box has no end. So nothing is told of a cube far away, or of the edges of a ground far beyond.

Rest distances are straight: a cloth that is folded at rest may come farther. How pins move later is not looked at. A
collider is asked for at each place that its transforms give it, see ``keyed_motion``, and between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from mathutils.kdtree import KDTree

from ...scene.body import Body
from ...scene.collider import Collider
from ...scene.collider_shapes import has_triangles, plane_normal
from ...scene.scene import Scene
from ...scene.transforms import transformed
from ..reading.feel import length_of
from .gaps import meet
from .lying import PLANE

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# how much longer a cloth may become that hangs
_STRETCH = 1.1
# how often the part of a way is shortened by a third on which a sphere is nearest
_THIRDS = 30


class Box(NamedTuple):
    """A box that stands upright by gravity.

    Attributes:
        axes: of the box in the world, as columns, shape (3, 3).
        low, high: its ends along them [m], shape (3,), which may be infinite.
    """

    axes: Floats
    low: Floats
    high: Floats

    def inner_parts(self, starts: Floats, ends: Floats) -> Floats:
        """Which part of lines is in the box, as shares of them from start to end, shape (lines, 2).

        It is empty where the first share is greater than the second.
        """
        first, last = starts @ self.axes, ends @ self.axes
        return _shares_below(np.hstack([first, -first]), np.hstack([last, -last]), np.hstack([self.high, -self.low]))

    def distances(self, points: Floats) -> Floats:
        """How far points are from the box, 0 inside [m], shape (points,); of shape (points, 3)."""
        places = points @ self.axes
        far: Floats = np.linalg.norm(places - places.clip(self.low, self.high), axis=1)
        return far

    def lowest(self, normal: Floats) -> float:
        """How far it reaches against a direction at most: the least of normal · point; ``normal`` of shape (3,)."""
        along = normal @ self.axes
        # an end that is infinite does not count across the direction
        ways = np.where(along > 0.0, self.low, self.high)
        return float((along[along != 0.0] * ways[along != 0.0]).sum())

    def meets(self, other: Box) -> bool:
        """Whether it meets another one of the same axes."""
        return bool(((other.low <= self.high) & (other.high >= self.low)).all())

    def seen_from(self, motion: Floats) -> Box:
        """The same box as something sees it that a matrix has moved, shape (4, 4): where it is before it is moved."""
        shift = motion[:3, 3] @ self.axes
        return Box(motion[:3, :3].T @ self.axes, self.low - shift, self.high - shift)


class Boxes:
    """Boxes about what stands in a scene at its first frame, each made once, however many cloths may come there."""

    def __init__(self, gravity: Floats) -> None:
        self._gravity, self._axes = gravity, upright_axes(gravity)
        self._made: dict[str, tuple[Floats, Floats]] = {}
        self._reaches: dict[str, Box] = {}

    def parts_within(self, one: Body | Collider, reach: Box) -> Floats:
        """Which part of each way of a mesh or a sphere meets a box, as shares of the way from a place to the next.

        What stands, as a body, goes from its place to its place. On a way it goes straight, so that its own box does.

        Returns:
            shape (ways, 2); the part is empty where the first share is greater than the second.
        """
        low, high = self._ends(one)
        bounds = np.hstack([low, -high])
        return _shares_below(bounds[_befores(bounds)], bounds[_afters(bounds)], np.hstack([reach.high, -reach.low]))

    def _ends(self, one: Body | Collider) -> tuple[Floats, Floats]:
        """The ends of the boxes about a body, a mesh or a sphere at each of its places [m], shape (places, 3)."""
        if one.identifier not in self._made:
            self._made[one.identifier] = self._mesh_ends(one) if _has_mesh(one) else self._ball_ends(one)
        return self._made[one.identifier]

    def _mesh_ends(self, one: Body | Collider) -> tuple[Floats, Floats]:
        starts, ends, turned = starting_places(one), [], np.zeros((3, 3))
        for motion in motions_of(one):
            shift = motion[:3, 3] @ self._axes
            # what does not turn has a box of the same size
            if not np.allclose(turned, motion[:3, :3], rtol=0.0, atol=1e-6):
                turned, places = motion[:3, :3], starts @ (motion[:3, :3].T @ self._axes)
                low, high = places.min(axis=0), places.max(axis=0)
            ends.append((low + shift, high + shift))
        lows, highs = zip(*ends, strict=True)
        return np.array(lows), np.array(highs)

    def _ball_ends(self, ball: Collider) -> tuple[Floats, Floats]:
        centres, radii = ball.transforms[:, :3, 3] @ self._axes, ball_radii(ball)[:, None]
        return centres - radii, centres + radii

    def reach(self, body: Body) -> Box:
        """Where a body may come, as ``reach_of``."""
        if body.identifier not in self._reaches:
            self._reaches[body.identifier] = reach_of(body, self._gravity)
        return self._reaches[body.identifier]


def upright_axes(gravity: Floats) -> Floats:
    """Axes of which the first is along gravity, shape (3,), as columns, shape (3, 3)."""
    axes: Floats = np.linalg.qr(np.column_stack([gravity, np.eye(3)]))[0]
    return axes


def starting_places(one: Body | Collider) -> Floats:
    """Where vertices of a body or a mesh are when the simulation begins, shape (vertices, 3) [m]."""
    if isinstance(one, Collider):
        return transformed(one.transforms[0], one.positions[0])
    return one.start if len(one.start) else one.positions


def motions_of(one: Body | Collider) -> Floats:
    """From its first place to each that a collider has, shape (places, 4, 4); of a body that one alone."""
    if isinstance(one, Body) or len(one.transforms) == 1:
        return np.eye(4)[None]
    motions: Floats = one.transforms @ np.linalg.inv(one.transforms[0])
    return motions


def reach_of(body: Body, gravity: Floats) -> Box:
    """Where a body may come, see above; ``gravity`` in m/s², shape (3,)."""
    axes = upright_axes(gravity)
    is_rigid = body.pins.weights >= 1.0
    if is_rigid.any():
        pinned = body.pins.vertices[is_rigid]
        return Box(axes, *_reach_from_pins(body.positions, pinned, body.pins.places(body.positions, 0)[is_rigid], axes))
    wider = length_of(body.positions, body.axes)
    if len(body.pins.vertices) or len(body.goal.vertices) or body.attachment is not None:
        return start_box(body, gravity, wider)
    return way_of(body, gravity, wider)


def start_box(body: Body, gravity: Floats, wider: float = 0.0) -> Box:
    """Where a body is when the simulation begins, and what is no farther from that than ``wider`` [m]."""
    axes = upright_axes(gravity)
    places = starting_places(body) @ axes
    return Box(axes, places.min(axis=0) - wider, places.max(axis=0) + wider)


def way_of(body: Body, gravity: Floats, wider: float = 0.0) -> Box:
    """Where a body that nothing holds goes by gravity and its initial velocity; arguments as of ``start_box``."""
    axes, low, high = start_box(body, gravity, wider)
    for way in (body.material.gravity_factor * gravity, body.velocity):
        along = way @ axes
        # not to the side by rounding
        along[np.abs(along) <= 1e-6 * np.linalg.norm(way)] = 0.0
        low, high = np.where(along < 0.0, -np.inf, low), np.where(along > 0.0, np.inf, high)
    return Box(axes, low, high)


def _is_reached(collider: Collider, reach: Box, boxes: Boxes) -> bool:
    """Whether a collider comes to where a body may come, by the box of ``reach_of``."""
    if has_triangles(collider):
        enters, leaves = boxes.parts_within(collider, reach).T
        return bool((enters <= leaves).any())
    if collider.shape == PLANE:
        # what does not turn is highest at a place
        return any(_is_below(replace(collider, transforms=matrix[None]), reach) for matrix in collider.transforms)
    return least_radius_within(collider, reach, boxes) > 0.0


def _is_below(plane: Collider, reach: Box) -> bool:
    """Whether a plane is where a body may come."""
    normal = plane_normal(plane)
    return reach.lowest(normal) <= float(normal @ plane.transforms[0, :3, 3])


def ball_radii(ball: Collider) -> Floats:
    """The radius of a sphere at each of its places [m], shape (places,); 0 of what is none."""
    radii: Floats = ball.radius * np.cbrt(np.abs(np.linalg.det(ball.transforms[:, :3, :3])))
    return radii


def least_radius_within(ball: Collider, reach: Box, boxes: Boxes) -> float:
    """The least radius with which a sphere comes within reach [m]; 0 where it does not, or is none."""
    radii, centres = ball_radii(ball), ball.transforms[:, :3, 3]
    parts = boxes.parts_within(ball, reach)
    ways = np.flatnonzero(parts[:, 0] <= parts[:, 1])
    before, after = _befores(centres)[ways], _afters(centres)[ways]

    def at(shares: Floats) -> tuple[Floats, Floats]:
        """Radii, and how far the ball is from the box, on each way."""
        radius = radii[before] + shares * (radii[after] - radii[before])
        place = centres[before] + shares[:, None] * (centres[after] - centres[before])
        return radius, reach.distances(place) - radius

    first, last = parts[ways].T
    low, high = first, last
    # on a straight way the distance is convex: it has one least value
    for _ in range(_THIRDS if len(radii) > 1 and len(ways) else 0):
        some, more = low + (high - low) / 3.0, high - (high - low) / 3.0
        is_before = at(some)[1] < at(more)[1]
        low, high = np.where(is_before, low, some), np.where(is_before, more, high)
    found = [radius[distance <= 0.0] for radius, distance in map(at, (first, low, last))]
    return float(min((radius.min() for radius in found if len(radius)), default=0.0))


def _has_mesh(one: Body | Collider) -> bool:
    return isinstance(one, Body) or has_triangles(one)


def _befores(places: Floats) -> Ints:
    """Numbers of the places where ways begin, each of which leads to the next place; of one, to itself."""
    return np.arange(max(len(places) - 1, 1), dtype=np.int32)


def _afters(places: Floats) -> Ints:
    """Numbers of the places where the ways of ``_befores`` end."""
    return np.minimum(_befores(places) + 1, len(places) - 1, dtype=np.int32)


def _shares_below(first: Floats, last: Floats, most: Floats) -> Floats:
    """On which part of straight ways all coordinates are at most what is given, as shares from start to end.

    Args:
        first: coordinates at the start, shape (ways, coordinates).
        last: at the end, likewise.
        most: shape (coordinates,).

    Returns:
        shape (ways, 2); the part is empty where the first share is greater than the second.
    """
    # what stays is below all along, or nowhere
    way = np.where(np.abs(last - first) < 1e-30, 1e-30, last - first)
    reached = (most - first) / way
    enters, leaves = np.where(way < 0.0, reached, 0.0), np.where(way > 0.0, reached, 1.0)
    return np.stack([enters.max(axis=1, initial=0.0), leaves.min(axis=1, initial=1.0)], axis=1)


def within_reach(body: Body, read: Scene, boxes: Boxes) -> Iterator[Body | Collider]:
    """Colliders and other bodies that a body meets and may come to."""
    sees, reach = body.contact.sees, boxes.reach(body)
    for collider in read.colliders:
        if (sees is None or collider.identifier in sees) and _is_reached(collider, reach, boxes):
            yield collider
    for other in read.bodies:
        if meet(body, other) and reach.meets(boxes.reach(other)):
            yield other


def _reach_from_pins(rest: Floats, pinned: Ints, pins: Floats, axes: Floats) -> tuple[Floats, Floats]:
    """The ends of the box of what vertices come to that pins hold: by the nearest pin of each, and the outermost ones.

    Args:
        rest: positions of all vertices [m], shape (vertices, 3).
        pinned: which are pinned, shape (pins,).
        pins: where these are held in the world [m], shape (pins, 3).
        axes: of the box, as of ``Box``.
    """
    tree = KDTree(len(pinned))
    for index, place in enumerate(rest[pinned].tolist()):
        tree.insert(place, index)
    tree.balance()
    nearest = np.array([tree.find(place)[1] for place in rest.tolist()])
    places = pins @ axes
    low, high = np.full(rest.shape, -np.inf), np.full(rest.shape, np.inf)
    for pin in (nearest, *places.argmin(axis=0), *places.argmax(axis=0)):
        far = _STRETCH * np.linalg.norm(rest - rest[pinned[pin]], axis=1)[:, None]
        low, high = np.maximum(low, places[pin] - far), np.minimum(high, places[pin] + far)
    return low.min(axis=0), high.max(axis=0)
