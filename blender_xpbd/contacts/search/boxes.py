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
def point_box(points: ti.template(), window: ti.template(), i):
    """The box of a surface point, the interval sum Σ wⱼ boxⱼ: low and high corner, at the start and at the end.

    At the start, particle j is within its margin of its start; at the end, within its margin of the box from where it
    would come to where it would stay.
    """
    elements, weights = ti.static(points.point_elements, points.point_weights)
    start, end, half, margin = ti.Vector([0.0] * 3), ti.Vector([0.0] * 3), ti.Vector([0.0] * 3), 0.0
    for j in ti.static(range(4)):
        if weights[i, j] != 0.0:
            own, weight = window.window_starts[elements[i, j]], weights[i, j]
            come, stay = window.window_ends[elements[i, j]].xyz, window.window_stays[elements[i, j]].xyz
            start += weight * own.xyz
            end += weight * (0.5 * (come + stay))
            half += ti.abs(weight) * (0.5 * ti.abs(come - stay))
            margin += ti.abs(weight) * own[3]
    low, high = ti.Vector([0.0] * 6, ti.f32), ti.Vector([0.0] * 6, ti.f32)
    for k in ti.static(range(6)):
        middle, reach = start[k % 3], margin
        if ti.static(k >= 3):
            middle, reach = end[k % 3], margin + half[k % 3]
        reach += ti.abs(middle) * OUTWARD
        low[k], high[k] = ti.cast(middle - reach, ti.f32), ti.cast(middle + reach, ti.f32)
    return low, high


@ti.func
def read_box(boxes: ti.template(), i):
    """Low corners of a box at the start and at the end, then high ones."""
    low, high = ti.Vector([0.0] * 6, ti.f32), ti.Vector([0.0] * 6, ti.f32)
    for k in ti.static(range(6)):
        low[k], high[k] = boxes[i, k + 3 * (k // 3)], boxes[i, k + 3 * (k // 3) + 3]
    return low, high


@ti.func
def write_box(boxes: ti.template(), i, low, high):
    """The inverse of ``read_box``."""
    for k in ti.static(range(6)):
        boxes[i, k + 3 * (k // 3)], boxes[i, k + 3 * (k // 3) + 3] = low[k], high[k]


@ti.func
def unit_normal(a, b, c):
    """The normal of a triangle; 0 where it has none."""
    normal = (b - a).cross(c - a)
    square = normal.dot(normal)
    # of a sliver rounding decides where its normal points
    if square > 1e-8 * (b - a).dot(b - a) * (c - a).dot(c - a):
        normal /= ti.sqrt(square)
    else:
        normal = ti.Vector([0.0, 0.0, 0.0], ti.f32)
    return normal


@ti.func
def fit_leaf(forest: ti.template(), boxes: ti.template(), node, first, last, has_normals):
    """The boxes of a leaf's primitives, of the leaf, and of its normals.

    With 0 among the normals, as edges, points and slivers have it, the leaf is in no cone.
    """
    low, high = ti.Vector([1e30] * 6, ti.f32), ti.Vector([-1e30] * 6, ti.f32)
    least, greatest = ti.Vector([1.0] * 3, ti.f32), ti.Vector([-1.0] * 3, ti.f32)
    corners = ti.static(forest.primitives)
    for p in range(first, last):
        low_a, high_a = read_box(boxes.point_boxes, corners[p, CORNERS])
        low_b, high_b = read_box(boxes.point_boxes, corners[p, CORNERS + 1])
        low_c, high_c = read_box(boxes.point_boxes, corners[p, CORNERS + 2])
        own_low, own_high = ti.min(low_a, low_b, low_c), ti.max(high_a, high_b, high_c)
        write_box(boxes.primitive_boxes, p, own_low, own_high)
        low, high = ti.min(low, own_low), ti.max(high, own_high)
        if has_normals == 1:
            # twice the middles of the boxes
            a, b, c = low_a + high_a, low_b + high_b, low_c + high_c
            start, end = unit_normal(a[0:3], b[0:3], c[0:3]), unit_normal(a[3:6], b[3:6], c[3:6])
            least, greatest = ti.min(least, start, end), ti.max(greatest, start, end)
    write_box(boxes.node_boxes, node, low, high)
    if has_normals == 1:
        write_normals(boxes.node_normals, node, least, greatest)


@ti.func
def write_normals(normals: ti.template(), node, least, greatest):
    """The box of the normals of a node."""
    for k in ti.static(range(3)):
        normals[node, k], normals[node, 3 + k] = least[k], greatest[k]


@ti.func
def join_children(boxes: ti.template(), node, left, has_normals):
    """The box of a node of two children, and that of its normals."""
    low, high = read_box(boxes.node_boxes, left)
    other_low, other_high = read_box(boxes.node_boxes, left + 1)
    write_box(boxes.node_boxes, node, ti.min(low, other_low), ti.max(high, other_high))
    if has_normals == 1:
        normals = ti.static(boxes.node_normals)
        for k in ti.static(range(3)):
            normals[node, k] = ti.min(normals[left, k], normals[left + 1, k])
            normals[node, 3 + k] = ti.max(normals[left, 3 + k], normals[left + 1, 3 + k])


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
                low, high = point_box(points, window, i)
                write_box(boxes.point_boxes, i, low, high)
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
        fit_leaf(forest, boxes, node + leaf, first, last, forest.tree_headers[tree, MEETS_ITSELF])


@ti.kernel
def fit_nodes(forest: Forest, boxes: Boxes):
    """Boxes of the nodes above the leaves: a tenth of the time that the leaves take, so by one thread."""
    ti.loop_config(serialize=True)
    for tree in range(forest.tree_headers.shape[0]):
        first = forest.tree_headers[tree, FIRST_NODE]
        inner = (1 << forest.tree_headers[tree, DEPTH]) - 1
        for n in range(inner):
            node = inner - 1 - n
            join_children(boxes, first + node, first + 2 * node + 1, forest.tree_headers[tree, MEETS_ITSELF])
