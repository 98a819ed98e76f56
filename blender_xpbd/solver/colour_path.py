# SPDX-License-Identifier: GPL-3.0-or-later
"""Launches ``parallel_kernels``: phase by phase, colour by colour."""

from __future__ import annotations

import itertools

from ..constraints.constraint import BDF2
from . import parallel_kernels as parallel
from .colour_hierarchy import coarse_cycle_by_colours
from .launch import launch
from .plan import Plan


def advance_by_colours(plan: Plan, substeps: int) -> None:
    """Simulate a frame."""
    s = plan.state
    for substep in range(substeps):
        launch(
            parallel.predict_positions,
            s.positions,
            s.previous_positions,
            s.velocities,
            s.older_positions,
            s.older_velocities,
            s.corrections,
            s.particle_bodies,
            s.bodies,
            s.gravities,
            plan.h,
            plan.mode,
        )
        if plan.target_count:
            share = (substep + 1.0) / substeps
            launch(
                parallel.place_targets,
                s.positions,
                s.previous_positions,
                s.targets,
                s.target_starts,
                s.target_ends,
                share,
                plan.target_count,
                plan.mode,
            )
        if plan.has_levels:
            coarse_cycle_by_colours(plan)
        for iteration in range(plan.iterations):
            project_by_colours(plan, iteration)
            _project_contacts(plan, substep, iteration == 0)
        launch(
            parallel.update_velocities,
            s.positions,
            s.previous_positions,
            s.velocities,
            s.older_positions,
            plan.h,
            plan.mode,
        )
        _restore_contacts(plan)
    if plan.damps_bodies:
        launch(parallel.damp_bodies, s.positions, s.velocities, s.starts, s.bodies, plan.h * substeps)


def project_by_colours(plan: Plan, iteration: int) -> None:
    """Project all constraints once."""
    s = plan.state
    for round_colours in plan.system.schedule.colours:
        for kind, colours in enumerate(round_colours):
            for first, last in itertools.pairwise(colours):
                launch(
                    parallel.project_colour,
                    s.positions,
                    s.previous_positions,
                    s.corrections,
                    s.indices,
                    s.parameters,
                    s.lagrange_multipliers,
                    s.table,
                    int(first),
                    int(last),
                    plan.h,
                    iteration,
                    plan.mode,
                    kind,
                )


def _project_contacts(plan: Plan, substep: int, is_first_iteration: bool) -> None:
    if not plan.used_shapes:
        return
    s, colours = plan.state, plan.system.contacts.colours
    for first, last in itertools.pairwise(colours):
        launch(
            parallel.project_contact_colour,
            s.positions,
            s.previous_positions,
            s.velocities,
            s.groups,
            s.elements,
            s.weights,
            s.frictions,
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
            int(first),
            int(last),
            plan.used_shapes,
        )


def _restore_contacts(plan: Plan) -> None:
    if not plan.used_shapes:
        return
    s, colours = plan.state, plan.system.contacts.colours
    for first, last in itertools.pairwise(colours):
        launch(
            parallel.restore_contact_colour,
            s.positions,
            s.velocities,
            s.groups,
            s.elements,
            s.weights,
            s.contact_states,
            s.contact_multipliers,
            int(first),
            int(last),
        )
    if plan.mode & BDF2:
        launch(
            parallel.forget_histories,
            s.positions,
            s.velocities,
            s.older_positions,
            s.older_velocities,
            s.elements,
            s.contact_multipliers,
            plan.h,
            len(plan.system.contacts),
        )
