# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of leaves: which points, edges and triangles of theirs have boxes that meet.

A leaf is seen in the frame that goes with it. There the travelling box of a feature is replaced by the box around its
start and its end: where the leaf does not turn or stretch, that is no wider. Boxes of features are filled when their
leaf first comes near another one.
"""

import taichi as ti

from ...geometry.search.leaf_contents import FEATURE_NUMBER, FEATURES_END, POINTS, SIDES, TRIANGLES
from ...geometry.search.trees import LEAF_SIZE
from .boxes import lesser

# what a walk looks for
NEAR_PAIRS, CROSSINGS = range(2)
# columns of a candidate: four points, then its kind, and its task
CANDIDATE_KIND, CANDIDATE_TASK = 4, 5
# features of a leaf at most: primitives, and three points and three edges of each; and one more to write to
MOST_FEATURES = 7 * LEAF_SIZE + 1
# numbers of features that are near each other: two for each pair of edges or of a point and a triangle, and two more
MOST_HITS = 2 * (3 + 3 + 9) * LEAF_SIZE**2 + 2
# what a search tells: pairs, the most rows that a member of the team needs, items, and how many searches there were
TOLD_PAIRS, TOLD_ROWS, TOLD_ITEMS, TOLD_SEARCHES = range(4)
TOLD_WIDTH = 4


@ti.func
def keep(found: ti.template(), n, end, row):
    """Count a candidate, and write it where there is room before row ``end``."""
    if n < end:
        found[n] = row
    return n + 1


@ti.func
def mean_way(box):
    """How far a travelling box goes."""
    return ti.cast(0.5, ti.f32) * ((box[3:6] - box[0:3]) - (box[9:12] - box[6:9]))


@ti.func
def resting(box, way):
    """The box around a travelling one, seen from what goes along ``way``: low corner, and high corner times −1."""
    low, high = lesser(box[0:3], box[3:6] - way), lesser(box[6:9], box[9:12] + way)
    return ti.Vector([low[0], low[1], low[2], high[0], high[1], high[2]], ti.f32)


@ti.func
def are_near(a, b, most):
    """1 where two boxes may come near, else 0, as where one is not a number.

    Whoever asks writes first and then counts on by the answer: a branch that may go either way takes longer than all
    else here (docs/experiments.md).

    Args:
        a: of what is in the first frame.
        b: of what is in the other frame.
        most: how far apart they may be, above and below: the gap, and how far the other frame goes in the first one.
    """
    below = (a[0] + b[3] <= most[0]) & (a[1] + b[4] <= most[1]) & (a[2] + b[5] <= most[2])
    above = (b[0] + a[3] <= most[3]) & (b[1] + a[4] <= most[4]) & (b[2] + a[5] <= most[5])
    return ti.cast(below & above, ti.i32)


@ti.func
def fill_leaf(ground: ti.template(), node, way, team_size):
    """Fill the boxes of the features of a leaf, unless this search has done it.

    Members of a team may both do it, and write the same.
    """
    search = ground.work.told[TOLD_SEARCHES]
    filled = ground.boxes.filled[node]
    if team_size > 1:
        # what is read after this was written before the number was
        filled = ti.atomic_max(ground.boxes.filled[node], 0)
    if filled != search:
        boxes = ti.static(ground.boxes.point_boxes)
        leaf = ground.forest.leaf_rows[node]
        for f in range(leaf[TRIANGLES], leaf[FEATURES_END]):
            row = ground.forest.features[f]
            box = lesser(resting(boxes[row[0]], way), resting(boxes[row[1]], way))
            ground.boxes.feature_boxes[f] = lesser(box, resting(boxes[row[2]], way))
        ti.atomic_max(ground.boxes.filled[node], search)


@ti.func
def test_leaves(ground: ti.template(), pair, turn, gap, n, end, mode):
    """All candidates of two leaves, or of one with itself; returns n and as many more.

    Args:
        ground: packs.
        pair: the leaves.
        turn: member of the team, and how many there are.
        gap: [m].
        n: row to write to.
        end: of the rows.
        mode: one of the above.
    """
    base = 2 * MOST_FEATURES * turn[0]
    near = ti.static(ground.work.near)
    way = mean_way(ground.boxes.node_boxes[pair[0]])
    other_way = mean_way(ground.boxes.node_boxes[pair[1]])
    most = ti.Vector([gap] * 6, ti.f32)
    for k in ti.static(range(3)):
        most[k] += ti.max(other_way[k] - way[k], ti.cast(0.0, ti.f32))
        most[3 + k] += ti.max(way[k] - other_way[k], ti.cast(0.0, ti.f32))
    # begin and end of the near triangles, then end of the near points and of the near edges; of both sides
    ends = ti.Vector([0] * 8)
    for side in range(2):
        node, other = ti.select(side == 0, pair[0], pair[1]), ti.select(side == 0, pair[1], pair[0])
        fill_leaf(ground, node, ti.select(side == 0, way, other_way), turn[1])
        leaf, across = ground.forest.leaf_rows[node], ground.forest.leaf_rows[other]
        at = base + side * MOST_FEATURES
        begin, triangles, points = at, at, at
        reach = ti.select(side == 0, most, ti.Vector([most[3], most[4], most[5], most[0], most[1], most[2]]))
        around = resting(ground.boxes.node_boxes[other], ti.select(side == 0, other_way, way))
        # edges only where there are edges across
        last = ti.select(across[SIDES] == across[FEATURES_END], leaf[SIDES], leaf[FEATURES_END])
        for f in range(leaf[TRIANGLES], last):
            near[at] = f
            is_near = are_near(ground.boxes.feature_boxes[f], around, reach)
            at += is_near
            triangles += is_near & (f < leaf[POINTS])
            points += is_near & (f < leaf[SIDES])
        for k in ti.static(range(2)):
            if k == side:
                ends[4 * k], ends[4 * k + 1], ends[4 * k + 2], ends[4 * k + 3] = begin, triangles, points, at
    return pair_features(ground, ends, pair[0] == pair[1], most, turn, n, end, mode)


@ti.func
def pair_features(ground: ti.template(), ends, is_self, most, turn, n, end, mode):
    """Pairs of near features: points and triangles both ways, and edges; or triangles with triangles."""
    near = ti.static(ground.work.near)
    first_hit, at = 2 * MOST_FEATURES * turn[1] + MOST_HITS * turn[0], 0
    for kind in range(1 if mode == CROSSINGS else 3):
        # points with triangles; triangles with points, but for one leaf with itself; edges
        begin_a = ti.select(kind == 0, ends[1], ti.select(kind == 1, ends[0], ends[2]))
        end_a = ti.select(kind == 0, ends[2], ti.select(kind == 1, ends[1], ends[3]))
        begin_b = ti.select(kind == 0, ends[4], ti.select(kind == 1, ends[5], ends[6]))
        end_b = ti.select(kind == 0, ends[5], ti.select(kind == 1, ends[6], ends[7]))
        if mode == CROSSINGS:
            begin_a, end_a, begin_b, end_b = ends[0], ends[1], ends[4], ends[5]
        is_half = is_self and (kind == 2 or mode == CROSSINGS)
        count_a, count_b = end_a - begin_a, end_b - begin_b
        total = ti.select(is_half, count_a * (count_a - 1) // 2, count_a * count_b)
        if is_self and kind == 1:
            total = 0
        i, j = begin_a, ti.select(is_half, begin_b + 1, begin_b)
        # one loop over both, since a short one within another ends where no processor expects it
        for _ in range(total):
            f, g = near[i], near[j]
            near[first_hit + at], near[first_hit + at + 1] = 4 * f + kind, g
            at += 2 * are_near(ground.boxes.feature_boxes[f], ground.boxes.feature_boxes[g], most)
            j += 1
            is_over = ti.cast(j == end_b, ti.i32)
            i += is_over
            j = ti.select(is_over == 1, ti.select(is_half, begin_b + 1 + i - begin_a, begin_b), j)
    for hit in range(at >> 1):
        f, g = near[first_hit + 2 * hit], near[first_hit + 2 * hit + 1]
        a, b = ground.forest.features[f >> 2], ground.forest.features[g]
        if mode == CROSSINGS:
            row = ti.Vector([ti.max(a[3], -1 - a[3]), ti.max(b[3], -1 - b[3]), 0, 0, 0, 0])
            n = keep(ground.found.found, n, end, row)
        else:
            n = keep_features(ground, a, b, f & 3, n, end)
    return n


@ti.func
def keep_features(ground: ti.template(), a, b, kind, n, end):
    """Keep a point and a triangle, a triangle and a point, or two edges, unless they share a point."""
    is_edges = kind == 2
    is_turned = (kind == 1) | (is_edges & (a[FEATURE_NUMBER] > b[FEATURE_NUMBER]))
    first, other = ti.select(is_turned, b, a), ti.select(is_turned, a, b)
    third = ti.select(is_edges, other[1], other[2])
    is_apart = (first[0] != other[0]) & (first[0] != other[1]) & (first[0] != third)
    is_apart = is_apart & (first[1] != other[0]) & (first[1] != other[1])
    # a point with what is no triangle
    is_pair = is_apart & (is_edges | (other[FEATURE_NUMBER] >= 0))
    if n < end:
        second, fourth = ti.select(is_edges, first[1], other[0]), ti.select(is_edges, other[1], other[2])
        row = ti.Vector(
            [first[0], second, ti.select(is_edges, other[0], other[1]), fourth, ti.cast(is_edges, ti.i32), 0]
        )
        ground.found.found[n] = row
    return n + ti.cast(is_pair, ti.i32)
