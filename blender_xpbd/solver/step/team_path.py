# SPDX-License-Identifier: GPL-3.0-or-later
"""Launches ``team_kernels``: substeps of a frame at once, by one thread or by several."""

from __future__ import annotations

import numpy as np

from ...device.arrays import write_array
from ...device.launch import launch
from ...device.runtime import thread_count
from .plan import Plan
from .team_kernels import simulate_substeps


def simulate_alone(plan: Plan, first: int, count: int, of: int) -> None:
    """Simulate on one thread; without substeps, compile the kernel. Arguments as in ``substeps``."""
    _simulate_substeps(plan, first, count, of, 1)


def simulate_in_team(plan: Plan, first: int, count: int, of: int) -> None:
    """Simulate on as many threads as there are cores; otherwise as ``simulate_alone``."""
    _simulate_substeps(plan, first, count, of, thread_count())


def _simulate_substeps(plan: Plan, first: int, count: int, of: int, team_size: int) -> None:
    stages = len(plan.state.stages)
    simulate_stages(plan, stages * first, stages * (first + count), of, team_size)


def simulate_stages(plan: Plan, begin: int, end: int, of: int, team_size: int) -> None:
    """Simulate a range of the stages of a frame.

    Args:
        plan: how the system runs.
        begin: stage, counted from the first one of the frame's first substep.
        end: the stage after the last; the kernel may end before, after REOPEN_WINDOW.
        of: substeps of the frame.
        team_size: threads.
    """
    write_array(plan.state.order.span, np.array([begin, end, of, team_size], np.int32))
    launch(simulate_substeps, *plan.state.world, plan.state.order, plan.variant)
