# SPDX-License-Identifier: GPL-3.0-or-later
"""Points about which a solid turns where it is pinned: at single vertices, and along edges.

Held vertices that make up a face are a clamp. A line of others is a hinge, one of them a ball joint. Corners of their
tetrahedra keep their distances to the points, so that they turn about them together with what is around them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# share of a cell that makes no difference. Points lie on borders of cells, and at their corners, by design: what is
# chosen there must not depend on rounding, so on how the body is turned
SLACK = 1e-3


def is_on_held_face(triangles: Ints, held: Ints, count: int) -> npt.NDArray[np.bool_]:
    """Whether each vertex is a corner of a triangle all of whose corners are held, shape (count,).

    Args:
        triangles: of the surface, shape (triangles, 3).
        held: vertices.
        count: of the vertices of the surface.
    """
    is_held = np.zeros(count, dtype=bool)
    is_held[held] = True
    found = np.zeros(count, dtype=bool)
    found[triangles[is_held[triangles].all(axis=1)]] = True
    return found


def points_between(positions: Floats, edges: Ints, spacing: float) -> tuple[Ints, Floats]:
    """Points within edges, so that none is farther than a spacing (and 0.1 %) from the next.

    Args:
        positions: of the vertices [m], shape (n, 3).
        edges: shape (edges, 2).
        spacing: [m].

    Returns:
        The ends of the edge of each point, shape (points, 2), and how far from the first to the second it lies, as a
        share, shape (points,).
    """
    first, second = positions[edges[:, 0]], positions[edges[:, 1]]
    lengths = np.linalg.norm(second - first, axis=1)
    counts = np.maximum(np.ceil(lengths / spacing - SLACK).astype(np.int64) - 1, 0)
    rows = np.repeat(np.arange(len(edges)), counts)
    places = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    return edges[rows], (places + 1) / (counts[rows] + 1)


def interpolated(places: Floats, ends: Ints, shares: Floats) -> Floats:
    """Where points of edges are [m], shape (points, 3).

    Args:
        places: of what the ends count [m], shape (n, 3).
        ends: of their edges, as of ``points_between``.
        shares: along these.
    """
    between: Floats = (1.0 - shares)[:, None] * places[ends[:, 0]] + shares[:, None] * places[ends[:, 1]]
    return between
