# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs by task, kind and numbers: counting sorts, and rows of the tables that contacts read."""

import taichi as ti

from ..pairs.geometry import pair_geometry
from ..pairs.tables import (
    EDGE_EDGE,
    FRICTION,
    GAP,
    KIND,
    PAIR_WIDTH,
    POINTS,
    RESTITUTION,
    VERTEX_TRIANGLE,
)
from .boxes import ITEMS_PER_MEMBER, share_of
from .intersection import place
from .packs import Forest, Found, Pairs, Points, Sorted
from .walk import first_row

# columns of sorted pairs
BUCKET, OTHER, TASK = range(3)
SORTED_WIDTH = 3
# parts of points
NOBODY, SEVERAL = -1, -2


@ti.func
def sort_bucket(rows: ti.template(), first, last):
    """Sort the pairs of one bucket by their other number; there are few of them."""
    for n in range(first + 1, last):
        other, m = rows[n, OTHER], n
        while m > first and rows[ti.max(m - 1, first), OTHER] > other:
            rows[m, OTHER] = rows[m - 1, OTHER]
            m -= 1
        rows[m, OTHER] = other


@ti.kernel
def sort_pairs(found: Found, result: Sorted):
    """Sort what the walk found by bucket, and then by the other number."""
    starts, rows = ti.static(result.bucket_starts, result.sorted_pairs)
    bucket_count = starts.shape[0] - 2
    ti.loop_config(serialize=True)
    for bucket in range(bucket_count + 2):
        starts[bucket] = 0
    ti.loop_config(serialize=True)
    for member in range(found.member_counts.shape[0]):
        first = first_row(found, member)
        for n in range(first, first + found.member_counts[member]):
            starts[found.found[n, 0] + 2] += 1
    ti.loop_config(serialize=True)
    for bucket in range(bucket_count):
        starts[bucket + 2] += starts[bucket + 1]
    ti.loop_config(serialize=True)
    for member in range(found.member_counts.shape[0]):
        first = first_row(found, member)
        for n in range(first, first + found.member_counts[member]):
            bucket = found.found[n, 0]
            at = starts[bucket + 1]
            starts[bucket + 1] = at + 1
            rows[at, BUCKET], rows[at, OTHER] = bucket, found.found[n, 1]
    ti.loop_config(serialize=True)
    for bucket in range(bucket_count):
        sort_bucket(rows, starts[bucket], starts[bucket + 1])


@ti.func
def points_of_pair(forest: ti.template(), points: ti.template(), rows: ti.template(), n):
    """The four surface points of a pair, and whether it is two edges."""
    first, other = rows[n, BUCKET], rows[n, OTHER]
    point_count = points.point_elements.shape[0]
    is_edges = first >= point_count
    result = ti.Vector([first, 0, 0, 0])
    if is_edges:
        edges = ti.static(forest.surface_edges)
        edge = first - point_count
        result = ti.Vector([edges[edge, 0], edges[edge, 1], edges[other, 0], edges[other, 1]])
    else:
        for k in ti.static(range(3)):
            result[k + 1] = forest.surface_triangles[other, k]
    return result, is_edges


@ti.func
def task_of(points: ti.template(), pair, part_count):
    """The part that all particles of a pair belong to which anything moves; else the last task."""
    part = NOBODY
    for k in ti.static(range(4)):
        own = points.point_parts[pair[k]]
        if own != NOBODY:
            if part == NOBODY:
                part = own
            elif part != own:
                part = SEVERAL
    return part if part >= 0 else part_count


@ti.kernel
def place_pairs(forest: Forest, points: Points, result: Sorted, count: ti.i32):
    """Find the task and the place of each pair; within a task their order stays."""
    starts, rows = ti.static(result.task_starts, result.sorted_pairs)
    part_count = starts.shape[0] - 2
    ti.loop_config(serialize=True)
    for task in range(part_count + 2):
        starts[task] = 0
    ti.loop_config(serialize=True)
    for n in range(count):
        pair = points_of_pair(forest, points, rows, n)[0]
        task = task_of(points, pair, part_count)
        rows[n, TASK] = task
        starts[task + 1] += 1
    ti.loop_config(serialize=True)
    for task in range(part_count + 1):
        starts[task + 1] += starts[task]
    ti.loop_config(serialize=True)
    for n in range(count):
        task = rows[n, TASK]
        result.pair_places[n] = starts[task]
        starts[task] += 1
    # each start has gone on to the next one
    ti.loop_config(serialize=True)
    for n in range(part_count + 1):
        task = part_count + 1 - n
        starts[task] = starts[task - 1]
    ti.loop_config(serialize=True)
    for _ in range(1):
        starts[0] = 0


@ti.func
def rest_gap(forest: ti.template(), pair, is_edges, gap):
    """The gap that a pair of one object keeps: at most its distance at rest, so that fine meshes may rest."""
    x = ti.Matrix.rows([place(forest.places, pair[k]) for k in ti.static(range(4))])
    a, b, c, d = x[0, :], x[1, :], x[2, :], x[3, :]
    return ti.min(gap, pair_geometry(is_edges, a, b, c, d, ti.Vector([0.0, 0.0, 0.0], ti.f64)).distance)


@ti.func
def write_pair(forest: ti.template(), points: ti.template(), pairs: ti.template(), pair, is_edges, at):
    """Write a row: kind, points, gap, friction, restitution; 0 else."""
    pairs.pair_ints[at, KIND] = EDGE_EDGE if is_edges else VERTEX_TRIANGLE
    for k in ti.static(range(4)):
        pairs.pair_ints[at, POINTS + k] = pair[k]
    for k in ti.static(range(PAIR_WIDTH)):
        pairs.pair_floats[at, k] = 0.0
    pairs.pair_bounds[at] = 0.0
    a, b = points.point_elements[pair[0], 4], points.point_elements[pair[3], 4]
    gap = ti.cast(points.object_gaps[a, b], float)
    if a == b:
        gap = ti.cast(rest_gap(forest, pair, is_edges, gap), float)
    frictions = ti.static(points.point_frictions)
    own, other = frictions[pair[0]], frictions[pair[3]] + frictions[pair[2]]
    if is_edges:
        own, other = 0.5 * (own + frictions[pair[1]]), 0.5 * other
    else:
        other = (other + frictions[pair[1]]) / 3.0
    pairs.pair_floats[at, GAP] = gap
    pairs.pair_floats[at, FRICTION] = ti.sqrt(own * other)
    pairs.pair_floats[at, RESTITUTION] = ti.max(points.object_restitutions[a], points.object_restitutions[b])


@ti.kernel
def write_pairs(forest: Forest, points: Points, result: Sorted, pairs: Pairs, count: ti.i32, team_size: ti.i32):
    """Write the rows of all pairs, each to its place."""
    for item in range(team_size * ITEMS_PER_MEMBER):
        if item % ITEMS_PER_MEMBER == 0:
            member = item // ITEMS_PER_MEMBER
            for n in range(share_of(count, member, team_size), share_of(count, member + 1, team_size)):
                pair, is_edges = points_of_pair(forest, points, result.sorted_pairs, n)
                write_pair(forest, points, pairs, pair, is_edges, result.pair_places[n])
