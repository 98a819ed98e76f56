# SPDX-License-Identifier: GPL-3.0-or-later
"""Travelling boxes: of points, of primitives, and of the nodes of trees, fitted from the leaves up.

A travelling box is two boxes, at the start and at the end of a window. What travels evenly from the one to the other is
at each time in the box that is as far on its way. Two of them cannot meet where one axis parts them at both ends on the
same side. Boxes are of single precision, rounded outward.
"""

import taichi as ti

from ...geometry.search.primitives import CORNERS
from ...geometry.search.trees import DEPTH, FIRST_NODE, FIRST_PRIMITIVE, MEETS_ITSELF, PRIMITIVE_COUNT
from .packs import Boxes, Forest, Points, Window

# low and high corner at the start, low and high corner at the end
BOX_WIDTH = 12
# more than a rounding error of single precision, and of an embedded point's sum
OUTWARD = 2.5e-7
# Taichi hands out a parallel loop in pieces of 512 turns at least, so a member of the team is as many
ITEMS_PER_MEMBER = 512


@ti.func
def set_box(boxes: ti.template(), i, low, high, end: ti.template()):
    """Write the box at the start (end = 0) or at the end (1), rounded outward."""
    for k in ti.static(range(3)):
        boxes[i, 6 * end + k] = ti.cast(low[k] - ti.abs(low[k]) * OUTWARD, ti.f32)
        boxes[i, 6 * end + 3 + k] = ti.cast(high[k] + ti.abs(high[k]) * OUTWARD, ti.f32)


@ti.func
def fit_point(points: ti.template(), window: ti.template(), boxes: ti.template(), i):
    """The box of a surface point: the interval sum Σ wⱼ boxⱼ."""
    elements, weights = ti.static(points.point_elements, points.point_weights)
    centre, travel, margin = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0]), 0.0
    for j in ti.static(range(4)):
        if weights[i, j] != 0.0:
            start = window.window_starts[elements[i, j]]
            centre += weights[i, j] * start.xyz
            travel += weights[i, j] * window.window_travels[elements[i, j]].xyz
            margin += ti.abs(weights[i, j]) * start[3]
    set_box(boxes.point_boxes, i, centre - margin, centre + margin, 0)
    set_box(boxes.point_boxes, i, centre + travel - margin, centre + travel + margin, 1)


