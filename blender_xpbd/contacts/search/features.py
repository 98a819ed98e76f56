# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of primitives: which of their points, edges and triangles may touch, or go through each other."""

import taichi as ti

from ...geometry.search.primitives import CORNERS, EDGES, OWNED, TRIANGLE
from .intersection import crosses
from .parting import is_parted

# what a walk looks for
NEAR_PAIRS, CROSSINGS = range(2)


@ti.func
def overlap(a_boxes: ti.template(), a, b_boxes: ti.template(), b, gap):
    """Whether two travelling boxes may come nearer than a gap; False where one is not a number."""
    result = True
    for k in ti.static(range(3)):
        if result:
            below = (b_boxes[b, k] - a_boxes[a, 3 + k] <= gap) | (b_boxes[b, 6 + k] - a_boxes[a, 9 + k] <= gap)
            above = (a_boxes[a, k] - b_boxes[b, 3 + k] <= gap) | (a_boxes[a, 6 + k] - b_boxes[b, 9 + k] <= gap)
            result = below & above
    return result


@ti.func
def edges_overlap(boxes: ti.template(), a, b, c, d, gap):
    """Whether the travelling boxes of edges (a, b) and (c, d) may come nearer than a gap."""
    result = True
    for k in ti.static(range(3)):
        if result:
            low, high = ti.Vector([False, False]), ti.Vector([False, False])
            for end in ti.static(range(2)):
                j = ti.static(6 * end + k)
                first_low, first_high = ti.min(boxes[a, j], boxes[b, j]), ti.max(boxes[a, j + 3], boxes[b, j + 3])
                other_low, other_high = ti.min(boxes[c, j], boxes[d, j]), ti.max(boxes[c, j + 3], boxes[d, j + 3])
                low[end], high[end] = other_low - first_high <= gap, first_low - other_high <= gap
            result = (low[0] | low[1]) & (high[0] | high[1])
    return result


@ti.func
def keep(found: ti.template(), n, end, bucket, other):
    """Count a pair, and write it where there is room before row ``end``."""
    if n < end:
        found[n, 0], found[n, 1] = bucket, other
    return n + 1


@ti.func
def points_of(ground: ti.template(), sides, gap, n, end):
    """The points that the first primitive owns with the triangle that the second one is."""
    rows, boxes, own = ti.static(ground.forest.primitives, ground.boxes.primitive_boxes, ground.boxes.point_boxes)
    a, b = sides[0], sides[1]
    one, two, three = rows[b, CORNERS], rows[b, CORNERS + 1], rows[b, CORNERS + 2]
    for k in range(3 if rows[b, TRIANGLE] >= 0 else 0):
        if rows[a, OWNED] & (1 << k):
            point = rows[a, CORNERS + k]
            if (point != one) & (point != two) & (point != three) and overlap(own, point, boxes, b, gap):
                if not is_parted(own, False, ti.Vector([point, one, two, three]), gap):
                    n = keep(ground.found.found, n, end, point, rows[b, TRIANGLE])
    return n


@ti.func
def edges_of(ground: ti.template(), sides, gap, n, end):
    """The edges that two primitives own."""
    rows, boxes = ti.static(ground.forest.primitives, ground.boxes.point_boxes)
    a, b = sides[0], sides[1]
    for turn in range(9):
        k, j = turn // 3, turn % 3
        if rows[a, EDGES + k] >= 0 and rows[b, EDGES + j] >= 0:
            first, last = rows[a, CORNERS + k], rows[a, CORNERS + (k + 1) % 3]
            c, d = rows[b, CORNERS + j], rows[b, CORNERS + (j + 1) % 3]
            if (first != c) & (first != d) & (last != c) & (last != d):
                if edges_overlap(boxes, first, last, c, d, gap):
                    if not is_parted(boxes, True, ti.Vector([first, last, c, d]), gap):
                        low = ti.min(rows[a, EDGES + k], rows[b, EDGES + j])
                        high = ti.max(rows[a, EDGES + k], rows[b, EDGES + j])
                        n = keep(ground.found.found, n, end, boxes.shape[0] + low, high)
    return n


@ti.func
def near_pairs(ground: ti.template(), sides, gap, n, end):
    """All pairs of two primitives that may come nearer than a gap; written from row ``n`` on, before row ``end``.

    Returns:
        n and as many more as there are.
    """
    for turn in range(2):
        n = points_of(ground, ti.Vector([sides[turn], sides[1 - turn]]), gap, n, end)
    return edges_of(ground, sides, gap, n, end)


@ti.func
def crossings_of(ground: ti.template(), sides, n, end):
    """The edges that the first primitive owns and that go through the triangle that the second one is."""
    rows = ti.static(ground.forest.primitives)
    a, b = sides[0], sides[1]
    if rows[b, TRIANGLE] >= 0:
        one, two, three = rows[b, CORNERS], rows[b, CORNERS + 1], rows[b, CORNERS + 2]
        for k in ti.static(range(3)):
            if rows[a, EDGES + k] >= 0:
                c, d = rows[a, CORNERS + k], rows[a, CORNERS + (k + 1) % 3]
                if (c != one) & (c != two) & (c != three) & (d != one) & (d != two) & (d != three):
                    if crosses(ground.forest.places, c, d, one, two, three):
                        n = keep(ground.found.found, n, end, rows[a, EDGES + k], rows[b, TRIANGLE])
    return n


@ti.func
def crossing_pairs(ground: ti.template(), sides, n, end):
    """All crossings of two primitives whose boxes overlap; otherwise as ``near_pairs``."""
    n = crossings_of(ground, sides, n, end)
    return crossings_of(ground, ti.Vector([sides[1], sides[0]]), n, end)
