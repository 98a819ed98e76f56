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
    _simulate(plan, first, count, of, 1)


def simulate_in_team(plan: Plan, first: int, count: int, of: int) -> None:
    """Simulate on as many threads as there are cores; otherwise as ``simulate_alone``."""
    _simulate(plan, first, count, of, thread_count())


def _simulate(plan: Plan, first: int, count: int, of: int, team_size: int) -> None:
    write_array(plan.state.order.span, np.array([first, count, of, team_size], np.int32))
    launch(simulate_substeps, *plan.state.world, plan.state.order, plan.variant)
