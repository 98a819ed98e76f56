# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulates ranges of substeps, on any path."""

from __future__ import annotations

from .colour_path import simulate_by_colours
from .plan import COLOURS, SERIAL, THREADS, Plan
from .team_path import simulate_alone, simulate_in_team

SIMULATE = {SERIAL: simulate_alone, THREADS: simulate_in_team, COLOURS: simulate_by_colours}


def simulate_substeps(plan: Plan, path: str, first: int, count: int, of: int) -> None:
    """Simulate the substeps ``first`` … ``first + count − 1`` of the ``of`` substeps of a frame.

    A frame in several ranges gives the same bytes as in one. What happens once in a frame comes with its last substep.

    Args:
        plan: how the system runs.
        path: one of ``plan.PATHS``.
        first: substep, from 0.
        count: substeps; with 0 the kernels are compiled, where the path compiles them at once.
        of: substeps of the frame.
    """
    SIMULATE[path](plan, first, count, of)
