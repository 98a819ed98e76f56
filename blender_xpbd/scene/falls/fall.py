# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a body comes down onto colliders at most, told from where it starts.

The lowest point of all that there is bounds it. That is far too much for what lies on a slope or a terrain, so where
colliders stand and nothing else moves the body, two cases are told apart:

- What *lies* falls no farther than to what bears it: the points that are straight above ground, within a share of its
  height, hold its centre of mass between them, and friction holds it there.
- Everything else may slide or roll down to the lowest point, as fast as the steepest slope lets it. Along a slope it
  hits nothing: it does where slopes meet, with the share sin φ of its speed, for the greatest angle φ between two of
  them. Where a mesh ends above another collider, it falls down that ledge as well. Steps and boxes have an angle of
  90°, and all of the fall counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..body import Body
from ..collider import Collider
from ..scene import Scene
from ..transforms import transformed
from .ground import Below, Ground, ground_of

Floats = npt.NDArray[np.float64]

# points of a body that are asked what is below them: some of all, and some of those that are lowest over the slope
_SPREAD, _LOWEST = 64, 256
# what lies may be so far above the ground, per its height, and its points so much farther than the nearest one; chosen
# by hand, so that neither balls nor what stands on thin legs lies
_LIES, _BEARS = 0.02, 0.003
# share of the tangent of friction's angle up to which a slope holds what lies on it, and how far the centre of mass has
# to be from where a body would tip over, per its width and per how high it is: chosen by hand
_HOLDS, _STANDS = 0.95, 0.3
# directions in which a body may tip over
_TIPPING = 32


class Fall(NamedTuple):
    """How far a body comes down at most.

    Attributes:
        way: falling, sliding or rolling, as far as its speed goes [m].
        hit: as if it fell this far and hit full on [m].
    """

    way: float
    hit: float


def fall_onto_colliders(scene: Scene, body: Body) -> Fall | None:
    """How far a body comes down at most before it hits a collider, within the frames; None where there is none.

    Args:
        scene: that the body is in.
        body: as it starts, which need not be its rest shape.
    """
    sees = body.contact.sees
    colliders = [collider for collider in scene.colliders if sees is None or collider.identifier in sees]
    if not colliders:
        return None
    axes = _axes(scene.gravity)
    points = (body.start if len(body.start) else body.positions) @ axes.T
    gravity = float(np.linalg.norm(scene.gravity)) * abs(body.material.gravity_factor)
    longest = 0.5 * gravity * (scene.frames.frame_duration * (scene.frames.count - 1)) ** 2
    lowest = min(_lowest_point(collider, axes[2]) for collider in colliders)
    fall = min(max(float(points[:, 2].min()) - lowest, 0.0), longest)
    if not _is_ground(colliders) or body.material.gravity_factor < 0.0:
        return Fall(fall, fall)
    ground = ground_of(colliders, axes)
    height, top = float(np.ptp(points[:, 2])), float(points[:, 2].max())
    asked = _lowest(points, ground, _LIES * height)
    below = ground.below(asked, _LIES * height)
    first = float(below.drops.min())
    if math.isinf(first):
        return Fall(fall, fall)
    # a plane that is not level goes lower than its origin
    fall = min(max(fall, first), longest)
    if _is_left_alone(scene, body) and first <= _LIES * height:
        bears = below.drops <= first + _BEARS * height
        if _is_held(body, below, bears) and _stands(_centre(body, points), points, asked[bears]):
            return Fall(first, first)
    ledge = ground.ledge(top, lowest)
    way = min(fall, first + ledge + longest * ground.steepness(top) ** 2)
    return Fall(way, min(way, max(first, way * math.sin(ground.bend(top)) ** 2 + ledge)))


def _lowest_point(collider: Collider, up: Floats) -> float:
    """How high the lowest vertex of a collider is at the first frame [m], or of six points about its origin."""
    ends = np.concatenate([np.eye(3), -np.eye(3)])
    points = collider.positions[0] if len(collider.triangles) else collider.radius * ends
    return float((transformed(collider.transforms[0], points) @ up).min())


def _axes(gravity: Floats) -> Floats:
    """A rotation whose last row is against gravity, or along Z where there is none."""
    length = float(np.linalg.norm(gravity))
    up = -gravity / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    side = np.cross(up, np.eye(3)[np.abs(up).argmin()])
    side /= np.linalg.norm(side)
    return np.array([side, np.cross(up, side), up])


def _is_ground(colliders: Sequence[Collider]) -> bool:
    """Whether all stand, and are planes or meshes."""
    stand = all(len(collider.transforms) == 1 and len(collider.positions) == 1 for collider in colliders)
    return stand and all(collider.radius == 0.0 for collider in colliders)


def _is_left_alone(scene: Scene, body: Body) -> bool:
    """Whether nothing but gravity and colliders moves a body."""
    moves = bool(body.velocity.any()) or bool(body.poses) or scene.beginning is not None
    is_held = len(body.pins.vertices) > 0 or len(body.goal.vertices) > 0
    return len(scene.bodies) == 1 and not (moves or is_held or scene.forces or scene.tracks)


def _lowest(points: Floats, ground: Ground, reach: float) -> Floats:
    """Points of a body that may touch first: some of all, and some of those that are lowest over the slope below."""
    some = points[:: -(-len(points) // _SPREAD)]
    slope = ground.below(some, reach).normals.mean(axis=0)
    heights = points @ slope / slope[2]
    low = points[heights <= heights.min() + 2.0 * reach]
    return np.concatenate([some, low[:: -(-len(low) // _LOWEST)]])


def _is_held(body: Body, below: Below, bears: npt.NDArray[np.bool_]) -> bool:
    """Whether friction holds a body on what bears it."""
    factors = body.vertex_factors.get("friction", np.ones(1, np.float32))
    frictions = np.sqrt(body.material.friction * float(factors.min()) * below.frictions[bears])
    steep = np.sqrt(np.maximum(1.0 / below.normals[bears, 2] ** 2 - 1.0, 0.0))
    return bool((steep <= _HOLDS * frictions).all())


def _stands(middle: Floats, points: Floats, bearing: Floats) -> bool:
    """Whether the points that bear a body hold its centre of mass between them, with some room."""
    angles = np.arange(_TIPPING) * (2.0 * np.pi / _TIPPING)
    ways = np.stack([np.cos(angles), np.sin(angles)])
    left = ((bearing - middle)[:, :2] @ ways).max(axis=0)
    width = ((points - middle)[:, :2] @ ways).max(axis=0)
    return bool((left > _STANDS * np.maximum(width, middle[2] - bearing[:, 2].min())).all())


def _centre(body: Body, points: Floats) -> Floats:
    """The centre of mass of what is inside a body's surface [m], or the mean of its points where it has no volume."""
    firsts = np.repeat(np.cumsum(body.face_sizes) - body.face_sizes, body.face_sizes)
    places = np.arange(len(body.corners))
    kept = places[(places > firsts) & (places + 1 < firsts + np.repeat(body.face_sizes, body.face_sizes))]
    fan = body.corners[np.stack([firsts[kept], kept, kept + 1], axis=1)]
    origin = points.mean(axis=0)
    triangles = points[fan] - origin
    volumes = np.linalg.det(triangles)
    if not abs(volumes.sum()) > 1e-9 * np.abs(volumes).sum():
        return origin
    middle: Floats = origin + (volumes[:, None] * triangles.sum(axis=1)).sum(axis=0) / (4.0 * volumes.sum())
    return middle
