# SPDX-License-Identifier: GPL-3.0-or-later
"""Launches ``parallel_hierarchy_kernels``: level by level, colour by colour."""

from __future__ import annotations

import itertools

from . import parallel_hierarchy_kernels as parallel
from .hierarchy_tables import BELOW_COUNT, COUNT, FIRST, FIRST_BELOW, FIRST_PARENT, IS_FINEST, SWEEPS
from .launch import launch
from .plan import Plan


def coarse_cycle_by_colours(plan: Plan) -> None:
    """The whole cycle."""
    s, tables = plan.state.hierarchy, plan.state.hierarchy.tables
    rows = tables.levels.tolist()
    for row in rows:
        launch(
            parallel.restrict_level,
            plan.state.positions if row[IS_FINEST] else s.positions,
            s.positions,
            s.moves,
            s.restriction_starts,
            s.restriction_vertices,
            s.restriction_weights,
            row[FIRST],
            row[FIRST] + row[COUNT],
        )
    for level in reversed(range(len(rows))):
        row = rows[level]
        _pull_links(plan, level)
        launch(parallel.note_moves, s.positions, s.moves, row[FIRST], row[FIRST] + row[COUNT])
        launch(
            parallel.prolong_level,
            plan.state.positions if row[IS_FINEST] else s.positions,
            s.moves,
            s.parents,
            s.weights,
            row[FIRST_BELOW],
            row[BELOW_COUNT],
            row[FIRST_PARENT],
        )


def _pull_links(plan: Plan, level: int) -> None:
    s = plan.state.hierarchy
    for sweep in range(int(s.tables.levels[level, SWEEPS])):
        for first, last in itertools.pairwise(s.tables.colours[level].tolist()):
            launch(
                parallel.pull_colour,
                s.stiffness,
                s.positions,
                s.links,
                s.lengths,
                s.link_states,
                plan.h,
                level,
                sweep,
                first,
                last,
                plan.mode,
            )
