# SPDX-License-Identifier: GPL-3.0-or-later
"""Launches ``thread_kernels``: an iteration at once, on all threads."""

from __future__ import annotations

from dataclasses import replace

from . import thread_kernels as threads
from .parallel_kernels import damp_bodies
from .plan import Plan
from .thread_hierarchy_kernels import begin_substep

# with fewer parts, starting threads for restriction and prolongation takes longer than they do
WIDE_PARTS = 16


def advance_in_threads(plan: Plan, substeps: int) -> None:
    """Simulate a frame; without substeps, compile the kernels."""
    duration = plan.h * substeps
    if substeps == 0:
        plan, substeps = replace(plan, is_dry=True), 1
    for substep in range(substeps):
        if plan.has_levels:
            _begin(plan, substep, substeps)
        for iteration in range(1 if plan.is_dry else plan.iterations):
            _project(plan, iteration, substep, substeps)
            if plan.used_shapes:
                _project_contacts(plan, substep, iteration == 0)
        _finish(plan)
    damp_bodies(plan.state.positions, plan.state.velocities, plan.state.starts, plan.state.bodies, duration)


def _begin(plan: Plan, substep: int, substeps: int) -> None:
    s = plan.state
    begin_substep(
        s.positions,
        s.previous_positions,
        s.velocities,
        s.older_positions,
        s.older_velocities,
        s.corrections,
        s.part_particles,
        s.part_starts,
        s.particle_bodies,
        s.bodies,
        s.targets,
        s.target_starts,
        s.target_ends,
        s.gravities,
        *s.hierarchy.arrays,
        plan.h,
        substep,
        substeps,
        plan.target_count,
        plan.part_count,
        plan.system.schedule.parts.count >= WIDE_PARTS,
        plan.mode,
    )


def _project(plan: Plan, iteration: int, substep: int, substeps: int) -> None:
    s = plan.state
    threads.project_parts(
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
        s.part_particles,
        s.part_starts,
        s.particle_bodies,
        s.bodies,
        s.targets,
        s.target_starts,
        s.target_ends,
        s.gravities,
        plan.h,
        substep,
        substeps,
        plan.target_count,
        iteration,
        plan.part_count,
        iteration == 0 and not plan.has_levels,
        plan.mode,
        plan.used_constraints,
    )


def _project_contacts(plan: Plan, substep: int, is_first_iteration: bool) -> None:
    s = plan.state
    threads.project_contact_parts(
        s.positions,
        s.previous_positions,
        s.velocities,
        s.elements,
        s.weights,
        s.frictions,
        s.contact_segments,
        s.contact_segment_starts,
        s.contact_states,
        s.contact_multipliers,
        s.bodies,
        s.motion,
        s.collider_ints,
        s.collider_floats,
        s.mesh_floats,
        s.mesh_ints,
        s.gravities,
        plan.h,
        substep,
        is_first_iteration,
        plan.collider_count,
        plan.part_count,
        plan.used_shapes,
    )


def _finish(plan: Plan) -> None:
    s = plan.state
    threads.finish_parts(
        s.positions,
        s.previous_positions,
        s.velocities,
        s.older_positions,
        s.older_velocities,
        s.part_particles,
        s.part_starts,
        s.elements,
        s.weights,
        s.contact_segments,
        s.contact_segment_starts,
        s.contact_states,
        s.contact_multipliers,
        plan.h,
        plan.part_count,
        plan.used_shapes > 0,
        plan.mode,
    )
