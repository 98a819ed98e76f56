# SPDX-License-Identifier: GPL-3.0-or-later
"""The acts of a substep for many threads: one launch per act and colour, the same functions in the same order.

Within a colour no particle is shared, so the result is that of ``team_kernels.simulate_substeps``.
"""

import taichi as ti

from ...constraints import CONSTRAINTS
from ...constraints.attachments.grab import hold_grabbed
from ...constraints.constraint import RATES
from ...contacts.collider_anchors import note_anchor
from ...contacts.contact import project_contact
from ...contacts.restitution import bounce_piece, restore_speeds
from ..acts.external_functions import blow_triangle, push_particle
from ..acts.flow_functions import flow_row
from ..acts.functions import (
    damping_step,
    forget_history,
    place_target,
    predict_position,
    project_constraint,
    projection_step,
    resting_speed,
    speed_change,
    update_velocity,
)
from ..acts.internal_damping import damp_piece
from ..acts.orientations import predict_orientations, update_angular_velocities
from ..acts.spin import note_held, note_touch, restore_spin, sum_spin
from .packs import INT_TABLE, INTS, Colliders, Constraints, Contacts, Particles, Pieces, Targets


@ti.kernel
def predict_positions(particles: Particles, body_of: INTS, h: float, substep: ti.i32, mode: ti.template()):
    """Predict all particles; ``body_of`` has the body of each."""
    for i in range(particles.positions.shape[0]):
        predict_position(particles, i, h, speed_change(particles, body_of[i], substep), mode)


@ti.kernel
def blow_triangles(particles: Particles, h: float, substep: ti.i32, variant: ti.template()):
    """The air's force on all triangles."""
    for t in range(particles.air_forces.shape[0]):
        blow_triangle(particles, t, substep, h, variant)


@ti.kernel
def push_particles(particles: Particles, body_of: INTS, h: float, substep: ti.i32, variant: ti.template()):
    """What acts on all particles from outside."""
    for i in range(particles.positions.shape[0]):
        push_particle(particles, i, body_of[i], substep, h, variant)


@ti.kernel
def place_targets(particles: Particles, targets: Targets, share: float, mode: ti.template()):
    """Place all pinned particles ``share`` of the way to the next frame."""
    for k in range(targets.particles.shape[0]):
        place_target(particles, targets, k, share, mode)


@ti.kernel
def hold_patch(
    particles: Particles,
    targets: Targets,
    pieces: Pieces,
    h: float,
    substep: ti.i32,
    of: ti.i32,
    variant: ti.template(),
):
    """Pull what a hand holds, by one thread."""
    ti.loop_config(serialize=True)
    for _ in range(1):
        step = projection_step(h, 0, substep, variant.mode)
        hold_grabbed(particles, targets, (substep + 1.0) / of, of, step)
        if ti.static(variant.keeps_spins):
            note_held(targets, pieces)


@ti.kernel
def project_colour(
    particles: Particles,
    constraints: Constraints,
    first: ti.i32,
    last: ti.i32,
    h: float,
    substep: ti.i32,
    iteration: ti.i32,
    mode: ti.template(),
    kind: ti.template(),
):
    """Project the constraints of one type and colour; with RATES, damp them."""
    for k in range(first, last):
        step = projection_step(h, iteration, substep, mode)
        if ti.static(mode & RATES):
            step = damping_step(h, iteration, mode)
        project_constraint(
            particles,
            constraints,
            constraints.table[kind, 1] + k * ti.static(CONSTRAINTS[kind].particle_count),
            constraints.table[kind, 2] + k * ti.static(len(CONSTRAINTS[kind].parameters)),
            constraints.table[kind, 3] + k * ti.static(CONSTRAINTS[kind].slots(mode)),
            step,
            mode,
            kind,
        )


@ti.kernel
def flow_rows(particles: Particles, constraints: Constraints, h: float, kind: ti.template()):
    """Let the constraints of a type flow that may."""
    for row in range(constraints.flow_starts[kind], constraints.flow_starts[kind + 1]):
        flow_row(particles, constraints, row, h, kind)