@ti.func
def join_boxes(target: ti.template(), t, source: ti.template(), a, b, width: ti.template()):
    """The union of two boxes, or of two pairs of them."""
    for half in ti.static(range(width // 6)):
        for k in ti.static(range(3)):
            low, high = ti.static(6 * half + k, 6 * half + 3 + k)
            target[t, low] = ti.min(source[a, low], source[b, low])
            target[t, high] = ti.max(source[a, high], source[b, high])


@ti.func
def widen_box(target: ti.template(), t, source: ti.template(), a, width: ti.template()):
    """Let a box hold another one too."""
    for half in ti.static(range(width // 6)):
        for k in ti.static(range(3)):
            low, high = ti.static(6 * half + k, 6 * half + 3 + k)
            target[t, low] = ti.min(target[t, low], source[a, low])
            target[t, high] = ti.max(target[t, high], source[a, high])


@ti.func
def fit_primitive(forest: ti.template(), boxes: ti.template(), p):
    """The box of a triangle, an edge or a point."""
    corners = ti.static(forest.primitives)
    join_boxes(boxes.primitive_boxes, p, boxes.point_boxes, corners[p, CORNERS], corners[p, CORNERS + 1], BOX_WIDTH)
    widen_box(boxes.primitive_boxes, p, boxes.point_boxes, corners[p, CORNERS + 2], BOX_WIDTH)


@ti.func
def middle(boxes: ti.template(), i, end: ti.template()):
    """Where a point is, as the middle of its box."""
    result = ti.Vector([0.0, 0.0, 0.0], ti.f32)
    for k in ti.static(range(3)):
        result[k] = boxes[i, 6 * end + k] + boxes[i, 6 * end + 3 + k]
    return 0.5 * result


@ti.func
def unit_normal(forest: ti.template(), boxes: ti.template(), p, end: ti.template()):
    """The normal of a primitive; 0 where it has none."""
    corners = ti.static(forest.primitives)
    a = middle(boxes.point_boxes, corners[p, CORNERS], end)
    b = middle(boxes.point_boxes, corners[p, CORNERS + 1], end) - a
    c = middle(boxes.point_boxes, corners[p, CORNERS + 2], end) - a
    normal = b.cross(c)
    square = normal.dot(normal)
    # of a sliver rounding decides where its normal points
    if square > 1e-8 * b.dot(b) * c.dot(c):
        normal /= ti.sqrt(square)
    else:
        normal = ti.Vector([0.0, 0.0, 0.0], ti.f32)
    return normal


@ti.func
def fit_leaf_box(boxes: ti.template(), node, first, last):
    """The box of a leaf."""
    for k in ti.static(range(BOX_WIDTH)):
        boxes.node_boxes[node, k] = boxes.primitive_boxes[first, k]
    for p in range(first + 1, last):
        widen_box(boxes.node_boxes, node, boxes.primitive_boxes, p, BOX_WIDTH)


@ti.func
def fit_leaf_normals(forest: ti.template(), boxes: ti.template(), node, first, last):
    """The box of a leaf's normals; with 0 in it, as edges, points and slivers have it, it is in no cone."""
    low, high = ti.Vector([1.0, 1.0, 1.0], ti.f32), ti.Vector([-1.0, -1.0, -1.0], ti.f32)
    for p in range(first, last):
        for end in ti.static(range(2)):
            normal = unit_normal(forest, boxes, p, end)
            low, high = ti.min(low, normal), ti.max(high, normal)
    for k in ti.static(range(3)):
        boxes.node_normals[node, k], boxes.node_normals[node, 3 + k] = low[k], high[k]


@ti.func
def leaf_start(forest: ti.template(), tree, leaf):
    """First primitive of a leaf of a tree, counted from its leftmost one."""
    headers = ti.static(forest.tree_headers)
    before = (ti.cast(headers[tree, PRIMITIVE_COUNT], ti.i64) * leaf) >> headers[tree, DEPTH]
    return headers[tree, FIRST_PRIMITIVE] + ti.cast(before, ti.i32)


@ti.func
def share_of(count, member, team_size):
    """Where the share of a member of the team begins."""
    return ti.cast(ti.cast(count, ti.i64) * member // team_size, ti.i32)


@ti.kernel
def fit_boxes(forest: Forest, points: Points, window: Window, boxes: Boxes, team_size: ti.i32):
    """Boxes of all points and primitives, and of the leaves of all trees."""
    for item in range(team_size * ITEMS_PER_MEMBER):
        if item % ITEMS_PER_MEMBER == 0:
            member, count = item // ITEMS_PER_MEMBER, points.point_elements.shape[0]
            for i in range(share_of(count, member, team_size), share_of(count, member + 1, team_size)):
                fit_point(points, window, boxes, i)
    for item in range(team_size * ITEMS_PER_MEMBER):
        if item % ITEMS_PER_MEMBER == 0:
            member = item // ITEMS_PER_MEMBER
            for tree in range(forest.tree_headers.shape[0]):
                if forest.tree_headers[tree, PRIMITIVE_COUNT] > 0:
                    fit_leaves(forest, boxes, tree, member, team_size)


@ti.func
def fit_leaves(forest: ti.template(), boxes: ti.template(), tree, member, team_size):
    """One member's share of the leaves of a tree."""
    leaves = 1 << forest.tree_headers[tree, DEPTH]
    node = forest.tree_headers[tree, FIRST_NODE] + leaves - 1
    for leaf in range(share_of(leaves, member, team_size), share_of(leaves, member + 1, team_size)):
        first, last = leaf_start(forest, tree, leaf), leaf_start(forest, tree, leaf + 1)
        for p in range(first, last):
            fit_primitive(forest, boxes, p)
        fit_leaf_box(boxes, node + leaf, first, last)
        if forest.tree_headers[tree, MEETS_ITSELF] == 1:
            fit_leaf_normals(forest, boxes, node + leaf, first, last)


@ti.kernel
def fit_nodes(forest: Forest, boxes: Boxes):
    """Boxes of the nodes above the leaves: a tenth of the time that the leaves take, so by one thread."""
    ti.loop_config(serialize=True)
    for tree in range(forest.tree_headers.shape[0]):
        first = forest.tree_headers[tree, FIRST_NODE]
        inner = (1 << forest.tree_headers[tree, DEPTH]) - 1
        for n in range(inner):
            node = inner - 1 - n
            left = first + 2 * node + 1
            join_boxes(boxes.node_boxes, first + node, boxes.node_boxes, left, left + 1, BOX_WIDTH)
            if forest.tree_headers[tree, MEETS_ITSELF] == 1:
                join_boxes(boxes.node_normals, first + node, boxes.node_normals, left, left + 1, 6)
