# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees against trees, and against themselves: pairs of nodes, down to pairs of primitives.

The pairs to begin with are opened breadth first until there are enough to share out; then each is walked depth first.
Each member of the team writes what it finds to rows of its own, and goes on counting where they do not suffice. Which
pairs there are does not depend on threads; their order does, until they are sorted.
"""

import taichi as ti

from ...geometry.search.flat_nodes import CONE_COSINE
from ...geometry.search.trees import DEPTH, FIRST_NODE
from .boxes import ITEMS_PER_MEMBER, leaf_start
from .features import CROSSINGS, crossing_pairs, near_pairs, overlap
from .packs import Boxes, Forest, Found, Ground, Points, Work

# columns of work: tree and node of both sides; equal ones are a node against itself
TREE_A, NODE_A, TREE_B, NODE_B = range(4)
WORK_WIDTH = 4
# pairs of nodes to share out
LEAST_ITEMS = 256
# pairs of nodes that a walk keeps at most: four for each level of two trees
STACK = 256
# about 200 bytes each: more are no contact but a heap of points in one place
MOST_PAIRS = 50_000_000


@ti.func
def is_left_out(forest: ti.template(), boxes: ti.template(), tree, node):
    """Whether a node cannot meet itself: it is flat at rest, and its normals lie in a cone now."""
    row = forest.tree_headers[tree, FIRST_NODE] + node
    result = False
    if forest.is_flat[row] == 1:
        low, high = ti.Vector([0.0, 0.0, 0.0], ti.f32), ti.Vector([0.0, 0.0, 0.0], ti.f32)
        for k in ti.static(range(3)):
            low[k], high[k] = boxes.node_normals[row, k], boxes.node_normals[row, 3 + k]
        axis = low + high
        least = ti.min(low * axis, high * axis).sum()
        result = least > CONE_COSINE * axis.norm()
    return result


@ti.func
def nodes_overlap(forest: ti.template(), boxes: ti.template(), first, node_a, other, node_b, gap):
    """Whether the boxes of two nodes may come nearer than a gap."""
    a, b = forest.tree_headers[first, FIRST_NODE] + node_a, forest.tree_headers[other, FIRST_NODE] + node_b
    return overlap(boxes.node_boxes, a, boxes.node_boxes, b, gap)


@ti.func
def put(rows: ti.template(), n, pair):
    """Write a row of four."""
    for k in ti.static(range(WORK_WIDTH)):
        rows[n, k] = pair[k]
    return n + 1


@ti.func
def open_pair(forest: ti.template(), boxes: ti.template(), rows: ti.template(), n, pair, gap, mode: ti.template()):
    """Write the pairs that the children of a pair of nodes make, or the pair itself where both are leaves.

    Returns:
        n and as many more.
    """
    a, b = pair[TREE_A], pair[TREE_B]
    if a == b and pair[NODE_A] == pair[NODE_B]:
        if mode == CROSSINGS or not is_left_out(forest, boxes, a, pair[NODE_A]):
            if is_leaf(forest, a, pair[NODE_A]):
                n = put(rows, n, pair)
            else:
                left = 2 * pair[NODE_A] + 1
                n = put(rows, n, ti.Vector([a, left, a, left]))
                n = put(rows, n, ti.Vector([a, left + 1, a, left + 1]))
                if nodes_overlap(forest, boxes, a, left, a, left + 1, gap):
                    n = put(rows, n, ti.Vector([a, left, a, left + 1]))
    else:
        is_closed_a, is_closed_b = is_leaf(forest, a, pair[NODE_A]), is_leaf(forest, b, pair[NODE_B])
        if is_closed_a and is_closed_b:
            n = put(rows, n, pair)
        else:
            for k in range(1 if is_closed_a else 2):
                for j in range(1 if is_closed_b else 2):
                    node_a = pair[NODE_A] if is_closed_a else 2 * pair[NODE_A] + 1 + k
                    node_b = pair[NODE_B] if is_closed_b else 2 * pair[NODE_B] + 1 + j
                    if nodes_overlap(forest, boxes, a, node_a, b, node_b, gap):
                        n = put(rows, n, ti.Vector([a, node_a, b, node_b]))
    return n


@ti.func
def is_leaf(forest: ti.template(), tree, node):
    """Whether a node of a tree has no children."""
    return node >= (1 << forest.tree_headers[tree, DEPTH]) - 1


@ti.func
def is_closed(forest: ti.template(), pair):
    """Whether both nodes of a pair are leaves."""
    return is_leaf(forest, pair[TREE_A], pair[NODE_A]) and is_leaf(forest, pair[TREE_B], pair[NODE_B])


@ti.func
def row_of(rows: ti.template(), n):
    """A row of four."""
    return ti.Vector([rows[n, 0], rows[n, 1], rows[n, 2], rows[n, 3]])


@ti.func
def gap_of(points: ti.template(), pair):
    """The gap that two objects keep, and a rounding error more."""
    return points.object_gaps[pair[TREE_A], pair[TREE_B]] * ti.cast(1.000001, ti.f32)


@ti.func
def test_leaves(ground: ti.template(), pair, gap, n, end, mode: ti.template()):
    """All pairs of primitives of two leaves, or of one with itself."""
    headers, boxes = ti.static(ground.forest.tree_headers, ground.boxes.primitive_boxes)
    leaf_a = pair[NODE_A] + 1 - (1 << headers[pair[TREE_A], DEPTH])
    leaf_b = pair[NODE_B] + 1 - (1 << headers[pair[TREE_B], DEPTH])
    is_self = pair[TREE_A] == pair[TREE_B] and leaf_a == leaf_b
    first, last = leaf_start(ground.forest, pair[TREE_B], leaf_b), leaf_start(ground.forest, pair[TREE_B], leaf_b + 1)
    for a in range(
        leaf_start(ground.forest, pair[TREE_A], leaf_a), leaf_start(ground.forest, pair[TREE_A], leaf_a + 1)
    ):
        for b in range(a + 1 if is_self else first, last):
            if overlap(boxes, a, boxes, b, gap):
                sides = ti.Vector([a, b])
                if ti.static(mode == CROSSINGS):
                    n = crossing_pairs(ground, sides, n, end)
                else:
                    n = near_pairs(ground, sides, gap, n, end)
    return n


@ti.func
def first_row(found: ti.template(), member):
    """The first row that a member of the team writes what it finds to."""
    return found.found.shape[0] // found.member_counts.shape[0] * member


@ti.func
def walk_pair(ground: ti.template(), stacks: ti.template(), bottom, pair, gap, n, end, mode: ti.template()):
    """Walk all that two nodes hold, with a stack from row ``bottom`` on; returns n and as many more."""
    top, most = put(stacks, bottom, pair), n + MOST_PAIRS
    while top > bottom and n <= most:
        top -= 1
        pair_now = row_of(stacks, top)
        if is_closed(ground.forest, pair_now):
            is_out = False
            if ti.static(mode != CROSSINGS):
                if pair_now[TREE_A] == pair_now[TREE_B] and pair_now[NODE_A] == pair_now[NODE_B]:
                    is_out = is_left_out(ground.forest, ground.boxes, pair_now[TREE_A], pair_now[NODE_A])
            if not is_out:
                n = test_leaves(ground, pair_now, gap, n, end, mode)
        else:
            top = open_pair(ground.forest, ground.boxes, stacks, top, pair_now, gap, mode)
    return n


@ti.kernel
def open_items(forest: Forest, points: Points, boxes: Boxes, work: Work, mode: ti.template()):
    """Open the pairs of nodes to begin with until there are enough, or nothing but leaves; roots that overlap stay."""
    ti.loop_config(serialize=True)
    for _ in range(1):
        count, is_open = work.item_counts[0], True
        while is_open:
            kept = 0
            is_open = False
            for n in range(count):
                pair = row_of(work.node_pairs, n)
                kept = open_pair(forest, boxes, work.next_node_pairs, kept, pair, gap_of(points, pair), mode)
                is_open = is_open or not is_closed(forest, pair)
            for n in range(kept):
                put(work.node_pairs, n, row_of(work.next_node_pairs, n))
            count = kept
            is_open = is_open and count < LEAST_ITEMS and 4 * count <= work.node_pairs.shape[0]
        work.item_counts[0] = count


@ti.kernel
def walk_items(
    forest: Forest,
    points: Points,
    boxes: Boxes,
    work: Work,
    found: Found,
    team_size: ti.i32,
    mode: ti.template(),
):
    """Write what each item holds, and count it; a team takes items in turn."""
    ground = ti.static(Ground(forest, boxes, found))
    for item in range(team_size * ITEMS_PER_MEMBER):
        if item % ITEMS_PER_MEMBER == 0:
            member = item // ITEMS_PER_MEMBER
            first = first_row(found, member)
            last, turn = first, member
            while turn < work.item_counts[0]:
                pair, before = row_of(work.node_pairs, turn), last
                gap, end = gap_of(points, pair), first_row(found, member + 1)
                if last - first <= MOST_PAIRS:
                    last = walk_pair(ground, work.stacks, member * STACK, pair, gap, last, end, mode)
                work.found_counts[turn] = last - before
                turn += team_size
            found.member_counts[member] = last - first
