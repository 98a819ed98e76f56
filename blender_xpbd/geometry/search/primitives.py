# SPDX-License-Identifier: GPL-3.0-or-later
"""Primitives: what the leaves of a tree hold. Each point and each edge is owned by one of them.

So a pair of points, edges and triangles is found once, from the one pair of primitives that own its sides
(representative triangles: Curtis, Tamstorf & Manocha 2008, "Fast collision detection for deformable models using
representative-triangles"). Edges and points of no triangle are primitives of their own, whose corners repeat.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..surface.topology import pair_keys

Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

# columns of a primitive: three corners, its triangle, its edges from a corner to the next one, and which corners it
# owns as the bits of a number; −1 for a triangle that it is not and edges that it does not own
CORNERS, TRIANGLE, EDGES, OWNED = 0, 3, 4, 7
PRIMITIVE_WIDTH = 8


def build_primitives(triangles: Ints, edges: Ints, takes_part: Bools) -> Ints:
    """Share out points and edges to primitives.

    Args:
        triangles: points, shape (triangles, 3).
        edges: points, each edge once, shape (edges, 2).
        takes_part: of each point; what has a point that does not is left out.

    Returns:
        Shape (primitives, PRIMITIVE_WIDTH): triangles of different points, each once, then edges of none, then points
        of none.
    """
    is_proper = (triangles != np.roll(triangles, 1, axis=1)).all(axis=1) & takes_part[triangles].all(axis=1)
    kept = np.flatnonzero(is_proper)
    # a triangle of the same points as one before would make the same pairs again
    kept = np.sort(kept[np.unique(np.sort(triangles[kept], axis=1), axis=0, return_index=True)[1]]).astype(np.int32)
    rows = _empty(triangles[kept])
    rows[:, TRIANGLE] = kept
    used = np.flatnonzero(takes_part[edges].all(axis=1)).astype(np.int32)
    loose = _own_edges(rows, edges, used)
    edge_rows = _empty(np.concatenate([edges[loose], edges[loose][:, 1:]], axis=1))
    edge_rows[:, EDGES] = loose
    rows = np.concatenate([rows, edge_rows])
    corners, first = np.unique(rows[:, CORNERS:TRIANGLE].ravel(), return_index=True)
    is_owned = np.zeros((len(rows), 3), np.bool_)
    is_owned.reshape(-1)[first] = True
    rows[:, OWNED] = is_owned @ np.array([1, 2, 4], np.int32)
    alone = takes_part.copy()
    alone[corners] = False
    point_rows = _empty(np.repeat(np.flatnonzero(alone)[:, None], 3, axis=1))
    point_rows[:, OWNED] = 1
    return np.concatenate([rows, point_rows])


def _empty(corners: Ints) -> Ints:
    """Primitives that own nothing, of these corners."""
    rows = np.full((len(corners), PRIMITIVE_WIDTH), -1, np.int32)
    rows[:, CORNERS:TRIANGLE] = corners
    rows[:, OWNED] = 0
    return rows


def _own_edges(rows: Ints, edges: Ints, used: Ints) -> Ints:
    """Give each edge to the first triangle that has it; returns the edges of no triangle."""
    corners = rows[:, CORNERS:TRIANGLE]
    keys = pair_keys(corners, np.roll(corners, -1, axis=1)).ravel()
    found, first = np.unique(keys, return_index=True)
    wanted = pair_keys(edges[used, 0], edges[used, 1])
    if len(found) == 0:
        return used
    place = np.minimum(np.searchsorted(found, wanted), len(found) - 1)
    is_there = found[place] == wanted
    sides = first[place[is_there]]
    rows[sides // 3, EDGES + sides % 3] = used[is_there]
    return used[~is_there]
