# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees against trees, and against themselves: pairs of nodes, down to pairs of leaves.

The pairs to begin with are opened breadth first until there are enough to share out; then each is walked depth first.
What an item holds is written in the order of the walk. So boxes alone decide the order of all pairs, not threads.
"""

import taichi as ti

from ...geometry.search.flat_pairs import CONE_COSINE, FLAT_PAIR_WIDTH
from ...geometry.search.headers import DEPTH, FIRST_NODE
from .boxes import lesser, overlap
from .leaves import test_leaves

# columns of a pair of nodes: their rows, equal ones for a node against itself, and the row of ``roots``
NODE_A, NODE_B, ROOT = range(3)
# pairs of nodes to share out
LEAST_ITEMS = 64
# pairs of nodes that a walk keeps at most: four for each level of two trees
STACK = 256
# columns of a frame: first node of a tree, and how many nodes are above its leaves, of both sides
FIRST_A, INNER_A, FIRST_B, INNER_B = range(4)


@ti.func
def is_in_cone(normals):
    """Whether all normals of a box of normals lie in a cone."""
    axis = normals[0:3] - normals[3:6]
    least = lesser(normals[0:3] * axis, -normals[3:6] * axis).sum()
    return least > CONE_COSINE * axis.norm()


@ti.func
def is_left_out(forest: ti.template(), boxes: ti.template(), node):
    """Whether a node cannot meet itself: it is flat at rest, and its normals lie in a cone now."""
    result = False
    if forest.is_flat[node] == 1:
        result = is_in_cone(boxes.node_normals[node])
    return result


@ti.func
def frame_of(forest: ti.template(), work: ti.template(), root):
    """Where the nodes of two trees are."""
    a, b = work.roots[root, 0], work.roots[root, 1]
    headers = ti.static(forest.tree_headers)
    inner_a, inner_b = (1 << headers[a, DEPTH]) - 1, (1 << headers[b, DEPTH]) - 1
    return ti.Vector([headers[a, FIRST_NODE], inner_a, headers[b, FIRST_NODE], inner_b])


@ti.func
def gap_of(points: ti.template(), work: ti.template(), root):
    """The gap that two objects keep, and a rounding error more."""
    return points.object_gaps[work.roots[root, 0], work.roots[root, 1]] * ti.cast(1.000001, ti.f32)


@ti.func
def children_of(node, first, inner):
    """The first child of a node and how many it has; itself where it is a leaf."""
    is_open = node - first < inner
    return ti.select(is_open, 2 * node - first + 1, node), ti.select(is_open, 2, 1)


@ti.func
def may_meet(ground: ti.template(), a, b, is_self, gap):
    """1 where two nodes are to be walked against each other, else 0; each two nodes of one tree only once."""
    is_near = overlap(ground.boxes.node_boxes[a], ground.boxes.node_boxes[b], gap)
    return is_near & ti.cast(not (is_self and a > b), ti.i32)


@ti.func
def is_certain(ground: ti.template(), a, b, is_self):
    """Whether the normals of two nodes of one tree, or of one and itself, tell that they cannot meet."""
    result = False
    if a == b:
        result = is_left_out(ground.forest, ground.boxes, a)
    elif is_self:
        result = are_left_out(ground.forest, ground.boxes, a, b)
    return result


@ti.func
def are_left_out(forest: ti.template(), boxes: ti.template(), a, b):
    """Whether two nodes cannot meet each other: they are one flat piece at rest, and in one cone now."""
    result = False
    for n in range(forest.flat_starts[a], forest.flat_starts[a + 1]):
        pair = forest.flat_pairs[n]
        if pair[1] == b:
            normals = lesser(boxes.node_normals[a], boxes.node_normals[b])
            for k in ti.static(range(2, FLAT_PAIR_WIDTH)):
                if pair[k] >= 0:
                    normals = lesser(normals, boxes.node_normals[pair[k]])
            result = is_in_cone(normals)
    return result


@ti.func
def open_items(ground: ti.template()):
    """Open the pairs of trees until there are enough pairs of nodes or only leaves; tells how many there are."""
    count, is_open = ground.work.roots.shape[0], True
    for n in range(count):
        first_a = ground.forest.tree_headers[ground.work.roots[n, 0], FIRST_NODE]
        first_b = ground.forest.tree_headers[ground.work.roots[n, 1], FIRST_NODE]
        ground.work.node_pairs[n] = ti.Vector([first_a, first_b, n, 0])
    while is_open:
        kept = 0
        is_open = False
        for n in range(count):
            pair = ground.work.node_pairs[n]
            frame = frame_of(ground.forest, ground.work, pair[ROOT])
            first_a, count_a = children_of(pair[NODE_A], frame[FIRST_A], frame[INNER_A])
            first_b, count_b = children_of(pair[NODE_B], frame[FIRST_B], frame[INNER_B])
            gap, is_self = gap_of(ground.points, ground.work, pair[ROOT]), frame[FIRST_A] == frame[FIRST_B]
            if not is_certain(ground, pair[NODE_A], pair[NODE_B], is_self):
                for k in range(count_a * count_b):
                    a, b = first_a + (k >> (count_b - 1)), first_b + (k & (count_b - 1))
                    ground.work.next_node_pairs[kept] = ti.Vector([a, b, pair[ROOT], 0])
                    kept += may_meet(ground, a, b, is_self, gap)
                is_open = is_open or count_a * count_b > 1
        for n in range(kept):
            ground.work.node_pairs[n] = ground.work.next_node_pairs[n]
        count = kept
        is_open = is_open and count < LEAST_ITEMS and 4 * count < ground.work.node_pairs.shape[0]
    return count


@ti.func
def walk_item(ground: ti.template(), item, turn, n, end, mode):
    """Walk all that an item holds; writes candidates from row ``n`` on, before row ``end``.

    Returns:
        n and as many more as there are.
    """
    stacks = ti.static(ground.work.stacks)
    pair = ground.work.node_pairs[item]
    frame = frame_of(ground.forest, ground.work, pair[ROOT])
    gap, is_self = gap_of(ground.points, ground.work, pair[ROOT]), frame[FIRST_A] == frame[FIRST_B]
    bottom = 2 * STACK * turn[0]
    stacks[bottom], stacks[bottom + 1] = pair[NODE_A], pair[NODE_B]
    top = bottom + 2
    while top > bottom:
        top -= 2
        node_a, node_b = stacks[top], stacks[top + 1]
        if not is_certain(ground, node_a, node_b, is_self):
            first_a, count_a = children_of(node_a, frame[FIRST_A], frame[INNER_A])
            first_b, count_b = children_of(node_b, frame[FIRST_B], frame[INNER_B])
            if count_a * count_b == 1:
                n = test_leaves(ground, ti.Vector([node_a, node_b]), turn, gap, n, end, mode)
            else:
                for k in range(count_a * count_b):
                    a, b = first_a + (k >> (count_b - 1)), first_b + (k & (count_b - 1))
                    stacks[top], stacks[top + 1] = a, b
                    top += 2 * may_meet(ground, a, b, is_self, gap)
    return n
