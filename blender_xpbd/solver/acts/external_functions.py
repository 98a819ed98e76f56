# SPDX-License-Identifier: GPL-3.0-or-later
"""What force fields, air and pushes do to particles before a substep is predicted.

Two stages, for the air's force on a triangle or a segment is shared out to all particles that bear it: first all of
them, then all particles, each of which sums its own in a fixed order.
"""

import taichi as ti

from ...contacts.record import element_point
from ...device.apart import apart
from ...forces.air import air_force, segment_force
from ...forces.evaluate import air_velocity, forces_and_air
from ...forces.tables import (
    ACTS_DRAG,
    ACTS_FIELD,
    ACTS_FORCE,
    ACTS_LIFT,
    ACTS_PUSH,
    ACTS_WEIGHT,
    AIR_BODY,
    AIR_CLOSED,
    AIR_CORNERS,
    AIR_SEGMENT,
    AIR_SHAPE,
)
from .functions import speed_change


@ti.func
def blow_triangle(particles: ti.template(), t, substep, h, variant: ti.template()):
    """The air's force on triangle or segment ``t``, and its rate, into ``air_forces``."""
    points, weights = ti.static(particles.air_points, particles.air_weights)
    body = particles.air_triangles[t, AIR_BODY]
    first, second, third = (
        particles.air_triangles[t, AIR_CORNERS],
        particles.air_triangles[t, AIR_CORNERS + 1],
        particles.air_triangles[t, AIR_CORNERS + 2],
    )
    a = element_point(particles.positions, points, weights, first)
    b = element_point(particles.positions, points, weights, second)
    c = element_point(particles.positions, points, weights, third)
    velocity = element_point(particles.velocities, points, weights, first)
    velocity += element_point(particles.velocities, points, weights, second)
    velocity += element_point(particles.velocities, points, weights, third)
    place, shape = (a + b + c) / 3.0, particles.air_triangles[t, AIR_SHAPE]
    velocity /= 3.0
    if shape == AIR_SEGMENT:
        place = 0.5 * (a + b)
        velocity = element_point(particles.velocities, points, weights, first)
        velocity = 0.5 * (velocity + element_point(particles.velocities, points, weights, second))
    weight = particles.acts[substep, body, ACTS_WEIGHT]
    drag, lift = weight * particles.acts[substep, body, ACTS_DRAG], weight * particles.acts[substep, body, ACTS_LIFT]
    force = ti.Vector([0.0, 0.0, 0.0, 0.0])
    if drag + lift > 0.0:
        air = air_velocity(particles, body, substep, place, t, h, variant.fields)
        if shape == AIR_SEGMENT:
            force = segment_force(b - a, air - velocity, drag)
        else:
            force = air_force((b - a).cross(c - a), air - velocity, drag, lift, ti.cast(shape == AIR_CLOSED, ti.i32))
    particles.air_forces[t] = force


@apart
def blow_share(world: ti.template(), turn, turns, substep, h, variant: ti.template()):
    """The air's force on one of ``turns`` equal shares of the triangles."""
    count = world.particles.air_forces.shape[0]
    for t in range(count * turn // turns, count * (turn + 1) // turns):
        blow_triangle(world.particles, t, substep, h, variant)


@apart
def push_share(particles: ti.template(), turn, turns, substep, h, variant: ti.template()):
    """What acts from outside on one of ``turns`` equal shares of the particles."""
    bodies, starts = ti.static(particles.bodies, particles.body_starts)
    count = starts[bodies.shape[0]]
    first, last = count * turn // turns, count * (turn + 1) // turns
    for b in range(bodies.shape[0]):
        for i in range(ti.max(starts[b], first), ti.min(starts[b + 1], last)):
            push_particle(particles, i, b, substep, h, variant)


@ti.func
def push_particle(particles: ti.template(), i, body, substep, h, variant: ti.template()):
    """By what all that acts from outside changes the velocity of a particle [m/s], into ``pushes``.

    The fourth component divides the whole change of the substep: it is above 1 where what resists motion would turn it
    round within the substep. Damping slows motion relative to the air.
    """
    p, v = particles.positions[i], particles.velocities[i].xyz
    change, divisor = ti.Vector([0.0, 0.0, 0.0]), 1.0
    if p[3] > 0.0:
        weight = particles.acts[substep, body, ACTS_WEIGHT]
        duration, rate = particles.acts[substep, body, ACTS_FIELD], 0.0
        step = particles.acts[substep, body, ACTS_FORCE]
        factor = particles.push_factors[i]
        for axis in ti.static(range(3)):
            change[axis] += duration * factor * particles.acts[substep, body, ACTS_PUSH + axis]
        if ti.static(variant.fields):
            lost = speed_change(particles, body, substep)[3]
            found = forces_and_air(particles, body, substep, p.xyz, v, i, step, lost > 0.0, variant.fields)
            change += duration * found.acceleration.xyz + weight * lost * found.air
            rate += found.acceleration[3]
        if ti.static(variant.has_air):
            total = ti.Vector([0.0, 0.0, 0.0, 0.0])
            for n in range(particles.air_starts[i], particles.air_starts[i + 1]):
                total += particles.air_shares[n] * particles.air_forces[particles.air_triangles_of[n]]
            change += step * p[3] * total.xyz
            rate += p[3] * total[3]
        divisor = ti.max(1.0, rate * step)
    particles.pushes[i] = ti.Vector([change[0], change[1], change[2], divisor])
