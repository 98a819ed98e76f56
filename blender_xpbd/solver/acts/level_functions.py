# SPDX-License-Identifier: GPL-3.0-or-later
"""The cycle over the coarse levels of cloths, once in a substep, between prediction and the first sweep.

Source: Müller 2008, "Hierarchical position based dynamics": restrict to ever coarser levels, then solve from the
coarsest to the finest. Here what a level moves is added to the level below instead of replacing it, and links only
pull: cloth folds between its coarse vertices. The pack ``levels`` is as in ``packs.Levels``; what is
``below`` a level are the vertices of the next finer one, or particles.
"""

import taichi as ti

from ...constraints.constraint import SMALL
from ..order.level_operations import BEGIN, END, LEVEL, NOTE, OPERATION, PULL, RESTRICT, SWEEP
from ..order.level_tables import COMPLIANCE, FIRST_BELOW, FIRST_PARENT, IS_FINEST, TAKEN


@ti.func
def restrict_vertex(levels: ti.template(), below: ti.template(), i):
    """Put a coarse vertex at the centre of mass of what it moves, and note where that is."""
    place = 0.0 * levels.coarse_positions[i]
    for term in range(levels.restriction_starts[i], levels.restriction_starts[i + 1]):
        place += levels.restriction_weights[term] * below[levels.restriction_vertices[term]]
    place[3] = levels.coarse_positions[i][3]
    levels.coarse_positions[i] = place
    levels.coarse_moves[i] = place


@ti.func
def pull_link(levels: ti.template(), k, sweep, alpha_tilde, taken):
    """Shorten a link that is too long: Δλ = −(d − L' + α̃ λ) / (w + α̃), and λ may not push.

    L' is longer than L by what the finer levels will take of it; two states per link keep L' and λ.
    """
    positions, link_states = ti.static(levels.coarse_positions, levels.link_states)
    first, second = levels.links[k, 0], levels.links[k, 1]
    a, b = positions[first], positions[second]
    difference = a - b
    difference[3] = 0.0
    length = difference.norm()
    multiplier, reach = 0.0 * length, 0.0 * length
    if sweep == 0:
        rest = ti.cast(levels.lengths[k], float)
        reach = rest + taken * ti.max(length - rest, 0.0)
        link_states[2 * k] = reach
    else:
        reach = link_states[2 * k]
        multiplier = link_states[2 * k + 1]
    delta = -(length - reach + alpha_tilde * multiplier) / (a[3] + b[3] + alpha_tilde + SMALL)
    delta = ti.min(delta, -multiplier)
    link_states[2 * k + 1] = multiplier + delta
    scale = delta / (length + SMALL)
    positions[first] = a + (scale * a[3]) * difference
    positions[second] = b - (scale * b[3]) * difference


@ti.func
def note_move(levels: ti.template(), i):
    """How far a coarse vertex came."""
    levels.coarse_moves[i] = levels.coarse_positions[i] - levels.coarse_moves[i]


@ti.func
def move_below(levels: ti.template(), below: ti.template(), n, first_below, first_parent):
    """Move a vertex with its parents."""
    parents, weights, moves = ti.static(levels.parents, levels.parent_weights, levels.coarse_moves)
    row = first_parent + n
    i = first_below + n
    below[i] = below[i] + (
        weights[row, 0] * moves[parents[row, 0]]
        + weights[row, 1] * moves[parents[row, 1]]
        + weights[row, 2] * moves[parents[row, 2]]
    )


@ti.func
def operate(levels: ti.template(), finest: ti.template(), order: ti.template(), number, share, shares, inverse_h2):
    """Do one of ``shares`` equal shares of the operation of this number, see ``level_operations``.

    What is below the finest levels is ``finest``: positions of particles. ``inverse_h2`` is 1/h² [1/s²].
    """
    operations, rows = ti.static(order.operations, levels.rows)
    operation, level = operations[number, OPERATION], operations[number, LEVEL]
    first, count = operations[number, BEGIN], operations[number, END] - operations[number, BEGIN]
    begin, end = first + count * share // shares, first + count * (share + 1) // shares
    if operation == RESTRICT:
        if rows[level, IS_FINEST] == 1:
            for i in range(begin, end):
                restrict_vertex(levels, finest, i)
        else:
            for i in range(begin, end):
                restrict_vertex(levels, levels.coarse_positions, i)
    elif operation == PULL:
        for k in range(begin, end):
            pull_link(
                levels,
                k,
                operations[number, SWEEP],
                levels.stiffness[level, COMPLIANCE] * inverse_h2,
                levels.stiffness[level, TAKEN],
            )
    elif operation == NOTE:
        for i in range(begin, end):
            note_move(levels, i)
    else:
        first_below, first_parent = rows[level, FIRST_BELOW], rows[level, FIRST_PARENT]
        if rows[level, IS_FINEST] == 1:
            for n in range(begin, end):
                move_below(levels, finest, n, first_below, first_parent)
        else:
            for n in range(begin, end):
                move_below(levels, levels.coarse_positions, n, first_below, first_parent)
