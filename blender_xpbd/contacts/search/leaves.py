# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of leaves: which of their primitives, and which points, edges and triangles of these, have boxes that meet."""

import taichi as ti

from ...geometry.search.primitives import CORNERS, EDGES, OWNED, TRIANGLE
from ...geometry.search.trees import END, FIRST, LEAF_SIZE
from .boxes import lesser, overlap

# what a walk looks for
NEAR_PAIRS, CROSSINGS = range(2)
# columns of a candidate: four points, then its kind
CANDIDATE_KIND, CANDIDATE_TASK = 4, 5


@ti.func
def keep(found: ti.template(), n, end, row):
    """Count a candidate, and write it where there is room before row ``end``."""
    if n < end:
        found[n] = row
    return n + 1


@ti.func
def primitive_box(ground: ti.template(), p):
    """The box of a primitive."""
    rows, boxes = ti.static(ground.forest.primitives, ground.boxes.point_boxes)
    first = lesser(boxes[rows[p, CORNERS]], boxes[rows[p, CORNERS + 1]])
    return lesser(first, boxes[rows[p, CORNERS + 2]])


@ti.func
def ends_of(rows: ti.template(), p, k):
    """The ends of an edge of a primitive, the lower one first."""
    a, b = rows[p, CORNERS + k], rows[p, CORNERS + (k + 1) % 3]
    return ti.min(a, b), ti.max(a, b)


@ti.func
def test_leaves(ground: ti.template(), pair, member, gap, n, end, mode):
    """All candidates of two leaves, or of one with itself; returns n and as many more."""
    node_a, node_b = pair[0], pair[1]
    near, boxes = ti.static(ground.work.near_primitives, ground.work.near_boxes)
    base = 2 * LEAF_SIZE * member
    # what of side a comes near side b, and then what of side b comes near that
    other = ground.boxes.node_boxes[node_b]
    count_a, count_b = 0, 0
    for side in range(2):
        leaf = ground.forest.leaves[node_a if side == 0 else node_b]
        kept, joined = 0, ti.Vector([1e30] * 12, ti.f32)
        for p in range(leaf[FIRST], leaf[END]):
            box = primitive_box(ground, p)
            if overlap(box, other, gap):
                at = base + side * LEAF_SIZE + kept
                near[at], boxes[at] = p, box
                joined = lesser(joined, box)
                kept += 1
        if side == 0:
            count_a = kept
            if node_a != node_b:
                other = joined
        else:
            count_b = kept
    for i in range(base, base + count_a):
        box = boxes[i]
        first = base + LEAF_SIZE
        for j in range(first + (i - base + 1 if node_a == node_b else 0), first + count_b):
            if overlap(box, boxes[j], gap):
                if mode == CROSSINGS:
                    n = keep(ground.found.found, n, end, ti.Vector([near[i], near[j], 0, 0, 0, 0]))
                else:
                    n = test_primitives(ground, i, j, gap, n, end)
    return n


@ti.func
def test_primitives(ground: ti.template(), i, j, gap, n, end):
    """All candidates of two primitives, of which these are the places among the near ones."""
    rows, boxes = ti.static(ground.forest.primitives, ground.boxes.point_boxes)
    near, near_boxes = ti.static(ground.work.near_primitives, ground.work.near_boxes)
    for turn in range(2):
        side, other = ti.select(turn == 0, i, j), ti.select(turn == 0, j, i)
        a, b = near[side], near[other]
        owned = rows[a, OWNED] if rows[b, TRIANGLE] >= 0 else 0
        box = near_boxes[other]
        one, two, three = rows[b, CORNERS], rows[b, CORNERS + 1], rows[b, CORNERS + 2]
        for k in range(3):
            if owned & (1 << k):
                point = rows[a, CORNERS + k]
                if (point != one) & (point != two) & (point != three) and overlap(boxes[point], box, gap):
                    n = keep(ground.found.found, n, end, ti.Vector([point, one, two, three, 0, 0]))
    a, b = near[i], near[j]
    for k in range(3):
        if rows[a, EDGES + k] >= 0:
            first, last = ends_of(rows, a, k)
            edge = lesser(boxes[first], boxes[last])
            if overlap(edge, near_boxes[j], gap):
                for m in range(3):
                    if rows[b, EDGES + m] >= 0:
                        c, d = ends_of(rows, b, m)
                        if (first != c) & (first != d) & (last != c) & (last != d):
                            if overlap(edge, lesser(boxes[c], boxes[d]), gap):
                                row = ti.Vector([first, last, c, d, 1, 0])
                                if rows[a, EDGES + k] > rows[b, EDGES + m]:
                                    row = ti.Vector([c, d, first, last, 1, 0])
                                n = keep(ground.found.found, n, end, row)
    return n
