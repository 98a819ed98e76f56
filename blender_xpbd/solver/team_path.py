# SPDX-License-Identifier: GPL-3.0-or-later
"""Launches ``team_kernels``: a frame at once, by one thread or by several."""

from __future__ import annotations

from .launch import launch
from .plan import Plan
from .runtime import thread_count
from .team_kernels import simulate_frame


def advance_alone(plan: Plan, substeps: int) -> None:
    """Simulate a frame on one thread; without substeps, compile the kernel."""
    _advance(plan, substeps, 1)


def advance_in_team(plan: Plan, substeps: int) -> None:
    """Simulate a frame on as many threads as there are cores."""
    _advance(plan, substeps, thread_count())


def _advance(plan: Plan, substeps: int, team_size: int) -> None:
    s = plan.state
    launch(
        simulate_frame,
        s.positions,
        s.previous_positions,
        s.velocities,
        s.older_positions,
        s.older_velocities,
        s.corrections,
        s.indices,
        s.parameters,
        s.lagrange_multipliers,
        s.table,
        s.segments,
        s.segment_starts,
        s.targets,
        s.target_starts,
        s.target_ends,
        s.starts,
        s.bodies,
        s.elements,
        s.weights,
        s.frictions,
        s.contact_segments,
        s.contact_segment_starts,
        s.contact_states,
        s.contact_multipliers,
        s.motion,
        s.collider_ints,
        s.collider_floats,
        s.mesh_floats,
        s.mesh_ints,
        s.gravities,
        s.stages,
        s.operations,
        s.operation_starts,
        s.counters,
        *s.hierarchy.arrays,
        plan.h,
        substeps,
        team_size,
        plan.system.schedule.parts.count,
        plan.target_count,
        plan.collider_count,
        plan.has_levels,
        plan.mode,
        plan.used_constraints,
        plan.used_shapes,
        plan.damps_bodies,
    )
