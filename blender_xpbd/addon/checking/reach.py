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

import itertools
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
        first, way = starts @ self.axes, (ends - starts) @ self.axes
        # parallel to a side, a line is between two of them all along, or nowhere
        way = np.where(np.abs(way) < 1e-30, 1e-30, way)
        begins, stops = (self.low - first) / way, (self.high - first) / way
        enters, leaves = np.zeros(len(way)), np.ones(len(way))
        for begin, stop in zip(begins.T, stops.T, strict=True):
            enters, leaves = np.maximum(enters, np.minimum(begin, stop)), np.minimum(leaves, np.maximum(begin, stop))
        return np.stack([enters, leaves], axis=1)

    def distance(self, point: Floats) -> float:
        """How far a point is from the box, 0 inside [m]."""
        place = point @ self.axes
        return float(np.linalg.norm(place - place.clip(self.low, self.high)))

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
        self._made: dict[str, tuple[Box, ...]] = {}
        self._reaches: dict[str, Box] = {}

    def about(self, one: Body | Collider) -> tuple[Box, ...]:
        """Those of a body, or of a mesh collider on its way from each of its places to the next; one where it stands.

        In these, not about all places at once, for the way may be bent.
        """
        if one.identifier not in self._made:
            starts, ends, turned = starting_places(one), [], np.zeros((3, 3))
            for motion in motions_of(one):
                shift = motion[:3, 3] @ self._axes
                # what does not turn has a box of the same size
                if not np.allclose(turned, motion[:3, :3], rtol=0.0, atol=1e-6):
                    turned, places = motion[:3, :3], starts @ (motion[:3, :3].T @ self._axes)
                    low, high = places.min(axis=0), places.max(axis=0)
                ends.append((low + shift, high + shift))
            # what stands goes from its place to its place
            ways = itertools.pairwise(ends * 2 if len(ends) == 1 else ends)
            self._made[one.identifier] = tuple(
                Box(self._axes, np.minimum(before[0], after[0]), np.maximum(before[1], after[1]))
                for before, after in ways
            )
        return self._made[one.identifier]

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
    places = starting_places(body) @ axes
    wider = length_of(body.positions, body.axes)
    low, high = places.min(axis=0) - wider, places.max(axis=0) + wider
    if not (len(body.pins.vertices) or len(body.goal.vertices) or body.attachment is not None):
        for way in (body.material.gravity_factor * gravity, body.velocity):
            along = way @ axes
            # not to the side by rounding
            along[np.abs(along) <= 1e-6 * np.linalg.norm(way)] = 0.0
            low, high = np.where(along < 0.0, -np.inf, low), np.where(along > 0.0, np.inf, high)
    return Box(axes, low, high)


def _is_reached(collider: Collider, reach: Box, boxes: Boxes) -> bool:
    """Whether a collider comes to where a body may come, by the box of ``reach_of``."""
    if has_triangles(collider):
        return any(reach.meets(box) for box in boxes.about(collider))
    return any(_is_met(replace(collider, transforms=matrix[None]), reach) for matrix in collider.transforms)


def _is_met(collider: Collider, reach: Box) -> bool:
    """Whether a plane or a sphere is where a body may come."""
    matrix = collider.transforms[0]
    if collider.shape == PLANE:
        normal = plane_normal(collider)
        return reach.lowest(normal) <= float(normal @ matrix[:3, 3])
    radius = collider.radius * float(np.cbrt(abs(np.linalg.det(matrix[:3, :3]))))
    return reach.distance(matrix[:3, 3]) <= radius


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
