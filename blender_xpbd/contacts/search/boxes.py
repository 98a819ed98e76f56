# SPDX-License-Identifier: GPL-3.0-or-later
"""Travelling boxes: of points, and of the nodes of trees, fitted from the leaves up.

A travelling box is two boxes, at the start and at the end of a substep. What travels evenly from the one to the other
is at each time in the box that is as far on its way. Two of them cannot meet where one axis parts them at both ends on
the same side. Boxes are of single precision, rounded outward.

A row holds the low corners at the start and at the end, then the high ones times −1: so the box around two others is
the lesser of each number, and one row's low corners plus another's high ones are the ways between them.
"""

import taichi as ti

from ...geometry.search.headers import DEPTH, FIRST_NODE, MEETS_ITSELF, PRIMITIVE_COUNT
from ...geometry.search.leaf_contents import CORNERS_BEGIN, CORNERS_END, POINTS, TRIANGLES

BOX_WIDTH = 12
# what a stay has as its fourth number where a box is as wide at the start as at the end
WIDE_AT_BOTH = -1.0
# more than a rounding error of single precision, and of an embedded point's sum
OUTWARD = 5e-7
# a triangle is not asked whether it turns over whose corners go less than this many times its height in a substep.
# Chosen by trying: below, cloth that swings lists all of itself (docs/experiments.md, Flat pieces that are squeezed)
STAYING = 2.0
# Taichi hands out a parallel loop in pieces of 512 turns at least, so a member of the team is as many
ITEMS_PER_MEMBER = 512


@ti.func
def lesser(a, b):
    """The lesser of each two numbers; that of ``a`` where one is not a number."""
    return ti.select(b < a, b, a)


@ti.func
def overlap(a, b, gap):
    """1 where two travelling boxes may come nearer than a gap, else 0, as where one is not a number."""
    below, above = b[0:6] + a[6:12], a[0:6] + b[6:12]
    low, high = lesser(below[0:3], below[3:6]), lesser(above[0:3], above[3:6])
    near = (low[0] <= gap) & (low[1] <= gap) & (low[2] <= gap)
    return ti.cast(near & (high[0] <= gap) & (high[1] <= gap) & (high[2] <= gap), ti.i32)


@ti.func
def fit_point(points: ti.template(), window: ti.template(), boxes: ti.template(), i):
    """The box of a surface point, the interval sum Σ wⱼ boxⱼ; where it starts, would come, and would stay.

    At the start, particle j is within its margin of its start; at the end, within its margin of the box from where it
    would come to where it would stay. A box that is ``WIDE_AT_BOTH`` is as wide at the start.
    """
    elements, weights = ti.static(points.point_elements, points.point_weights)
    start, end, half, margin = ti.Vector([0.0] * 3), ti.Vector([0.0] * 3), ti.Vector([0.0] * 3), 0.0
    come, stayed, half_before = start, start, start
    for j in range(1 if weights[i, 0] == 1.0 else 4):
        weight, particle = weights[i, j], elements[i, j]
        if weight != 0.0:
            own, last, stay = (
                window.window_starts[particle],
                window.window_ends[particle],
                window.window_stays[particle],
            )
            start += weight * own.xyz
            come += weight * last.xyz
            stayed += weight * stay.xyz
            end += weight * (0.5 * (last.xyz + stay.xyz))
            own_half = ti.abs(weight) * (0.5 * ti.abs(last.xyz - stay.xyz))
            half += own_half
            if stay[3] == WIDE_AT_BOTH:
                half_before += own_half
            margin += ti.abs(weight) * own[3]
    box, place = ti.Vector([0.0] * 12, ti.f32), ti.Vector([0.0] * 9, ti.f32)
    for k in ti.static(range(3)):
        reach = margin + half_before[k] + ti.abs(start[k]) * OUTWARD
        box[k], box[6 + k] = ti.cast(start[k] - reach, ti.f32), ti.cast(-start[k] - reach, ti.f32)
        reach = margin + half[k] + ti.abs(end[k]) * OUTWARD
        box[3 + k], box[9 + k] = ti.cast(end[k] - reach, ti.f32), ti.cast(-end[k] - reach, ti.f32)
        place[k], place[3 + k] = ti.cast(start[k], ti.f32), ti.cast(come[k], ti.f32)
        place[6 + k] = ti.cast(stayed[k], ti.f32)
    boxes.point_boxes[i], boxes.point_places[i] = box, place


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
def may_turn_over(a, b, c, box_a, box_b, box_c):
    """Whether a triangle may lie the other way round when the substep ends, seen along its normal at the start.

    The truncation ends each corner anywhere in its box. Of the area vector along that normal, the least that is left is
    that of the boxes' centres, less what their halves take from it to first and second order. What all but stays where
    it would is not asked: the margin for pushes alone would make every fine mesh turn over.

    Args:
        a: places of a corner, as ``fit_point`` has them.
        b: of the second.
        c: of the third.
        box_a: box of the first corner.
        box_b: of the second.
        box_c: of the third.
    """
    result = False
    area = (b[0:3] - a[0:3]).cross(c[0:3] - a[0:3])
    ways = ti.max((a[3:6] - a[6:9]).norm_sqr(), (b[3:6] - b[6:9]).norm_sqr(), (c[3:6] - c[6:9]).norm_sqr())
    sides = ti.max((b[0:3] - a[0:3]).norm_sqr(), (c[0:3] - b[0:3]).norm_sqr(), (a[0:3] - c[0:3]).norm_sqr())
    # of the height over the longest side
    if ways * sides >= STAYING**2 * area.norm_sqr():
        half_a, half_b = -0.5 * (box_a[3:6] + box_a[9:12]), -0.5 * (box_b[3:6] + box_b[9:12])
        half_c = -0.5 * (box_c[3:6] + box_c[9:12])
        first, second = 0.5 * (box_a[3:6] - box_a[9:12]), 0.5 * (box_b[3:6] - box_b[9:12])
        third = 0.5 * (box_c[3:6] - box_c[9:12])
        least = area.dot((second - first).cross(third - first))
        least -= ti.abs(area.cross(third - second)).dot(half_a) + ti.abs(area.cross(third - first)).dot(half_b)
        least -= ti.abs(area.cross(second - first)).dot(half_c)
        product = half_a.norm() * (half_b.norm() + half_c.norm()) + half_b.norm() * half_c.norm()
        result = not (least > area.norm() * product)
    return result


