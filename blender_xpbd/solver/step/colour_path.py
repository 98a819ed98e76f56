# SPDX-License-Identifier: GPL-3.0-or-later
"""Launches ``colour_kernels``: act by act, colour by colour, in the order of the table of stages."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from ...constraints import CONSTRAINTS
from ...constraints.constraint import BDF2, RATES, SWEPT
from ...device.launch import launch
from ..order.stages import (
    BLOW,
    BOUNCE,
    DAMP,
    DAMP_RATES,
    FLOW,
    HOLD_GRABBED,
    PLACE_TARGETS,
    PREDICT,
    PROJECT,
    PUSH,
    REBOUND,
    RESTORE_SPINS,
    SOLVE_LEVELS,
    SUM_SPINS,
    TOUCH,
    UPDATE_VELOCITIES,
    Stage,
)
from . import colour_kernels as kernels
from .colour_levels import solve_levels_by_colours
from .plan import Plan

# mask of the types that are projected in later sweeps too
SWEPT_TYPES = sum(1 << number for number, kind in enumerate(CONSTRAINTS) if kind.is_swept)


def simulate_by_colours(plan: Plan, first: int, count: int, of: int) -> None:
    """Simulate on as many threads as the device has; arguments as in ``substeps``."""
    for substep in range(first, first + count):
        for stage in plan.state.stages:
            LAUNCHES[stage.act](plan, stage, substep, of)


def project_by_colours(plan: Plan, iteration: int) -> None:
    """Project all constraints once, as in the given iteration."""
    for stage in plan.state.stages:
        if stage.act == PROJECT and stage.detail == 0:
            _project(plan, stage._replace(detail=iteration), 0, 1)


def _blow(plan: Plan, stage: Stage, substep: int, of: int) -> None:
    launch(kernels.blow_triangles, plan.state.particles, plan.h, substep, plan.variant)


def _push(plan: Plan, stage: Stage, substep: int, of: int) -> None:
    launch(kernels.push_particles, plan.state.particles, plan.state.body_of, plan.h, substep, plan.variant)


def _predict(plan: Plan, stage: Stage, substep: int, of: int) -> None:
    launch(kernels.predict_positions, plan.state.particles, plan.state.body_of, plan.h, substep, plan.variant.mode)
    if plan.variant.has_orientations:
        launch(kernels.predict_turns, plan.state.particles, plan.h, substep)


def _place_targets(plan: Plan, stage: Stage, substep: int, of: int) -> None:
    share = (substep + 1.0) / of
    launch(kernels.place_targets, plan.state.particles, plan.state.targets, share, plan.variant.mode)


def _solve_levels(plan: Plan, stage: Stage, substep: int, of: int) -> None:
    chains = stage.turns // stage.detail
    solve_levels_by_colours(plan, range(stage.first, stage.first + chains))


def _project(plan: Plan, stage: Stage, substep: int, of: int) -> None:
    kinds = plan.variant.constraints
    if plan.variant.mode & SWEPT and stage.detail > 0:
        kinds &= SWEPT_TYPES
    _launch_constraints(plan, stage, substep, plan.variant.mode, kinds)


def _hold_grabbed(plan: Plan, stage: Stage, substep: int, of: int) -> None:
    world = plan.state.world
    launch(kernels.hold_patch, world.particles, world.targets, world.pieces, plan.h, substep, of, plan.variant)


def _damp_rates(plan: Plan, stage: Stage, substep: int, of: int) -> None:
    _launch_constraints(plan, stage, substep, plan.variant.mode | RATES, plan.variant.damped_constraints)


def _flow(plan: Plan, stage: Stage, substep: int, of: int) -> None:
    for kind in range(len(CONSTRAINTS)):
        if (plan.variant.flows >> kind) & 1:
            launch(kernels.flow_rows, plan.state.particles, plan.state.constraints, plan.h, kind)


def _launch_constraints(plan: Plan, stage: Stage, substep: int, mode: int, kinds: int) -> None:
    """Project, or damp, the constraints of a round of the types in a mask."""
    state = plan.state
    for kind, colours in enumerate(plan.system.schedule.colours[plan.round_of(stage)]):
        if not (kinds >> kind) & 1:
            continue
        for first, last in itertools.pairwise(colours.tolist()):
            launch(
                kernels.project_colour,
                state.particles,
                state.constraints,
                first,
                last,
                plan.h,
                substep,
                stage.detail,
                mode,
                kind,
            )


def _touch(plan: Plan, stage: Stage, substep: int, of: int) -> None:
    state = plan.state
    for first, last in _contact_colours(plan, stage):
        launch(
            kernels.project_contact_colour,
            state.particles,
            state.contacts,
            state.colliders,
            first,
            last,
            substep,
            stage.detail,
            plan.h,
            plan.variant,
        )
    if plan.variant.keeps_spins:
        launch(kernels.note_touches, state.contacts, state.pieces, *_contact_range(plan, stage))


def _sum_spins(plan: Plan, stage: Stage, substep: int, of: int) -> None:
    launch(kernels.sum_spins, plan.state.particles, plan.state.pieces, plan.h)


def _restore_spins(plan: Plan, stage: Stage, substep: int, of: int) -> None:
    world = plan.state.world
    launch(kernels.restore_spins, world.particles, world.pieces, world.pairs.object_counts, plan.variant)


def _update_velocities(plan: Plan, stage: Stage, substep: int, of: int) -> None:
    launch(kernels.update_velocities, plan.state.particles, plan.h, plan.variant.mode)
    if plan.variant.has_orientations:
        launch(kernels.update_turns, plan.state.particles, plan.h)


def _rebound(plan: Plan, stage: Stage, substep: int, of: int) -> None:
    state = plan.state
    for first, last in _contact_colours(plan, stage):
        launch(kernels.restore_contact_colour, state.particles, state.contacts, first, last, plan.h, plan.variant)
    if plan.variant.mode & BDF2:
        launch(
            kernels.forget_histories,
            state.particles,
            state.contacts,
            *_contact_range(plan, stage),
            plan.h,
            plan.variant.mode,
        )


def _bounce(plan: Plan, stage: Stage, substep: int, of: int) -> None:
    state = plan.state
    launch(kernels.bounce_pieces, state.particles, state.contacts, state.pieces, plan.h, plan.variant)


def _damp(plan: Plan, stage: Stage, substep: int, of: int) -> None:
    if substep + 1 == of:
        launch(kernels.damp_pieces, plan.state.particles, plan.state.pieces, plan.h, of)


def _contact_colours(plan: Plan, stage: Stage) -> list[tuple[int, int]]:
    """First element of each colour of a round, and the one after its last."""
    colours = plan.system.contacts.colours[plan.round_of(stage)]
    return list(itertools.pairwise(colours.tolist()))


def _contact_range(plan: Plan, stage: Stage) -> tuple[int, int]:
    """First element of a round, and the one after its last."""
    colours = plan.system.contacts.colours[plan.round_of(stage)].tolist()
    return colours[0], colours[-1]


LAUNCHES: dict[int, Callable[[Plan, Stage, int, int], None]] = {
    BLOW: _blow,
    PUSH: _push,
    PREDICT: _predict,
    PLACE_TARGETS: _place_targets,
    SOLVE_LEVELS: _solve_levels,
    PROJECT: _project,
    HOLD_GRABBED: _hold_grabbed,
    TOUCH: _touch,
    SUM_SPINS: _sum_spins,
    UPDATE_VELOCITIES: _update_velocities,
    DAMP_RATES: _damp_rates,
    FLOW: _flow,
    RESTORE_SPINS: _restore_spins,
    REBOUND: _rebound,
    BOUNCE: _bounce,
    DAMP: _damp,
}
