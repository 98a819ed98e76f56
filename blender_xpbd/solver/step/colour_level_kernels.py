# SPDX-License-Identifier: GPL-3.0-or-later
"""The cycle over the coarse levels for many threads: a launch per operation, and for links one per colour."""

import taichi as ti

from ..acts.functions import projection_step
from ..acts.level_functions import move_below, note_move, pull_link, restrict_vertex
from ..order.level_tables import COMPLIANCE, TAKEN
from .packs import VECTORS, Levels


@ti.kernel
def restrict_level(levels: Levels, below: VECTORS, first: ti.i32, last: ti.i32):
    """Restrict to the vertices ``first`` … ``last`` − 1."""
    for i in range(first, last):
        restrict_vertex(levels, below, i)


@ti.kernel
def pull_colour(
    levels: Levels, level: ti.i32, sweep: ti.i32, first: ti.i32, last: ti.i32, h: float, mode: ti.template()
):
    """Pull the links of one colour."""
    for k in range(first, last):
        alpha_tilde = levels.stiffness[level, COMPLIANCE] * projection_step(h, 0, 0, mode)[0]
        pull_link(levels, k, sweep, alpha_tilde, levels.stiffness[level, TAKEN])


@ti.kernel
def note_moves(levels: Levels, first: ti.i32, last: ti.i32):
    """How far the vertices of a level came."""
    for i in range(first, last):
        note_move(levels, i)


@ti.kernel
def prolong_level(
    levels: Levels, below: VECTORS, first_below: ti.i32, first_parent: ti.i32, first: ti.i32, last: ti.i32
):
    """Move the vertices ``first`` … ``last`` − 1 of those below a level."""
    for n in range(first, last):
        move_below(levels, below, n, first_below, first_parent)
