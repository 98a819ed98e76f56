# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders that stand as ground: what is straight below points, how its slopes differ, and where it ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..collider import Collider
from ..collider_shapes import plane_normal
from ..transforms import transformed

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# pairs of a point and a triangle that are asked at a time
_CHUNK = 1 << 18
# normals that lie farthest along so many directions stand for all; corners of rims that are asked at most
_DIRECTIONS, _MOST_RIMS = 32, 256
# the height of a unit normal below which a surface bears nothing
_STEEP = 1e-6


@dataclass(frozen=True)
class Below:
    """The first surface straight below points.

    Attributes:
        drops: how far it is [m], at least 0, infinite where there is none; shape (points,).
        normals: of length 1, upwards; shape (points, 3).
        frictions: Coulomb coefficient of the collider, shape (points,).
    """

    drops: Floats
    normals: Floats
    frictions: Floats


@dataclass(frozen=True)
class Ground:
    """Colliders that stand, in axes of which the last one is up. A plane is a triangle without end.

    Attributes:
        corners: of triangles [m], shape (triangles, 3, 3); all three the same for a plane.
        normals: of length 1 and upwards, shape (triangles, 3).
        owners: number of the collider, shape (triangles,).
        frictions: of each collider, shape (colliders,).
        rims: some corners of edges that only one triangle has [m], shape (rims, 3).
        rim_owners: number of the collider, shape (rims,).
    """

    corners: Floats
    normals: Floats
    owners: Ints
    frictions: Floats
    rims: Floats
    rim_owners: Ints

    def below(self, points: Floats, reach: float = 0.0) -> Below:
        """What is straight below points [m], shape (points, 3); surfaces by ``reach`` [m] above them count too."""
        levels = np.full(len(points), -np.inf)
        found = np.full(len(points), -1)
        is_plane = self._is_plane
        low, high = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
        is_near = (self._lows[:, :2] <= high) & (self._highs[:, :2] >= low)
        rows = np.flatnonzero((is_near.all(axis=1) | is_plane) & (self.normals[:, 2] > _STEEP))
        step = max(1, _CHUNK // max(len(points), 1))
        for first in range(0, len(rows), step):
            some = rows[first : first + step]
            heights = self._heights(points, some, is_plane[some])
            heights[heights > points[:, 2, None] + reach] = -np.inf
            best = heights.argmax(axis=1)
            highest = heights[np.arange(len(points)), best]
            is_higher = highest > levels
            levels[is_higher], found[is_higher] = highest[is_higher], some[best[is_higher]]
        is_found = found >= 0
        normals, frictions = np.tile([0.0, 0.0, 1.0], (len(points), 1)), np.zeros(len(points))
        normals[is_found] = self.normals[found[is_found]]
        frictions[is_found] = self.frictions[self.owners[found[is_found]]]
        return Below(np.maximum(points[:, 2] - levels, 0.0), normals, frictions)

    def _heights(self, points: Floats, rows: Ints, is_plane: npt.NDArray[np.bool_]) -> Floats:
        """How high triangles are at points [m], -inf beside them; shape (points, rows)."""
        flat, normals = self.corners[rows][:, :, :2], self.normals[rows]
        sides = np.roll(flat, -1, axis=1) - flat
        ways = points[:, None, None, :2] - flat
        turns = sides[..., 0] * ways[..., 1] - sides[..., 1] * ways[..., 0]
        # a point on an edge is on both sides of it
        slack = 1e-9 * (sides**2).sum(axis=(1, 2))[:, None]
        is_inside = (turns >= -slack).all(axis=2) | (turns <= slack).all(axis=2) | is_plane
        tilt = (ways[:, :, 0] * normals[:, :2]).sum(axis=2) / normals[:, 2]
        heights: Floats = np.where(is_inside, self.corners[rows, 0, 2] - tilt, -np.inf)
        return heights

    def steepness(self, top: float) -> float:
        """Sine of the steepest slope that reaches below a height [m]; 0 where there is none."""
        heights = self.normals[self._reaches_below(top), 2]
        return float(np.sqrt(max(1.0 - heights.min(initial=1.0) ** 2, 0.0)))

    def bend(self, top: float) -> float:
        """The greatest angle between slopes that reach below a height [m], in radians, up to π/2."""
        normals = self.normals[self._reaches_below(top)]
        if not len(normals):
            return 0.0
        # the spread of many is that of those farthest along some directions
        angles = np.arange(_DIRECTIONS) * (2.0 * np.pi / _DIRECTIONS)
        flat = np.ascontiguousarray(normals[:, :2].T)
        outer = normals[np.unique([(np.cos(a) * flat[0] + np.sin(a) * flat[1]).argmax() for a in angles])]
        return float(np.arccos(np.clip((outer @ outer.T).min(), 0.0, 1.0)))

    def _reaches_below(self, top: float) -> npt.NDArray[np.bool_]:
        """Triangles with a corner at or below a height [m], and planes, which have no end; shape (triangles,)."""
        is_below: npt.NDArray[np.bool_] = (self._lows[:, 2] <= top) | self._is_plane
        return is_below

    @cached_property
    def _lows(self) -> Floats:
        lows: Floats = np.minimum(np.minimum(self.corners[:, 0], self.corners[:, 1]), self.corners[:, 2])
        return lows

    @cached_property
    def _highs(self) -> Floats:
        highs: Floats = np.maximum(np.maximum(self.corners[:, 0], self.corners[:, 1]), self.corners[:, 2])
        return highs

    @cached_property
    def _is_plane(self) -> npt.NDArray[np.bool_]:
        is_plane: npt.NDArray[np.bool_] = (self._lows == self._highs).all(axis=1)
        return is_plane

    def ledge(self, top: float, bottom: float) -> float:
        """How far it is down at most from where a collider ends, below ``top``, to what others have lower [m].

        Args:
            top: height [m] above which rims are not reached.
            bottom: height of the lowest of all [m].
        """
        greatest = 0.0
        for owner in np.unique(self.rim_owners):
            ends = self.rims[(self.rim_owners == owner) & (self.rims[:, 2] <= top)]
            lower = self._lows[self.owners != owner, 2]
            if len(ends) and len(lower):
                greatest = max(greatest, float(ends[:, 2].max()) - max(bottom, float(lower.min())))
        return greatest


def ground_of(colliders: Sequence[Collider], axes: Floats) -> Ground:
    """The ground that colliders are at the first frame, in the axes that are the rows of a rotation; the last is up."""
    corners, owners, rims, rim_owners = [], [], [], []
    normals = []
    for number, collider in enumerate(colliders):
        matrix = collider.transforms[0]
        if len(collider.triangles):
            places = transformed(matrix, collider.positions[0]) @ axes.T
            triangles = places[collider.triangles]
            normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
            # what is alone has nothing below where it ends
            ends = places[_rim(collider.triangles) if len(colliders) > 1 else []]
            ends = ends[:: -(-len(ends) // _MOST_RIMS)] if len(ends) else ends
        else:
            triangles = np.tile(axes @ matrix[:3, 3], (1, 3, 1))
            normal, ends = (axes @ plane_normal(collider))[None], np.zeros((0, 3))
        length = np.linalg.norm(normal, axis=1)
        kept = length > 0.0
        normal = normal[kept] / length[kept, None]
        corners.append(triangles[kept])
        normals.append(np.where(normal[:, 2:] < 0.0, -normal, normal))
        owners.append(np.full(len(normal), number))
        rims.append(ends)
        rim_owners.append(np.full(len(ends), number))
    frictions = np.array([collider.friction for collider in colliders])
    joined = [np.concatenate(parts) for parts in (corners, normals, owners)]
    return Ground(joined[0], joined[1], joined[2], frictions, np.concatenate(rims), np.concatenate(rim_owners))


def _rim(triangles: npt.NDArray[np.int32]) -> Ints:
    """Vertices of edges that one triangle alone has."""
    edges = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1).astype(np.int64)
    count = int(triangles.max(initial=0)) + 1
    pairs, counts = np.unique(edges[:, 0] * count + edges[:, 1], return_counts=True)
    single = pairs[counts == 1]
    return np.unique(np.concatenate([single // count, single % count]))
