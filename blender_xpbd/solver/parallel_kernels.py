# SPDX-License-Identifier: GPL-3.0-or-later
"""The same loop for many threads: one launch per phase and colour, the same functions in the same order.

Within a colour no particle is shared, so the result is that of ``team_kernels.simulate_frame``.
"""

import taichi as ti

from ..constraints import CONSTRAINTS
from ..contacts.contact import BODY_DAMPING, BODY_INTERNAL_DAMPING, apply_restitution, project_contact
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
    project_constraint,
    projection_step,
    update_velocity,
)


@ti.kernel
def predict_positions(
    positions: VECTORS,
    previous_positions: VECTORS,
    velocities: VECTORS,
    older_positions: VECTORS,
    older_velocities: VECTORS,
    corrections: VECTORS,
    particle_bodies: INTS,
    bodies: FLOAT_TABLE,
    gravities: VECTORS,
    h: float,
    mode: ti.template(),
):
    """Predict all particles."""
    for i in range(positions.shape[0]):
        decay = ti.exp(-bodies[particle_bodies[i], BODY_DAMPING] * h)
        predict_position(
            i,
            h,
            gravities[0],
            decay,
            positions,
            previous_positions,
            velocities,
            older_positions,
            older_velocities,
            corrections,
            mode,
        )


@ti.kernel
def place_targets(
    positions: VECTORS,
    previous_positions: VECTORS,
    targets: INTS,
    target_starts: VECTORS,
    target_ends: VECTORS,
    share: float,
    count: ti.i32,
    mode: ti.template(),
):
    """Place all pinned particles ``share`` of the way to the next frame."""
    for k in range(count):
        place_target(k, share, targets, target_starts, target_ends, positions, previous_positions, mode)


@ti.kernel
def project_colour(
    positions: VECTORS,
    previous_positions: VECTORS,
    corrections: VECTORS,
    indices: INTS,
    parameters: FLOATS,
    lagrange_multipliers: FLOATS,
    table: INT_TABLE,
    first: ti.i32,
    last: ti.i32,
    h: float,
    iteration: ti.i32,
    mode: ti.template(),
    kind: ti.template(),
):
    """Project the constraints of one type and colour."""
    for k in range(first, last):
        step = projection_step(h, iteration, mode)
        project_constraint(
            table[kind, 1] + k * ti.static(CONSTRAINTS[kind].particle_count),
            table[kind, 2] + k * ti.static(len(CONSTRAINTS[kind].parameters)),
            table[kind, 3] + k * ti.static(CONSTRAINTS[kind].slots),
            step,
            positions,
            previous_positions,
            corrections,
            indices,
            parameters,
            lagrange_multipliers,
            mode,
            kind,
        )


@ti.kernel
def project_contact_colour(
    positions: VECTORS,
    previous_positions: VECTORS,
    velocities: VECTORS,
    groups: INTS,
    elements: INT_TABLE,
    weights: FLOAT_TABLE,
    frictions: FLOATS,
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
    first: ti.i32,
    last: ti.i32,
    shapes: ti.template(),
):
    """Project the contact points of one colour of groups."""
    for group in range(first, last):
        for k in range(groups[group], groups[group + 1]):
            project_contact(
                k,
                substep,
                collider_count,
                h,
                gravities[0].norm() * h,
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
def update_velocities(
    positions: VECTORS,
    previous_positions: VECTORS,
    velocities: VECTORS,
    older_positions: VECTORS,
    h: float,
    mode: ti.template(),
):
    """Velocities of all particles."""
    for i in range(positions.shape[0]):
        update_velocity(i, h, positions, previous_positions, velocities, older_positions, mode)


@ti.kernel
def forget_histories(
    positions: VECTORS,
    velocities: VECTORS,
    older_positions: VECTORS,
    older_velocities: VECTORS,
    elements: INT_TABLE,
    contact_multipliers: FLOATS,
    h: float,
    count: ti.i32,
):
    """Let BDF2 go on from uniform motion where contact points were hit; points that share a particle write the same."""
    for k in range(count):
        forget_history(k, h, positions, velocities, older_positions, older_velocities, elements, contact_multipliers)


@ti.kernel
def restore_contact_colour(
    positions: VECTORS,
    velocities: VECTORS,
    groups: INTS,
    elements: INT_TABLE,
    weights: FLOAT_TABLE,
    contact_states: VECTORS,
    contact_multipliers: FLOATS,
    first: ti.i32,
    last: ti.i32,
):
    """Restitution of the contact points of one colour of groups."""
    for group in range(first, last):
        for k in range(groups[group], groups[group + 1]):
            apply_restitution(k, positions, velocities, elements, weights, contact_states, contact_multipliers)


@ti.kernel
def damp_bodies(positions: VECTORS, velocities: VECTORS, starts: INTS, bodies: FLOAT_TABLE, duration: float):
    """Damp the internal motion of each body, one thread per body."""
    for b in range(bodies.shape[0]):
        rate = bodies[b, BODY_INTERNAL_DAMPING]
        if rate > 0.0:
            damp_internal_motion(starts[b], starts[b + 1], 1.0 - ti.exp(-rate * duration), positions, velocities)
