# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of the tables that contacts read: by task, then in the order of the walk."""

import taichi as ti

from ..pairs.geometry import pair_geometry
from ..pairs.tables import FRICTION, GAP, KIND, PAIR_WIDTH, POINTS, RESTITUTION
from .intersection import place
from .leaves import CANDIDATE_KIND, CANDIDATE_TASK, TOLD_ITEMS

# parts of points
NOBODY, SEVERAL = -1, -2
# column of ``point_elements`` that there is where a mesh was cut or has doubled points, see ``Surfaces.origins``
ORIGIN = 5
# of what is computed in single precision, so that rounding leaves it a lower bound
LESS = 0.999999
# columns of the rows of an item: its first candidate, and how many are kept
FIRST_KEPT, KEPT = range(2)


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


@ti.func
def is_far_at_rest(forest: ti.template(), pair, is_edges, gap):
    """Whether the boxes of the sides of a pair are farther apart at rest than a gap."""
    first, second = place(forest.places, pair[0]), place(forest.places, pair[1])
    third, fourth = place(forest.places, pair[2]), place(forest.places, pair[3])
    low_a, high_a, low_b, high_b = first, first, ti.min(third, fourth), ti.max(third, fourth)
    if is_edges:
        low_a, high_a = ti.min(first, second), ti.max(first, second)
    else:
        low_b, high_b = ti.min(low_b, second), ti.max(high_b, second)
    return ti.max(low_b - high_a, low_a - high_b).max() > gap


@ti.func
def rest_gap(forest: ti.template(), pair, is_edges, gap):
    """The gap that a pair of one object keeps: at most its distance at rest, so that fine meshes may rest."""
    result = gap
    if not is_far_at_rest(forest, pair, is_edges, gap):
        x = ti.Matrix.rows([place(forest.places, pair[k]) for k in ti.static(range(4))])
        a, b, c, d = x[0, :], x[1, :], x[2, :], x[3, :]
        closest = pair_geometry(is_edges, a, b, c, d, ti.Vector([0.0, 0.0, 0.0], ti.f64))
        result = ti.min(gap, ti.cast(closest.distance * LESS, ti.f32))
    return result


@ti.func
def were_one(points: ti.template(), pair, is_edges):
    """Whether the sides of a pair shared a point before their mesh was cut, or do so in one place."""
    origins = ti.Vector([points.point_elements[pair[k], ORIGIN] for k in ti.static(range(4))])
    # the second point is of side a for edges, else of side b
    own, other = ti.select(is_edges, origins[1], origins[0]), ti.select(is_edges, origins[2], origins[1])
    result = (origins[0] == other) | (origins[0] == origins[2]) | (origins[0] == origins[3])
    return result | (own == origins[2]) | (own == origins[3])


@ti.func
def keep_candidates(ground: ti.template(), first, last, gap, part_count, is_of_one):
    """Find the tasks and the gaps of the candidates of an item; returns the end of those that are kept."""
    found = ti.static(ground.found.found)
    kept = first
    may_be_cut = is_of_one and ground.points.point_elements.shape[1] > ORIGIN
    for n in range(first, last):
        row = found[n]
        is_kept = True
        if may_be_cut:
            is_kept = not were_one(ground.points, row, row[CANDIDATE_KIND] == 1)
        if is_kept:
            own_gap = gap
            if is_of_one:
                own_gap = rest_gap(ground.forest, row, row[CANDIDATE_KIND] == 1, gap)
            row[CANDIDATE_TASK] = task_of(ground.points, row, part_count)
            found[kept] = row
            ground.found.found_gaps[kept] = own_gap
            kept += 1
    return kept


@ti.func
def place_items(work: ti.template(), found: ti.template(), listed: ti.template()):
    """Count the pairs of each task, and put its place into each candidate that is kept."""
    starts = ti.static(listed.task_starts)
    for task in range(starts.shape[0]):
        starts[task] = 0
    for item in range(work.told[TOLD_ITEMS]):
        rows = work.item_rows[item]
        for n in range(rows[FIRST_KEPT], rows[FIRST_KEPT] + rows[KEPT]):
            starts[found.found[n][CANDIDATE_TASK] + 1] += 1
    for task in range(1, starts.shape[0]):
        starts[task] += starts[task - 1]
    for item in range(work.told[TOLD_ITEMS]):
        rows = work.item_rows[item]
        for n in range(rows[FIRST_KEPT], rows[FIRST_KEPT] + rows[KEPT]):
            task = found.found[n][CANDIDATE_TASK]
            found.found[n][CANDIDATE_TASK] = starts[task]
            starts[task] += 1
    # each start has gone on to the next one
    for n in range(starts.shape[0] - 1):
        task = starts.shape[0] - 1 - n
        starts[task] = starts[task - 1]
    starts[0] = 0


@ti.func
def write_pair(points: ti.template(), found: ti.template(), listed: ti.template(), n):
    """Write the row of a candidate: kind, points, gap, friction, restitution; 0 else."""
    row = found.found[n]
    at, is_edges = row[CANDIDATE_TASK], row[CANDIDATE_KIND] == 1
    listed.pair_ints[at, KIND] = row[CANDIDATE_KIND]
    for k in ti.static(range(4)):
        listed.pair_ints[at, POINTS + k] = row[k]
    for k in ti.static(range(PAIR_WIDTH)):
        listed.pair_floats[at, k] = 0.0
    listed.pair_clearances[at] = 0.0
    frictions = ti.static(points.point_frictions)
    own, other = frictions[row[0]], frictions[row[3]] + frictions[row[2]]
    if is_edges:
        own, other = 0.5 * (own + frictions[row[1]]), 0.5 * other
    else:
        other = (other + frictions[row[1]]) / 3.0
    a, b = points.point_elements[row[0], 4], points.point_elements[row[3], 4]
    listed.pair_floats[at, GAP] = found.found_gaps[n]
    listed.pair_floats[at, FRICTION] = ti.sqrt(own * other)
    listed.pair_floats[at, RESTITUTION] = ti.max(points.object_restitutions[a], points.object_restitutions[b])
