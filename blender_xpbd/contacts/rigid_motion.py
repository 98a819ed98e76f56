# SPDX-License-Identifier: GPL-3.0-or-later
"""The rigid part of the motion of many particles: what has all their linear and angular momentum."""

import taichi as ti


@ti.func
def solve_inertia(row0, row1, row2, vector):
    """I⁻¹ v of a tensor of inertia, given by its rows; 0 where the particles are a point or a line."""
    # Cramer's rule; Taichi's inverse of a matrix takes a tenth of a second to compile
    column0, column1, column2 = row1.cross(row2), row2.cross(row0), row0.cross(row1)
    determinant = row0.dot(column0)
    size = (row0[0] + row1[1] + row2[2]) / 3.0
    solution = ti.Vector([0.0, 0.0, 0.0])
    if determinant > 1e-6 * size * size * size:
        solution = (vector[0] * column0 + vector[1] * column1 + vector[2] * column2) / determinant
    return solution


@ti.func
def moments(
    positions: ti.template(), velocities: ti.template(), members: ti.template(), first, last, centre, velocity, least
):
    """Angular momentum about a centre that moves [kg m²/s], and the rows of the tensor of inertia [kg m²].

    Args:
        positions: of all particles [m], with their inverse masses [1/kg].
        velocities: of all particles [m/s].
        members: their numbers; those without mass count as 1 kg.
        first: of the members.
        last: the one after the last.
        centre: [m].
        velocity: of the centre [m/s].
        least: share of twice the second moment that is added to the tensor, so that what is thin about an axis has one.
    """
    spin = ti.Vector([0.0, 0.0, 0.0])
    row0, row1, row2 = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
    for n in range(first, last):
        p = positions[members[n]]
        m, r = 1.0, p.xyz - centre
        if p[3] > 0.0:
            m = 1.0 / p[3]
        spin += m * r.cross(velocities[members[n]].xyz - velocity)
        size = (1.0 + 2.0 * least) * m * r.dot(r)
        row0 += ti.Vector([size, 0.0, 0.0]) - (m * r[0]) * r
        row1 += ti.Vector([0.0, size, 0.0]) - (m * r[1]) * r
        row2 += ti.Vector([0.0, 0.0, size]) - (m * r[2]) * r
    return spin, row0, row1, row2


@ti.func
def rigid_motion(positions: ti.template(), velocities: ti.template(), members: ti.template(), first, last):
    """The rigid motion of the particles ``members[first]`` … ``members[last − 1]``, all of them movable.

    Returns:
        mass [kg], centre of mass [m], its velocity [m/s], angular velocity ``omega`` [1/s], and the rows of the tensor
        of inertia [kg m²].
    """
    mass = 0.0
    centre, momentum = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
    for n in range(first, last):
        p = positions[members[n]]
        m = 1.0 / p[3]
        mass += m
        centre += m * p.xyz
        momentum += m * velocities[members[n]].xyz
    centre /= mass
    velocity = momentum / mass
    spin, row0, row1, row2 = moments(positions, velocities, members, first, last, centre, velocity, 0.0)
    return ti.Struct(
        mass=mass,
        centre=centre,
        velocity=velocity,
        omega=solve_inertia(row0, row1, row2, spin),
        row0=row0,
        row1=row1,
        row2=row2,
    )


@ti.func
def velocity_at(motion: ti.template(), arm):
    """Velocity of the point that is ``arm`` away from the centre of mass [m/s]."""
    return motion.velocity + motion.omega.cross(arm)


@ti.func
def response(motion: ti.template(), arm, direction):
    """By how much a unit impulse at ``arm`` along ``direction`` changes the velocity there, along it [1/kg]."""
    turned = solve_inertia(motion.row0, motion.row1, motion.row2, arm.cross(direction))
    return 1.0 / motion.mass + direction.dot(turned.cross(arm))


@ti.func
def kinetic_energy(motion: ti.template(), velocity, omega):
    """Of the rigid motion with another velocity and angular velocity [J]."""
    turned = ti.Vector([motion.row0.dot(omega), motion.row1.dot(omega), motion.row2.dot(omega)])
    return 0.5 * (motion.mass * velocity.dot(velocity) + omega.dot(turned))
