# SPDX-License-Identifier: GPL-3.0-or-later
"""The XPBD loop for processors: a whole frame in one kernel, by one thread or by a team of them.

All walk through the stages of all substeps (see ``stages``). A stage has so many turns; each goes to who claims it
first, beginning with those that were one's own in the last substep too, whose particles are still in the core's cache.
When no turn is left, one waits until all are done. Turns of a stage share no movable particle, so the result is the
same to the last bit whoever does which, and for a team of one.

A launch for every iteration, as Taichi wants it, would cost as much as several thousand projections. Waiting in the
kernel costs next to nothing while each thread has a core to itself. Nobody waits for a thread that has not begun or has
lost its core while it waited, so it does not matter how many of the team really run.
"""

import taichi as ti

from ..constraints.constraint import BDF2
from ..contacts.contact import BODY_DAMPING, BODY_INTERNAL_DAMPING, apply_restitution, project_contact
from .hierarchy_kernels import operate
from .kernels import (
    FLOAT_TABLE,
    FLOATS,
    INT_TABLE,
    INTS,
    MOTION,
    VECTORS,
    damp_internal_motion,
    forget_history,
    place_target,
    predict_position,
    project_task,
    projection_step,
    update_velocity,
)
from .stages import DOES, FIRST_TASK, ITERATION, MOVE, OPERATE, PLACE, PREDICT, PROJECT, REBOUND, SHARES, TOUCH, TURNS
from .tasks import MOST_PARTS

# Taichi hands out a parallel loop in pieces of 512 turns at least, so a member of the team is as many
ITEMS_PER_MEMBER = 512
# who has claimed each turn of a stage, then how many turns are done, apart by more than a line of any cache
DONE = MOST_PARTS + 64
COUNTERS = DONE + 64


@ti.func
def is_first(counters: ti.template(), turn, epoch):
    """Claim a turn of the stage that is the ``epoch``-th of the frame: whether nobody has before."""
    claimed = counters[turn] >= epoch
    if not claimed:
        claimed = ti.atomic_max(counters[turn], epoch) >= epoch
    return not claimed


@ti.func
def predict_share(
    turn,
    turns,
    h,
    gravity,
    positions: ti.template(),
    previous_positions: ti.template(),
    velocities: ti.template(),
    older_positions: ti.template(),
    older_velocities: ti.template(),
    corrections: ti.template(),
    starts: ti.template(),
    bodies: ti.template(),
    mode: ti.template(),
):
    """Predict the particles of one of ``turns`` equal shares."""
    count = starts[bodies.shape[0]]
    first, last = count * turn // turns, count * (turn + 1) // turns
    for b in range(bodies.shape[0]):
        if starts[b] < last and starts[b + 1] > first:
            decay = ti.exp(-bodies[b, BODY_DAMPING] * h)
            for i in range(ti.max(starts[b], first), ti.min(starts[b + 1], last)):
                predict_position(
                    i,
                    h,
                    gravity,
                    decay,
                    positions,
                    previous_positions,
                    velocities,
                    older_positions,
                    older_velocities,
                    corrections,
                    mode,
                )


@ti.func
def finish_contacts(
    task,
    h,
    positions: ti.template(),
    velocities: ti.template(),
    older_positions: ti.template(),
    older_velocities: ti.template(),
    elements: ti.template(),
    weights: ti.template(),
    contact_segments: ti.template(),
    contact_segment_starts: ti.template(),
    contact_states: ti.template(),
    contact_multipliers: ti.template(),
    mode: ti.template(),
):
    """Restitution of the contact points of a task, after the velocities of its particles."""
    for segment in range(contact_segment_starts[task], contact_segment_starts[task + 1]):
        for k in range(contact_segments[segment, 0], contact_segments[segment, 1]):
            apply_restitution(k, positions, velocities, elements, weights, contact_states, contact_multipliers)
    if ti.static(mode & BDF2):
        for segment in range(contact_segment_starts[task], contact_segment_starts[task + 1]):
            for k in range(contact_segments[segment, 0], contact_segments[segment, 1]):
                forget_history(
                    k, h, positions, velocities, older_positions, older_velocities, elements, contact_multipliers
                )


@ti.func
def project_contact_task(
    task,
    positions: ti.template(),
    previous_positions: ti.template(),
    velocities: ti.template(),
    elements: ti.template(),
    weights: ti.template(),
    frictions: ti.template(),
    contact_segments: ti.template(),
    contact_segment_starts: ti.template(),
    contact_states: ti.template(),
    contact_multipliers: ti.template(),
    bodies: ti.template(),
    motion: ti.template(),
    collider_ints: ti.template(),
    collider_floats: ti.template(),
    mesh_floats: ti.template(),
    mesh_ints: ti.template(),
    gravity_speed,
    h,
    substep,
    is_first_iteration,
    collider_count,
    shapes: ti.template(),
):
    """Project the contact points of a task."""
    for segment in range(contact_segment_starts[task], contact_segment_starts[task + 1]):
        for k in range(contact_segments[segment, 0], contact_segments[segment, 1]):
            project_contact(
                k,
                substep,
                collider_count,
                h,
                gravity_speed,
                is_first_iteration,
                positions,
                previous_positions,
                velocities,
                elements,
                weights,
                frictions,
                contact_states,
                contact_multipliers,
                bodies,
                motion,
                collider_ints,
                collider_floats,
                mesh_floats,
                mesh_ints,
                shapes,
            )


