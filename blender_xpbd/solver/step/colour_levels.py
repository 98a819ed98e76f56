# SPDX-License-Identifier: GPL-3.0-or-later
"""Launches ``colour_level_kernels``: operation by operation, links colour by colour."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from ...device.launch import launch
from ..order.level_operations import BEGIN, END, LEVEL, NOTE, OPERATION, PROLONG, PULL, RESTRICT, SWEEP
from ..order.level_tables import FIRST_BELOW, FIRST_PARENT, IS_FINEST
from . import colour_level_kernels as kernels
from .plan import Plan

Row = Sequence[int]


def solve_levels_by_colours(plan: Plan, chains: range) -> None:
    """Do all operations of some chains."""
    operations = plan.state.operations
    for row in operations.rows[operations.starts[chains.start] : operations.starts[chains.stop]].tolist():
        LAUNCHES[row[OPERATION]](plan, row)


def _restrict(plan: Plan, row: Row) -> None:
    launch(kernels.restrict_level, plan.state.levels, _below(plan, row), row[BEGIN], row[END])


def _pull(plan: Plan, row: Row) -> None:
    for first, last in itertools.pairwise(plan.state.tables.colours[row[LEVEL]].tolist()):
        if row[BEGIN] <= first < last <= row[END]:
            launch(
                kernels.pull_colour,
                plan.state.levels,
                row[LEVEL],
                row[SWEEP],
                first,
                last,
                plan.h,
                plan.variant.mode,
            )


def _note(plan: Plan, row: Row) -> None:
    launch(kernels.note_moves, plan.state.levels, row[BEGIN], row[END])


def _prolong(plan: Plan, row: Row) -> None:
    level = plan.state.tables.levels[row[LEVEL]].tolist()
    launch(
        kernels.prolong_level,
        plan.state.levels,
        _below(plan, row),
        level[FIRST_BELOW],
        level[FIRST_PARENT],
        row[BEGIN],
        row[END],
    )


def _below(plan: Plan, row: Row) -> object:
    """The positions of what is below a level."""
    is_finest = plan.state.tables.levels[row[LEVEL], IS_FINEST]
    return plan.state.particles.positions if is_finest else plan.state.levels.coarse_positions


LAUNCHES: dict[int, Callable[[Plan, Row], None]] = {
    RESTRICT: _restrict,
    PULL: _pull,
    NOTE: _note,
    PROLONG: _prolong,
}