@ti.func
def fit_leaf(forest: ti.template(), boxes: ti.template(), node, has_normals):
    """The box of a leaf, and that of its normals.

    With 0 among the normals, as edges, points, slivers and what may turn over have it, the leaf is in no cone.
    """
    leaf = forest.leaf_rows[node]
    box = ti.Vector([1e30] * 12, ti.f32)
    for n in range(leaf[CORNERS_BEGIN], leaf[CORNERS_END]):
        box = lesser(box, boxes.point_boxes[forest.leaf_points[n]])
    boxes.node_boxes[node] = box
    if has_normals == 1:
        least = ti.Vector([1.0] * 6, ti.f32)
        for f in range(leaf[TRIANGLES], leaf[POINTS]):
            row = forest.features[f]
            a, b, c = boxes.point_places[row[0]], boxes.point_places[row[1]], boxes.point_places[row[2]]
            corners = ti.static(boxes.point_boxes)
            turns_over = may_turn_over(a, b, c, corners[row[0]], corners[row[1]], corners[row[2]])
            for n in range(2):
                normal = unit_normal(a[0:3], b[0:3], c[0:3])
                if turns_over:
                    normal = ti.Vector([0.0, 0.0, 0.0], ti.f32)
                for k in ti.static(range(3)):
                    least[k] = ti.select(normal[k] < least[k], normal[k], least[k])
                    least[3 + k] = ti.select(-normal[k] < least[3 + k], -normal[k], least[3 + k])
                if n == 0:
                    for k in ti.static(range(3)):
                        a[k], b[k], c[k] = a[3 + k], b[3 + k], c[3 + k]
        boxes.node_normals[node] = least


@ti.func
def share_of(count, member, team_size):
    """Where the share of a member of the team begins."""
    return ti.cast(ti.cast(count, ti.i64) * member // team_size, ti.i32)


@ti.func
def fit_leaves(forest: ti.template(), boxes: ti.template(), tree, member, team_size):
    """One member's share of the leaves of a tree."""
    leaves = 1 << forest.tree_headers[tree, DEPTH]
    node = forest.tree_headers[tree, FIRST_NODE] + leaves - 1
    for leaf in range(share_of(leaves, member, team_size), share_of(leaves, member + 1, team_size)):
        fit_leaf(forest, boxes, node + leaf, forest.tree_headers[tree, MEETS_ITSELF])


@ti.func
def fit_nodes(forest: ti.template(), boxes: ti.template()):
    """Boxes of the nodes above the leaves, and of their normals."""
    for tree in range(forest.tree_headers.shape[0]):
        first = forest.tree_headers[tree, FIRST_NODE]
        inner = (1 << forest.tree_headers[tree, DEPTH]) - 1
        has_normals = forest.tree_headers[tree, MEETS_ITSELF]
        for n in range(inner if forest.tree_headers[tree, PRIMITIVE_COUNT] > 0 else 0):
            node = first + inner - 1 - n
            left = first + 2 * (inner - 1 - n) + 1
            boxes.node_boxes[node] = lesser(boxes.node_boxes[left], boxes.node_boxes[left + 1])
            if has_normals == 1:
                boxes.node_normals[node] = lesser(boxes.node_normals[left], boxes.node_normals[left + 1])
