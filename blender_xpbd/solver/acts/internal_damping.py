# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes a share of the motion of bodies that is not rigid (PBD 2007, §3.5), loose piece by loose piece.

What nothing holds keeps its linear and angular momentum. What is held moves with its pins, turned about the point or
the line at which they hold it. As it is velocities that are damped, vibrations fall half as fast: by exp(−½ rate t).
"""

import taichi as ti

from ...contacts.rigid_motion import moments, rigid_motion, solve_inertia
from ...contacts.tables import BODY_INTERNAL_DAMPING
from ..order.damped_pieces import BODY, FREE, HOLD, HOLDERS, LINE, MOVABLE, POINT

# of the trace of a tensor of inertia, added to it, so that what is thin about an axis can be solved for
LEAST_INERTIA = 1e-4


@ti.func
def mean_motion(particles: ti.template(), members: ti.template(), first, last):
    """Mean place [m] and velocity [m/s] of the particles ``members[first]`` … ``members[last − 1]``."""
    centre, velocity = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
    for n in range(first, last):
        centre += particles.positions[members[n]].xyz
        velocity += particles.velocities[members[n]].xyz
    return centre / (last - first), velocity / (last - first)


@ti.func
def turning(particles: ti.template(), members: ti.template(), first, last, centre, velocity):
    """Angular velocity [1/s] of particles about a centre that moves; those without mass count alike."""
    spin, row0, row1, row2 = moments(
        particles.positions, particles.velocities, members, first, last, centre, velocity, LEAST_INERTIA
    )
    return solve_inertia(row0, row1, row2, spin)


@ti.func
def axis_of(particles: ti.template(), members: ti.template(), first, last, centre):
    """Direction from a centre to the particle that is farthest from it; 0 where all are there."""
    longest = ti.Vector([0.0, 0.0, 0.0])
    for n in range(first, last):
        r = particles.positions[members[n]].xyz - centre
        if r.dot(r) > longest.dot(longest):
            longest = r
    length = longest.norm()
    if length > 0.0:
        longest /= length
    return longest


@ti.func
def speed_about(particles: ti.template(), members: ti.template(), first, last, centre, velocity, omega, axis):
    """How fast particles turn about an axis through a centre [1/s], beyond what ``velocity`` and ``omega`` tell."""
    spin, inertia = 0.0, 0.0
    for n in range(first, last):
        p = particles.positions[members[n]]
        m, r = 1.0 / p[3], p.xyz - centre
        arm = axis.cross(r)
        spin += m * arm.dot(particles.velocities[members[n]].xyz - velocity - omega.cross(r))
        inertia += m * arm.dot(arm)
    speed = 0.0
    if inertia > 0.0:
        speed = spin / inertia
    return speed


@ti.func
def held_motion(particles: ti.template(), pieces: ti.template(), piece):
    """Place, velocity and angular velocity of the motion that a held piece may have as a rigid body."""
    rows, members = ti.static(pieces.damped_rows, pieces.damped_members)
    first, holders, last = rows[piece, MOVABLE], rows[piece, HOLDERS], rows[piece + 1, MOVABLE]
    centre, velocity = mean_motion(particles, members, holders, last)
    omega = ti.Vector([0.0, 0.0, 0.0])
    if rows[piece, HOLD] == POINT:
        omega = turning(particles, members, first, holders, centre, velocity)
    else:
        omega = turning(particles, members, holders, last, centre, velocity)
    if rows[piece, HOLD] == LINE:
        axis = axis_of(particles, members, holders, last, centre)
        omega -= axis.dot(omega) * axis
        omega += speed_about(particles, members, first, holders, centre, velocity, omega, axis) * axis
    return centre, velocity, omega


@ti.func
def damp_piece(particles: ti.template(), pieces: ti.template(), piece, h, substeps):
    """Damp the internal motion of a piece for so many substeps of ``h`` [s], as its body's material says."""
    rows, members = ti.static(pieces.damped_rows, pieces.damped_members)
    first, holders = rows[piece, MOVABLE], rows[piece, HOLDERS]
    share = 1.0 - ti.exp(-particles.bodies[rows[piece, BODY], BODY_INTERNAL_DAMPING] * h * substeps)
    centre, mean, omega = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
    if rows[piece, HOLD] == FREE:
        # leaving the rotation of a point or a line out damps a little of its spin
        motion = rigid_motion(particles.positions, particles.velocities, members, first, holders)
        centre, mean, omega = motion.centre, motion.velocity, motion.omega
    else:
        centre, mean, omega = held_motion(particles, pieces, piece)
    for n in range(first, holders):
        i = members[n]
        rigid = mean + omega.cross(particles.positions[i].xyz - centre)
        v = particles.velocities[i]
        for axis in ti.static(range(3)):
            v[axis] += share * (rigid[axis] - v[axis])
        particles.velocities[i] = v