@ti.kernel
def project_contact_colour(
    particles: Particles,
    contacts: Contacts,
    colliders: Colliders,
    first: ti.i32,
    last: ti.i32,
    substep: ti.i32,
    iteration: ti.i32,
    h: float,
    variant: ti.template(),
):
    """Project the contact points of the elements of one colour."""
    for element in range(first, last):
        for k in range(contacts.element_starts[element], contacts.element_starts[element + 1]):
            speed = resting_speed(particles, contacts, k, h, variant)
            project_contact(particles, contacts, colliders, k, substep, h, speed, iteration == 0, variant)


@ti.kernel
def update_velocities(particles: Particles, h: float, mode: ti.template()):
    """Velocities of all particles."""
    for i in range(particles.positions.shape[0]):
        update_velocity(particles, i, h, mode)


@ti.kernel
def predict_turns(particles: Particles, h: float, substep: ti.i32):
    """Predict all orientations."""
    count = particles.orientations.shape[0]
    for i in range(count):
        predict_orientations(particles, i, count, h, substep)


@ti.kernel
def update_turns(particles: Particles, h: float):
    """Angular velocities of all orientations."""
    count = particles.orientations.shape[0]
    for i in range(count):
        update_angular_velocities(particles, i, count, h)


@ti.kernel
def restore_contact_colour(
    particles: Particles,
    contacts: Contacts,
    first: ti.i32,
    last: ti.i32,
    h: float,
    variant: ti.template(),
):
    """Velocities of the contact points of the elements of one colour after a hit, and their anchors."""
    for element in range(first, last):
        for k in range(contacts.element_starts[element], contacts.element_starts[element + 1]):
            if ti.static(variant.has_anchors):
                note_anchor(particles, contacts, k, h)
            restore_speeds(particles, contacts, k, variant.bounces)


@ti.kernel
def forget_histories(
    particles: Particles, contacts: Contacts, first: ti.i32, last: ti.i32, h: float, mode: ti.template()
):
    """Let BDF2 go on from uniform motion where contact points were hit; points that share a particle write the same."""
    for k in range(contacts.element_starts[first], contacts.element_starts[last]):
        forget_history(particles, contacts, k, h, mode)


@ti.kernel
def bounce_pieces(particles: Particles, contacts: Contacts, pieces: Pieces, h: float, variant: ti.template()):
    """Let compact pieces bounce, one thread per piece."""
    for piece in range(pieces.piece_rows.shape[0] - 1):
        bounce_piece(particles, contacts, pieces, piece, h, projection_step(h, 0, 0, variant.mode)[2], variant)


@ti.kernel
def note_touches(contacts: Contacts, pieces: Pieces, first: ti.i32, last: ti.i32):
    """Note which pieces that nothing holds have touched by the contact points of some elements."""
    for k in range(contacts.element_starts[first], contacts.element_starts[last]):
        note_touch(contacts, pieces, k)


@ti.kernel
def sum_spins(particles: Particles, pieces: Pieces, h: float):
    """Sum the lost spin of pieces that nothing holds, one thread per chunk."""
    for chunk in range(pieces.spin_chunks.shape[0]):
        sum_spin(particles, pieces, chunk, h)


@ti.kernel
def restore_spins(particles: Particles, pieces: Pieces, object_counts: INT_TABLE, variant: ti.template()):
    """Give them their spin back, likewise."""
    for chunk in range(pieces.spin_chunks.shape[0]):
        restore_spin(particles, pieces, object_counts, chunk, variant)


@ti.kernel
def damp_pieces(particles: Particles, pieces: Pieces, h: float, of: ti.i32):
    """Damp the internal motion of all loose pieces, one thread per piece."""
    for piece in range(pieces.damped_rows.shape[0] - 1):
        damp_piece(particles, pieces, piece, h, of)
