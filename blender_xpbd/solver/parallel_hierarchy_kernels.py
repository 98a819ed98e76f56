# SPDX-License-Identifier: GPL-3.0-or-later
"""The cycle over the coarse levels for many threads: a launch per level, and for links one per colour."""

import taichi as ti

from .hierarchy_kernels import move_below, note_move, pull_link, restrict_vertex
from .hierarchy_tables import COMPLIANCE, TAKEN
from .kernels import FLOAT_TABLE, FLOATS, INT_TABLE, INTS, VECTORS, projection_step


@ti.kernel
def restrict_level(
    below: VECTORS,
    coarse_positions: VECTORS,
    coarse_moves: VECTORS,
    restriction_starts: INTS,
    restriction_vertices: INTS,
    restriction_weights: FLOATS,
    first: ti.i32,
    last: ti.i32,
):
    """Restrict to the vertices ``first`` … ``last`` − 1."""
    for i in range(first, last):
        restrict_vertex(
            i,
            below,
            coarse_positions,
            coarse_moves,
            restriction_starts,
            restriction_vertices,
            restriction_weights,
        )


@ti.kernel
def pull_colour(
    stiffness: FLOAT_TABLE,
    coarse_positions: VECTORS,
    links: INT_TABLE,
    link_lengths: FLOATS,
    link_states: FLOATS,
    h: float,
    level: ti.i32,
    sweep: ti.i32,
    first: ti.i32,
    last: ti.i32,
    mode: ti.template(),
):
    """Pull the links of one colour."""
    for k in range(first, last):
        pull_link(
            k,
            sweep,
            stiffness[level, COMPLIANCE] * projection_step(h, 0, mode)[0],
            stiffness[level, TAKEN],
            coarse_positions,
            links,
            link_lengths,
            link_states,
        )


@ti.kernel
def note_moves(coarse_positions: VECTORS, coarse_moves: VECTORS, first: ti.i32, last: ti.i32):
    """How far the vertices of a level came."""
    for i in range(first, last):
        note_move(i, coarse_positions, coarse_moves)


@ti.kernel
def prolong_level(
    below: VECTORS,
    coarse_moves: VECTORS,
    parents: INT_TABLE,
    parent_weights: FLOAT_TABLE,
    first_below: ti.i32,
    below_count: ti.i32,
    first_parent: ti.i32,
):
    """Move what is below a level."""
    for n in range(below_count):
        move_below(n, first_below, first_parent, below, coarse_moves, parents, parent_weights)