@ti.kernel
def simulate_frame(
    positions: VECTORS,
    previous_positions: VECTORS,
    velocities: VECTORS,
    older_positions: VECTORS,
    older_velocities: VECTORS,
    corrections: VECTORS,
    indices: INTS,
    parameters: FLOATS,
    lagrange_multipliers: FLOATS,
    table: INT_TABLE,
    segments: INT_TABLE,
    segment_starts: INT_TABLE,
    targets: INTS,
    target_starts: VECTORS,
    target_ends: VECTORS,
    starts: INTS,
    bodies: FLOAT_TABLE,
    elements: INT_TABLE,
    weights: FLOAT_TABLE,
    frictions: FLOATS,
    contact_segments: INT_TABLE,
    contact_segment_starts: INTS,
    contact_states: VECTORS,
    contact_multipliers: FLOATS,
    motion: MOTION,
    collider_ints: INT_TABLE,
    collider_floats: FLOAT_TABLE,
    mesh_floats: FLOATS,
    mesh_ints: INTS,
    gravities: VECTORS,
    stages: INT_TABLE,
    operations: INT_TABLE,
    operation_starts: INTS,
    counters: INTS,
    levels: INT_TABLE,
    level_stiffness: FLOAT_TABLE,
    coarse_positions: VECTORS,
    coarse_moves: VECTORS,
    restriction_starts: INTS,
    restriction_vertices: INTS,
    restriction_weights: FLOATS,
    parents: INT_TABLE,
    parent_weights: FLOAT_TABLE,
    links: INT_TABLE,
    link_lengths: FLOATS,
    link_states: FLOATS,
    h: float,
    substeps: ti.i32,
    team_size: ti.i32,
    part_count: ti.i32,
    target_count: ti.i32,
    collider_count: ti.i32,
    has_levels: ti.template(),
    mode: ti.template(),
    used: ti.template(),
    shapes: ti.template(),
    damps: ti.template(),
):
    """All substeps from one frame to the next; arrays as in ``State``, ``used`` and ``shapes`` are static masks."""
    ti.loop_config(serialize=True)
    for n in range(counters.shape[0]):
        counters[n] = 0
    for item in range(team_size * ITEMS_PER_MEMBER):
        if item % ITEMS_PER_MEMBER == 0:
            member = item // ITEMS_PER_MEMBER
            gravity = gravities[0]
            stage_count = stages.shape[0]
            # stages that are over, and turns that they had
            epoch, end = 0, 0
            while epoch < stage_count * substeps:
                substep = epoch // stage_count
                stage = epoch - substep * stage_count
                epoch += 1
                does, turns, first_task = stages[stage, DOES], stages[stage, TURNS], stages[stage, FIRST_TASK]
                end += turns
                for n in range(turns):
                    turn = (member * turns // team_size + n) % turns
                    if is_first(counters, turn, epoch):
                        task = first_task + turn
                        if does == PREDICT:
                            predict_share(
                                task,
                                part_count,
                                h,
                                gravity,
                                positions,
                                previous_positions,
                                velocities,
                                older_positions,
                                older_velocities,
                                corrections,
                                starts,
                                bodies,
                                mode,
                            )
                        if does == PLACE:
                            share = (substep + 1.0) / substeps
                            for k in range(target_count):
                                place_target(
                                    k, share, targets, target_starts, target_ends, positions, previous_positions, mode
                                )
                        if ti.static(has_levels):
                            if does == OPERATE:
                                shares = stages[stage, SHARES]
                                group = first_task + turn // shares
                                for operation in range(operation_starts[group], operation_starts[group + 1]):
                                    operate(
                                        operation,
                                        turn % shares,
                                        shares,
                                        projection_step(h, 0, mode)[0],
                                        operations,
                                        positions,
                                        levels,
                                        level_stiffness,
                                        coarse_positions,
                                        coarse_moves,
                                        restriction_starts,
                                        restriction_vertices,
                                        restriction_weights,
                                        parents,
                                        parent_weights,
                                        links,
                                        link_lengths,
                                        link_states,
                                    )
                        if does == PROJECT:
                            project_task(
                                task,
                                projection_step(h, stages[stage, ITERATION], mode),
                                positions,
                                previous_positions,
                                corrections,
                                indices,
                                parameters,
                                lagrange_multipliers,
                                table,
                                segments,
                                segment_starts,
                                mode,
                                used,
                            )
                        if ti.static(shapes):
                            if does == TOUCH:
                                project_contact_task(
                                    task,
                                    positions,
                                    previous_positions,
                                    velocities,
                                    elements,
                                    weights,
                                    frictions,
                                    contact_segments,
                                    contact_segment_starts,
                                    contact_states,
                                    contact_multipliers,
                                    bodies,
                                    motion,
                                    collider_ints,
                                    collider_floats,
                                    mesh_floats,
                                    mesh_ints,
                                    gravity.norm() * h,
                                    h,
                                    substep,
                                    stages[stage, ITERATION] == 0,
                                    collider_count,
                                    shapes,
                                )
                        if does == MOVE:
                            count = positions.shape[0]
                            for i in range(count * task // part_count, count * (task + 1) // part_count):
                                update_velocity(i, h, positions, previous_positions, velocities, older_positions, mode)
                        if ti.static(shapes):
                            if does == REBOUND:
                                finish_contacts(
                                    task,
                                    h,
                                    positions,
                                    velocities,
                                    older_positions,
                                    older_velocities,
                                    elements,
                                    weights,
                                    contact_segments,
                                    contact_segment_starts,
                                    contact_states,
                                    contact_multipliers,
                                    mode,
                                )
                        ti.atomic_add(counters[DONE], 1)
                while ti.atomic_or(counters[DONE], 0) < end:
                    pass
    if ti.static(damps):
        ti.loop_config(serialize=True)
        for b in range(bodies.shape[0]):
            rate = bodies[b, BODY_INTERNAL_DAMPING]
            if rate > 0.0:
                share = 1.0 - ti.exp(-rate * h * substeps)
                damp_internal_motion(starts[b], starts[b + 1], share, positions, velocities)
