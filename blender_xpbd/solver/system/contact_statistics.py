# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of contact: how much touches, what may have passed through, what crosses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.integer[Any]]
Floats = npt.NDArray[np.float64]

# of each body in a frame: most pairs that pushed in one substep, how often something may have passed through, and how
# often an edge and a triangle cross (of the first and the last frame; else not a number)
CONTACT_STATISTICS = ("contacts", "tunnelled", "crossings")


@dataclass(frozen=True)
class Crossings:
    """Edges that cross triangles, at one moment.

    Attributes:
        counts: of each pair of objects, shape (objects, objects), symmetric; on the diagonal those of one with itself.
        vertices: of bodies, by their numbers among all bodies' vertices, ascending: the ends of those edges and the
            corners of those triangles; shape (vertices,), int32.
        enclosed: bodies that lie wholly inside a solid and cross nothing of it: each and that solid.
    """

    counts: Ints
    vertices: npt.NDArray[np.int32]
    enclosed: tuple[tuple[int, int], ...] = ()

    def of_bodies(self, body_count: int) -> Floats:
        """How many each body takes part in, shape (bodies,)."""
        return self.counts[:body_count].sum(axis=1).astype(np.float64)


def crossings_of(found: Ints, edges: Ints, triangles: Ints, objects: Ints, body_points: int) -> Crossings:
    """Crossings by the objects that they are of.

    Args:
        found: numbers of an edge and of the triangle that it crosses, shape (crossings, 2).
        edges: surface points of each, shape (edges, 2).
        triangles: surface points of each, shape (triangles, 3).
        objects: of each surface point, the number of its object, shape (points,).
        body_points: surface points of bodies, which come before those of colliders.
    """
    first, second = edges[found[:, 0]], triangles[found[:, 1]]
    count = int(objects.max(initial=-1)) + 1
    counts = np.zeros((count, count), np.int64)
    np.add.at(counts, (objects[first[:, 0]], objects[second[:, 0]]), 1)
    own = np.diag(np.diag(counts))
    points = np.unique(np.concatenate([first.ravel(), second.ravel()]))
    return Crossings(counts + counts.T - own, points[points < body_points].astype(np.int32))


def contact_rows(counts: Floats, crossings: Crossings | None) -> Floats:
    """The columns ``CONTACT_STATISTICS`` of a frame, shape (bodies, 3).

    Args:
        counts: the first two columns, shape (bodies, 2).
        crossings: of the frame, None where they are not counted.
    """
    unknown = np.full(len(counts), np.nan)
    return np.column_stack([counts, unknown if crossings is None else crossings.of_bodies(len(counts))])
