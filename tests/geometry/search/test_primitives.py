# SPDX-License-Identifier: GPL-3.0-or-later
"""Who owns what: each point, edge and triangle once; ``test_trees`` tries it on soups of triangles."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.geometry.search.primitives import CORNERS, EDGES, OWNED, PRIMITIVE_WIDTH, TRIANGLE, build_primitives

# two triangles over the edge (1, 2)
TRIANGLES = np.array([[0, 1, 2], [2, 1, 3]], np.int32)
EDGES_OF = np.array([[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]], np.int32)
NONE = np.zeros((0, 3), np.int32)
NO_EDGES = np.zeros((0, 2), np.int32)


def owned_corners(row: np.ndarray) -> list[int]:
    return [int(row[CORNERS + k]) for k in range(3) if row[OWNED] >> k & 1]


def test_the_first_triangle_owns_what_two_share() -> None:
    first, second = build_primitives(TRIANGLES, EDGES_OF, np.ones(4, bool))
    assert first[CORNERS:TRIANGLE].tolist() == [0, 1, 2]
    assert (first[TRIANGLE], second[TRIANGLE]) == (0, 1)
    # edges from a corner to the next: (0, 1), (1, 2), (2, 0)
    assert first[EDGES:OWNED].tolist() == [0, 2, 1]
    # (2, 1) has an owner already
    assert second[EDGES:OWNED].tolist() == [-1, 3, 4]
    assert (owned_corners(first), owned_corners(second)) == ([0, 1, 2], [3])


def test_loose_edges_and_points_are_primitives_of_their_own() -> None:
    edges = np.concatenate([EDGES_OF, [[4, 5]]]).astype(np.int32)
    rows = build_primitives(TRIANGLES, edges, np.ones(7, bool))
    assert len(rows) == 4
    edge, point = rows[2], rows[3]
    assert edge[CORNERS:TRIANGLE].tolist() == [4, 5, 5]
    assert (edge[TRIANGLE], edge[EDGES:OWNED].tolist(), owned_corners(edge)) == (-1, [5, -1, -1], [4, 5])
    assert point[CORNERS:TRIANGLE].tolist() == [6, 6, 6]
    assert (point[TRIANGLE], point[EDGES:OWNED].tolist(), owned_corners(point)) == (-1, [-1, -1, -1], [6])


@pytest.mark.parametrize(
    ("triangles", "kept"),
    [
        ([[0, 1, 1], [0, 1, 2]], [1]),
        # the same points again make the same pairs again, whichever way they wind
        ([[0, 1, 2], [2, 1, 0], [1, 2, 0]], [0]),
        ([[0, 0, 0]], []),
    ],
)
def test_degenerate_and_repeated_triangles_are_left_out(triangles: list[list[int]], kept: list[int]) -> None:
    rows = build_primitives(np.array(triangles, np.int32), NO_EDGES, np.ones(3, bool))
    assert rows[rows[:, TRIANGLE] >= 0, TRIANGLE].tolist() == kept
    assert sorted(corner for row in rows for corner in owned_corners(row)) == [0, 1, 2]


def test_what_has_a_point_that_takes_no_part_is_left_out() -> None:
    takes_part = np.array([False, True, True, True])
    rows = build_primitives(TRIANGLES, EDGES_OF, takes_part)
    assert rows[:, TRIANGLE].tolist() == [1]
    assert rows[0, EDGES:OWNED].tolist() == [2, 3, 4]
    assert owned_corners(rows[0]) == [2, 1, 3]
    assert build_primitives(TRIANGLES, EDGES_OF, np.zeros(4, bool)).shape == (0, PRIMITIVE_WIDTH)


def test_nothing_gives_nothing() -> None:
    assert build_primitives(NONE, NO_EDGES, np.zeros(0, bool)).shape == (0, PRIMITIVE_WIDTH)
