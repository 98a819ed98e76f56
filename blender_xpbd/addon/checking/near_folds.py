# SPDX-License-Identifier: GPL-3.0-or-later
"""Folds of one body that start nearer to each other than its thickness, so that all of them move apart as seen.

What is as near at rest stays so: the gap of two places is at most their distance at rest. So it takes a start of
another shape, and *Self*. A line across the folds tells how far they move apart: the sum of what the gaps along it
lack. What the cloth's own stiffness opens at creases is not told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from mathutils import Vector
from mathutils.geometry import closest_point_on_tri
from mathutils.interpolate import poly_3d_calc

from ...scene.body import Body
from ...scene.errors import Notice
from ...scene.scene import Scene
from ...scene.starts import takes_no_part, without_contact
from ..measures.solid_measures import fans
from .gaps import Gaps
from .near_starts import KEPT, NEAR_SHARE, VISIBLE, asked_vertices, shown_length
from .triangle_trees import triangle_tree

Floats = npt.NDArray[np.float64]

# its stub says that it returns nothing
_weights: Any = poly_3d_calc

# of its gap, what two places may lack, by rounding; and sheets that a line goes through at most
NOTABLE, MOST_LAYERS = 0.01, 100
# of places that lack something, how many are nearer than what is told: at a crease there is nothing between them
NEARER_SHARE = 0.1


@dataclass(frozen=True)
class NearFolds:
    """Folds of a body that start too near.

    Attributes:
        distance: between two of them, but at creases [m].
        gap: that they keep at most [m].
        way: by which the outermost move apart, in the part of it that moves most [m].
    """

    distance: float
    gap: float
    way: float


def starts_folded(scene: Scene) -> Iterator[Notice]:
    """A warning for each body whose folds would be seen to move apart."""
    gaps = Gaps()
    for body in scene.bodies:
        if (folds := near_folds(body, gaps)) is not None:
            text = (
                f"Starts so near to itself that its folds move apart, by {folds.way:.2g} m in all: there are "
                f"{folds.distance:.2g} m between two of them, and they keep {folds.gap:.2g} m. Fit Thickness lets them "
                "stay. Else let it start with its folds farther apart."
            )
            yield Notice("W_NEAR", text, body.name)


def near_folds(body: Body, gaps: Gaps) -> NearFolds | None:
    """The folds of a body that would be seen to move apart, None where none would."""
    if not body.contact.self_collision or len(body.face_sizes) == 0 or takes_no_part(body):
        return None
    if len(body.start) == 0 or np.array_equal(body.start, body.positions):
        return None
    folded = _Folded(body, gaps.thickness(body))
    asked = asked_vertices(body)
    lines = [folded.lacks(vertex) for vertex in asked.tolist()]
    distances = [distance for line in lines for distance, _ in line]
    if not distances:
        return None
    ways = np.sort([sum(lack for _, lack in line) for line in lines])
    # of so many vertices the line is at least as long
    way = float(ways[len(ways) - max(round(NEAR_SHARE * len(ways)), 1)])
    if way <= VISIBLE * shown_length(body):
        return None
    return NearFolds(float(np.quantile(distances, NEARER_SHARE)), folded.gap, way)


class _Folded:
    """The surface of a body at its start and at rest."""

    def __init__(self, body: Body, gap: float) -> None:
        """Of a body with a start, and the gap that it keeps to itself [m]."""
        self.gap = gap
        self._rest, self._start = body.positions, body.start
        triangles = fans(body.face_sizes, body.corners)
        self._triangles = triangles[~np.isin(triangles, without_contact(body)).any(axis=1)]
        self._tree = triangle_tree(self._start, self._triangles)
        self._normals = _vertex_normals(self._start, self._triangles)

    def lacks(self, vertex: int) -> list[tuple[float, float]]:
        """Along a line across the surface at a vertex, from one fold to the next: their distance, what it lacks [m]."""
        normal = Vector(self._normals[vertex])
        return [row for side in (normal, -normal) for row in self._lacks_along(vertex, side)]

    def _lacks_along(self, vertex: int, way: Vector) -> Iterator[tuple[float, float]]:
        place, rest = Vector(self._start[vertex]), Vector(self._rest[vertex])
        past = KEPT * self.gap
        for _ in range(MOST_LAYERS):
            found, _, number, distance = self._tree.ray_cast(place + past * way, way, self.gap)
            if found is None:
                return
            starts, rests = self._corners(self._start, number), self._corners(self._rest, number)
            gap = min(self.gap, (closest_point_on_tri(rest, *rests) - rest).length)
            if gap - (distance + past) > NOTABLE * self.gap:
                yield distance + past, gap - (distance + past)
            place, rest = found, Vector(np.array(_weights(starts, found)) @ np.array(rests))

    def _corners(self, places: Floats, number: int) -> list[Any]:
        return [Vector(place) for place in places[self._triangles[number]]]


def _vertex_normals(points: Floats, triangles: npt.NDArray[np.int32]) -> Floats:
    """Unit normals of vertices, 0 without any; ``points`` of shape (vertices, 3), triangles of (triangles, 3)."""
    a, b, c = np.moveaxis(points[triangles], 1, 0)
    of_faces = np.repeat(np.cross(b - a, c - a), 3, axis=0)
    sums = np.stack([np.bincount(triangles.ravel(), of_faces[:, k], len(points)) for k in range(3)], axis=1)
    unit: Floats = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-300)
    return unit
