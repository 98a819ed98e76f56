# SPDX-License-Identifier: GPL-3.0-or-later
"""Launches ``kernels``: a frame at once."""

from __future__ import annotations

from .kernels import simulate_frame
from .plan import Plan


def advance_serial(plan: Plan, substeps: int) -> None:
    """Simulate a frame."""
    s = plan.state
    simulate_frame(
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
        s.contact_states,
        s.contact_multipliers,
        s.motion,
        s.collider_ints,
        s.collider_floats,
        s.mesh_floats,
        s.mesh_ints,
        s.gravities,
        *s.hierarchy.arrays,
        plan.h,
        substeps,
        plan.iterations,
        plan.target_count,
        len(plan.system.contacts),
        plan.collider_count,
        plan.has_levels,
        plan.mode,
        plan.used_constraints,
        plan.used_shapes,
    )
