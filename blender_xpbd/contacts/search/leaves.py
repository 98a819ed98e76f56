# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of leaves: which points, edges and triangles of theirs have boxes that meet.

Both are seen in the frame that goes with the first one. There a travelling box is replaced by the box around its start
and its end: where the first leaf does not turn or stretch, these are parted where the travelling boxes are.
"""

import taichi as ti

from ...geometry.search.primitives import CORNERS, EDGES, OWNED, TRIANGLE
from ...geometry.search.trees import END, FIRST, LEAF_SIZE
from .boxes import lesser

# what a walk looks for
NEAR_PAIRS, CROSSINGS = range(2)
# columns of a candidate: four points, then its kind, and its task
CANDIDATE_KIND, CANDIDATE_TASK = 4, 5
# what of a leaf comes near another one: triangles, points and edges, with their numbers. Of each side as many rows
TRIANGLES, POINTS, SIDES = 0, LEAF_SIZE, 4 * LEAF_SIZE
NEAR_ROWS = 7 * LEAF_SIZE


@ti.func
def keep(found: ti.template(), n, end, row):
    """Count a candidate, and write it where there is room before row ``end``."""
    if n < end:
        found[n] = row
    return n + 1


@ti.func
def resting(box, way):
    """The box around a travelling one, seen from what goes along ``way``: low corner, and high corner times −1."""
    low, high = lesser(box[0:3], box[3:6] - way), lesser(box[6:9], box[9:12] + way)
    return ti.Vector([low[0], low[1], low[2], high[0], high[1], high[2]], ti.f32)


@ti.func
def are_near(a, b, gap):
    """Whether two boxes may come nearer than a gap; False where one is not a number."""
    near = (a[0:3] + b[3:6] <= gap) & (b[0:3] + a[3:6] <= gap)
    return (near[0] & near[1] & near[2]) != 0


@ti.func
def test_leaves(ground: ti.template(), pair, member, gap, n, end, mode):
    """All candidates of two leaves, or of one with itself; returns n and as many more."""
    base = 2 * NEAR_ROWS * member
    box = ground.boxes.node_boxes[pair[0]]
    # the mean way of the corners of the first leaf's box
    way = ti.cast(0.5, ti.f32) * ((box[3:6] - box[0:3]) - (box[9:12] - box[6:9]))
    other = resting(ground.boxes.node_boxes[pair[1]], way)
    counts = ti.Vector([0] * 6)
    for side in range(2):
        leaf = ground.forest.leaf_rows[pair[0] if side == 0 else pair[1]]
        rows = base + side * NEAR_ROWS
        joined, kept = ti.Vector([1e30] * 6, ti.f32), ti.Vector([0, 0, 0])
        for p in range(leaf[FIRST], leaf[END]):
            kept, joined = gather(ground, p, way, other, joined, kept, rows, gap, mode)
        for k in ti.static(range(3)):
            counts[k] = ti.select(side == 0, kept[k], counts[k])
            counts[3 + k] = ti.select(side == 0, counts[3 + k], kept[k])
        if side == 0 and pair[0] != pair[1]:
            # what of the second leaf comes near that
            other = joined
    if mode == CROSSINGS:
        n = pair_triangles(ground, pair, base, counts, n, end)
    else:
        n = pair_points(ground, pair, base, counts, gap, n, end)
        n = pair_edges(ground, pair, base, counts, gap, n, end)
    return n


@ti.func
def gather(ground: ti.template(), p, way, other, joined, kept, rows, gap, mode):
    """Note what of a primitive comes near another box; returns how much there is of each, and the box around all."""
    table, boxes = ti.static(ground.forest.primitives, ground.boxes.point_boxes)
    near, near_boxes = ti.static(ground.work.near, ground.work.near_boxes)
    corners = ti.Vector([table[p, CORNERS], table[p, CORNERS + 1], table[p, CORNERS + 2]])
    a, b, c = resting(boxes[corners[0]], way), resting(boxes[corners[1]], way), resting(boxes[corners[2]], way)
    box = lesser(lesser(a, b), c)
    if are_near(box, other, gap):
        joined = lesser(joined, box)
        if table[p, TRIANGLE] >= 0 or mode == CROSSINGS:
            near_boxes[rows + TRIANGLES + kept[0]] = box
            near[rows + TRIANGLES + kept[0]] = ti.Vector([corners[0], corners[1], corners[2], p])
            kept[0] += 1
        for k in range(3 if mode != CROSSINGS else 0):
            first, last, box_k, next_k = corners[0], corners[1], a, b
            if k == 1:
                first, last, box_k, next_k = corners[1], corners[2], b, c
            elif k == 2:
                first, last, box_k, next_k = corners[2], corners[0], c, a
            if table[p, OWNED] & (1 << k):
                if are_near(box_k, other, gap):
                    near_boxes[rows + POINTS + kept[1]] = box_k
                    near[rows + POINTS + kept[1]] = ti.Vector([first, 0, 0, 0])
                    kept[1] += 1
            if table[p, EDGES + k] >= 0:
                edge_box = lesser(box_k, next_k)
                if are_near(edge_box, other, gap):
                    near_boxes[rows + SIDES + kept[2]] = edge_box
                    row = ti.Vector([ti.min(first, last), ti.max(first, last), table[p, EDGES + k], 0])
                    near[rows + SIDES + kept[2]] = row
                    kept[2] += 1
    return kept, joined


@ti.func
def pair_triangles(ground: ti.template(), pair, base, counts, n, end):
    """Primitives that may go through each other."""
    near, boxes = ti.static(ground.work.near, ground.work.near_boxes)
    for i in range(counts[0]):
        for j in range(i + 1 if pair[0] == pair[1] else 0, counts[3]):
            if are_near(boxes[base + i], boxes[base + NEAR_ROWS + j], 0.0):
                row = ti.Vector([near[base + i][3], near[base + NEAR_ROWS + j][3], 0, 0, 0, 0])
                n = keep(ground.found.found, n, end, row)
    return n


@ti.func
def pair_points(ground: ti.template(), pair, base, counts, gap, n, end):
    """Points of each leaf with triangles of the other one."""
    near, boxes = ti.static(ground.work.near, ground.work.near_boxes)
    for side in range(1 if pair[0] == pair[1] else 2):
        points = base + side * NEAR_ROWS + POINTS
        triangles = base + (1 - side) * NEAR_ROWS + TRIANGLES
        point_count, triangle_count = ti.select(side == 0, counts[1], counts[4]), ti.select(side == 0, counts[3], counts[0])
        for i in range(points, points + point_count):
            point, box = near[i][0], boxes[i]
            for j in range(triangles, triangles + triangle_count):
                if are_near(box, boxes[j], gap):
                    row = near[j]
                    if (point != row[0]) & (point != row[1]) & (point != row[2]):
                        n = keep(ground.found.found, n, end, ti.Vector([point, row[0], row[1], row[2], 0, 0]))
    return n


@ti.func
def pair_edges(ground: ti.template(), pair, base, counts, gap, n, end):
    """Edges of two leaves."""
    near, boxes = ti.static(ground.work.near, ground.work.near_boxes)
    first, other = base + SIDES, base + NEAR_ROWS + SIDES
    for i in range(counts[2]):
        a, box = near[first + i], boxes[first + i]
        for j in range(i + 1 if pair[0] == pair[1] else 0, counts[5]):
            if are_near(box, boxes[other + j], gap):
                b = near[other + j]
                if (a[0] != b[0]) & (a[0] != b[1]) & (a[1] != b[0]) & (a[1] != b[1]):
                    row = ti.Vector([a[0], a[1], b[0], b[1], 1, 0])
                    if a[2] > b[2]:
                        row = ti.Vector([b[0], b[1], a[0], a[1], 1, 0])
                    n = keep(ground.found.found, n, end, row)
    return n
