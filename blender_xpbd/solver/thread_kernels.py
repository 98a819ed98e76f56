# SPDX-License-Identifier: GPL-3.0-or-later
"""The same loop for the threads of a processor: one launch per iteration, a thread takes one task after the other.

Tasks of a round share no movable particle (see ``tasks``), so the result is that of ``kernels.simulate_frame`` to the
last bit, whatever the number of threads. Between rounds threads wait asleep: where another program is busy, spinning
would cost more than it gains.
"""

import taichi as ti

from ..constraints.constraint import BDF2
from ..contacts.contact import BODY_DAMPING, apply_restitution, project_contact
from .kernels import (
    FLOAT_TABLE,
    FLOATS,
    INT_TABLE,
    INTS,
    MOTION,
    VECTORS,
    forget_history,
    place_target,
    predict_position,
    project_task,
    projection_step,
    update_velocity,
)
from .tasks import ROUNDS

# Taichi hands out a parallel loop in pieces of 512 turns at least, so a task is one turn of as many
ITEMS_PER_TASK = 512


@ti.func
def predict_part(
    part,
    h,
    gravity,
    positions: ti.template(),
    previous_positions: ti.template(),
    velocities: ti.template(),
    older_positions: ti.template(),
    older_velocities: ti.template(),
    corrections: ti.template(),
    part_particles: ti.template(),
    part_starts: ti.template(),
    particle_bodies: ti.template(),
    bodies: ti.template(),
    mode: ti.template(),
):
    """Predict the particles of a part; fixed ones are placed before, and stay."""
    body, decay = -1, 1.0
    for n in range(part_starts[part], part_starts[part + 1]):
        i = part_particles[n]
        # an exponential per particle would take longer than its constraints
        if particle_bodies[i] != body:
            body = particle_bodies[i]
            decay = ti.exp(-bodies[body, BODY_DAMPING] * h)
        if positions[i][3] > 0.0:
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


@ti.kernel
def project_parts(
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
    part_particles: INTS,
    part_starts: INTS,
    particle_bodies: INTS,
    bodies: FLOAT_TABLE,
    targets: INTS,
    target_starts: VECTORS,
    target_ends: VECTORS,
    gravities: VECTORS,
    h: float,
    substep: ti.i32,
    substeps: ti.i32,
    target_count: ti.i32,
    iteration: ti.i32,
    part_count: ti.i32,
    predicts: ti.template(),
    mode: ti.template(),
    used: ti.template(),
):
    """Predict, where that is still to do, and project all constraints once."""
    if ti.static(predicts):
        ti.loop_config(serialize=True)
        for k in range(target_count):
            share = (substep + 1.0) / substeps
            place_target(k, share, targets, target_starts, target_ends, positions, previous_positions, mode)
    for number in ti.static(range(ROUNDS)):
        for item in range(part_count * ITEMS_PER_TASK):
            if item % ITEMS_PER_TASK == 0:
                part = item // ITEMS_PER_TASK
                if ti.static(predicts and number == 0):
                    predict_part(
                        part,
                        h,
                        gravities[0],
                        positions,
                        previous_positions,
                        velocities,
                        older_positions,
                        older_velocities,
                        corrections,
                        part_particles,
                        part_starts,
                        particle_bodies,
                        bodies,
                        mode,
                    )
                project_task(
                    number * part_count + part,
                    projection_step(h, iteration, mode),
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
    ti.loop_config(serialize=True)
    for task in range(ROUNDS * part_count, ROUNDS * part_count + ti.min(part_count, 1)):
        project_task(
            task,
            projection_step(h, iteration, mode),
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
def project_contact_parts(
    positions: VECTORS,
    previous_positions: VECTORS,
    velocities: VECTORS,
    elements: INT_TABLE,
    weights: FLOAT_TABLE,
    frictions: FLOATS,
    contact_segments: INT_TABLE,
    contact_segment_starts: INTS,
    contact_states: VECTORS,
    contact_multipliers: FLOATS,
    bodies: FLOAT_TABLE,
    motion: MOTION,
    collider_ints: INT_TABLE,
    collider_floats: FLOAT_TABLE,
    mesh_floats: FLOATS,
    mesh_ints: INTS,
    gravities: VECTORS,
    h: float,
    substep: ti.i32,
    is_first_iteration: ti.i32,
    collider_count: ti.i32,
    part_count: ti.i32,
    shapes: ti.template(),
):
    """Project all contact points: those within a part, then those that reach across."""
    for item in range(part_count * ITEMS_PER_TASK):
        if item % ITEMS_PER_TASK == 0:
            part = item // ITEMS_PER_TASK
            project_contact_task(
                part,
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
                gravities[0].norm() * h,
                h,
                substep,
                is_first_iteration,
                collider_count,
                shapes,
            )
    ti.loop_config(serialize=True)
    for task in range(part_count, part_count + ti.min(part_count, 1)):
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
            gravities[0].norm() * h,
            h,
            substep,
            is_first_iteration,
            collider_count,
            shapes,
        )


@ti.kernel
def finish_parts(
    positions: VECTORS,
    previous_positions: VECTORS,
    velocities: VECTORS,
    older_positions: VECTORS,
    older_velocities: VECTORS,
    part_particles: INTS,
    part_starts: INTS,
    elements: INT_TABLE,
    weights: FLOAT_TABLE,
    contact_segments: INT_TABLE,
    contact_segment_starts: INTS,
    contact_states: VECTORS,
    contact_multipliers: FLOATS,
    h: float,
    part_count: ti.i32,
    has_contacts: ti.template(),
    mode: ti.template(),
):
    """Velocities of all particles, then restitution."""
    for item in range(part_count * ITEMS_PER_TASK):
        if item % ITEMS_PER_TASK == 0:
            part = item // ITEMS_PER_TASK
            for n in range(part_starts[part], part_starts[part + 1]):
                update_velocity(part_particles[n], h, positions, previous_positions, velocities, older_positions, mode)
            if ti.static(has_contacts):
                finish_contacts(
                    part,
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
    if ti.static(has_contacts):
        ti.loop_config(serialize=True)
        for task in range(part_count, part_count + ti.min(part_count, 1)):
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
