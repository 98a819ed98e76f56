# SPDX-License-Identifier: GPL-3.0-or-later
"""The cycle over the coarse levels of cloths, once in a substep, between prediction and the first sweep.

Source: Müller 2008, "Hierarchical position based dynamics": restrict to ever coarser levels, then solve from the
coarsest to the finest. Here what a level moves is added to the level below instead of replacing it, and links only
pull: cloth folds between its coarse vertices. Arrays as in ``HierarchyTables``.
"""

import taichi as ti

from ..constraints.constraint import SMALL
from .hierarchy_tables import COMPLIANCE, FIRST_BELOW, FIRST_PARENT, IS_FINEST, TAKEN
from .level_operations import BEGIN, END, LEVEL, NOTE, OPERATION, PULL, RESTRICT, SWEEP


@ti.func
def restrict_vertex(
    i,
    below: ti.template(),
    coarse_positions: ti.template(),
    coarse_moves: ti.template(),
    restriction_starts: ti.template(),
    restriction_vertices: ti.template(),
    restriction_weights: ti.template(),
):
    """Put a coarse vertex at the centre of mass of what it moves, and note where that is."""
    place = 0.0 * coarse_positions[i]
    for term in range(restriction_starts[i], restriction_starts[i + 1]):
        place += restriction_weights[term] * below[restriction_vertices[term]]
    place[3] = coarse_positions[i][3]
    coarse_positions[i] = place
    coarse_moves[i] = place


@ti.func
def pull_link(
    k,
    sweep,
    alpha_tilde,
    taken,
    coarse_positions: ti.template(),
    links: ti.template(),
    link_lengths: ti.template(),
    link_states: ti.template(),
):
    """Shorten a link that is too long: Δλ = −(d − L' + α̃ λ) / (w + α̃), and λ may not push.

    L' is longer than L by what the finer levels will take of it; two states per link keep L' and λ.
    """
    first, second = links[k, 0], links[k, 1]
    a, b = coarse_positions[first], coarse_positions[second]
    difference = a - b
    difference[3] = 0.0
    length = difference.norm()
    multiplier, reach = 0.0 * length, 0.0 * length
    if sweep == 0:
        rest = ti.cast(link_lengths[k], float)
        reach = rest + taken * ti.max(length - rest, 0.0)
        link_states[2 * k] = reach
    else:
        reach = link_states[2 * k]
        multiplier = link_states[2 * k + 1]
    delta = -(length - reach + alpha_tilde * multiplier) / (a[3] + b[3] + alpha_tilde + SMALL)
    delta = ti.min(delta, -multiplier)
    link_states[2 * k + 1] = multiplier + delta
    scale = delta / (length + SMALL)
    coarse_positions[first] = a + (scale * a[3]) * difference
    coarse_positions[second] = b - (scale * b[3]) * difference


@ti.func
def note_move(i, coarse_positions: ti.template(), coarse_moves: ti.template()):
    """How far a coarse vertex came."""
    coarse_moves[i] = coarse_positions[i] - coarse_moves[i]


@ti.func
def move_below(
    n,
    first_below,
    first_parent,
    below: ti.template(),
    coarse_moves: ti.template(),
    parents: ti.template(),
    parent_weights: ti.template(),
):
    """Move a vertex with its parents."""
    row = first_parent + n
    i = first_below + n
    below[i] = below[i] + (
        parent_weights[row, 0] * coarse_moves[parents[row, 0]]
        + parent_weights[row, 1] * coarse_moves[parents[row, 1]]
        + parent_weights[row, 2] * coarse_moves[parents[row, 2]]
    )


@ti.func
def operate(
    operation,
    share,
    shares,
    inverse_h_squared,
    operations: ti.template(),
    positions: ti.template(),
    levels: ti.template(),
    stiffness: ti.template(),
    coarse_positions: ti.template(),
    coarse_moves: ti.template(),
    restriction_starts: ti.template(),
    restriction_vertices: ti.template(),
    restriction_weights: ti.template(),
    parents: ti.template(),
    parent_weights: ti.template(),
    links: ti.template(),
    link_lengths: ti.template(),
    link_states: ti.template(),
):
    """Do one of ``shares`` equal shares of an operation on a level, see ``level_operations``."""
    kind, level = operations[operation, OPERATION], operations[operation, LEVEL]
    first, count = operations[operation, BEGIN], operations[operation, END] - operations[operation, BEGIN]
    begin, end = first + count * share // shares, first + count * (share + 1) // shares
    if kind == RESTRICT:
        if levels[level, IS_FINEST] == 1:
            for i in range(begin, end):
                restrict_vertex(
                    i,
                    positions,
                    coarse_positions,
                    coarse_moves,
                    restriction_starts,
                    restriction_vertices,
                    restriction_weights,
                )
        else:
            for i in range(begin, end):
                restrict_vertex(
                    i,
                    coarse_positions,
                    coarse_positions,
                    coarse_moves,
                    restriction_starts,
                    restriction_vertices,
                    restriction_weights,
                )
    elif kind == PULL:
        for k in range(begin, end):
            pull_link(
                k,
                operations[operation, SWEEP],
                stiffness[level, COMPLIANCE] * inverse_h_squared,
                stiffness[level, TAKEN],
                coarse_positions,
                links,
                link_lengths,
                link_states,
            )
    elif kind == NOTE:
        for i in range(begin, end):
            note_move(i, coarse_positions, coarse_moves)
    else:
        first_below, first_parent = levels[level, FIRST_BELOW], levels[level, FIRST_PARENT]
        if levels[level, IS_FINEST] == 1:
            for n in range(begin, end):
                move_below(n, first_below, first_parent, positions, coarse_moves, parents, parent_weights)
        else:
            for n in range(begin, end):
                move_below(n, first_below, first_parent, coarse_positions, coarse_moves, parents, parent_weights)
