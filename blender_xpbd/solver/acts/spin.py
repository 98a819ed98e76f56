# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps the angular momentum of pieces that nothing holds while they fly, and lets jelly that rolls come to rest.

A piece that touched nothing in a substep flies.
What constraints do has no torque about the places where particles are then, which are those at the end of the way.
Velocities are taken to act from its start, so that a spin ω loses ω³ h per time [1/s]. The torque about the start is
summed, and its rotation is taken out of the velocities. Gravity has no torque about the centre of mass, and drag takes
from the velocities before.

A soft body that rolls is held back: what it is pressed on pushes it a little more where it comes down than where it
lifts off. Elasticity alone has no such loss, so a ball on a level floor would roll away from the slightest push, as
the order of the projections gives one. So what touches gets a couple against its rolling, of at most

    ROLLING · |J| · r,    r = √(5/2 I/m)

for an impulse J of all contacts and the radius r of a ball with the mean I of its moments of inertia. It acts across J,
so spinning like a top is free, and about the point that lies r against J from the centre, so that nothing slides by
it. J is told by the velocities: the momentum that constraints and contacts added.
"""

import taichi as ti

from ...constraints.attachments.grab import PULLED
from ...contacts.rigid_motion import solve_inertia
from ..order.spinning_pieces import (
    CHUNK_BODY,
    CHUNK_FIRST,
    CHUNK_LAST,
    CHUNK_OF_FIRST,
    CHUNK_OF_LAST,
    CHUNK_PIECE,
    CHUNK_ROLLS,
)
from ..windows.pair_tables import PUSHING

# columns of the sums of a chunk: whether it touched; mass [kg]; then vectors: m r [kg m], m r² and m yz, zx, xy
# [kg m²], the impulse of the torque [kg m²/s]; then, 0 where a piece does not roll: m v and what of it was added
# [kg m/s], and m r × v [kg m²/s]
TOUCHED, MASS, MOMENT, SQUARES, PRODUCTS, TORQUE, MOMENTUM, IMPULSE, SPIN = 0, 1, 2, 5, 8, 11, 14, 17, 20
SUM_WIDTH = 23
# coefficient of rolling friction. Chosen by hand: what rolls by itself at 20 substeps is pushed by up to 0.003
# (docs/experiments.md, What makes a ball roll), tyres have 0.01, jelly more
ROLLING = 0.01
# r² m / I of a ball
BALL = 2.5


@ti.func
def note_touch(contacts: ti.template(), pieces: ti.template(), k):
    """Note that a piece has touched, if contact point ``k`` has."""
    if contacts.touches[k] > 0:
        piece = pieces.spin_of[contacts.elements[k, 0]]
        if piece >= 0:
            pieces.spin_touched[piece] = 1


@ti.func
def note_held(targets: ti.template(), pieces: ti.template()):
    """Note that what a hand holds has touched."""
    for k in range(targets.grab_particles.shape[0]):
        if targets.grab_weights[k, PULLED] > 0.0:
            piece = pieces.spin_of[targets.grab_particles[k]]
            if piece >= 0:
                pieces.spin_touched[piece] = 1


@ti.func
def _origin(particles: ti.template(), pieces: ti.template(), chunk):
    """A place near all particles of the piece of a chunk, where the substep began [m]."""
    first = pieces.spin_chunks[pieces.spin_chunks[chunk, CHUNK_OF_FIRST], CHUNK_FIRST]
    return particles.previous_positions[pieces.spin_members[first]].xyz


@ti.func
def _keep(sums: ti.template(), chunk, column, vector):
    for axis in ti.static(range(3)):
        sums[chunk, column + axis] = vector[axis]


@ti.func
def sum_spin(particles: ti.template(), pieces: ti.template(), chunk, h):
    """Sum over a chunk what tells the spin that its piece has lost or has; velocities are still the predicted ones."""
    chunks, members, sums = ti.static(pieces.spin_chunks, pieces.spin_members, pieces.spin_sums)
    touched, rolls = pieces.spin_touched[chunks[chunk, CHUNK_PIECE]], chunks[chunk, CHUNK_ROLLS]
    sums[chunk, TOUCHED] = touched
    if touched == 0 or rolls == 1:
        origin = _origin(particles, pieces, chunk)
        mass = 0.0
        moment, squares = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
        products, torque = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
        momentum, impulse, spin = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
        for n in range(chunks[chunk, CHUNK_FIRST], chunks[chunk, CHUNK_LAST]):
            i = members[n]
            x, start = particles.positions[i], particles.previous_positions[i].xyz
            m, r, arm = 1.0 / x[3], x.xyz - origin, start - origin
            change = x.xyz - (start + h * particles.velocities[i].xyz)
            mass += m
            moment += m * r
            squares += m * r * r
            products += m * ti.Vector([r[1] * r[2], r[2] * r[0], r[0] * r[1]])
            torque += m * arm.cross(change)
            if rolls == 1:
                way = m * (x.xyz - start)
                momentum += way
                impulse += m * change
                spin += arm.cross(way)
        sums[chunk, MASS] = mass
        _keep(sums, chunk, MOMENT, moment)
        _keep(sums, chunk, SQUARES, squares)
        _keep(sums, chunk, PRODUCTS, products)
        _keep(sums, chunk, TORQUE, torque / h)
        _keep(sums, chunk, MOMENTUM, momentum / h)
        _keep(sums, chunk, IMPULSE, impulse / h)
        _keep(sums, chunk, SPIN, spin / h)


@ti.func
def _total(pieces: ti.template(), chunk, column):
    """A vector of the sums of all chunks of the piece of a chunk."""
    total = ti.Vector([0.0, 0.0, 0.0])
    for other in range(pieces.spin_chunks[chunk, CHUNK_OF_FIRST], pieces.spin_chunks[chunk, CHUNK_OF_LAST]):
        for axis in ti.static(range(3)):
            total[axis] += pieces.spin_sums[other, column + axis]
    return total


@ti.func
def _met(pieces: ti.template(), object_counts: ti.template(), chunk, variant: ti.template()):
    """Whether a collider touched the piece of a chunk, and whether another body pushed it."""
    chunks = ti.static(pieces.spin_chunks)
    is_touched, is_pushed = False, False
    for other in range(chunks[chunk, CHUNK_OF_FIRST], chunks[chunk, CHUNK_OF_LAST]):
        is_touched = is_touched or pieces.spin_sums[other, TOUCHED] != 0.0
        if ti.static(variant.has_pairs):
            is_pushed = is_pushed or object_counts[chunks[other, CHUNK_BODY], PUSHING] != 0
    return is_touched, is_pushed


@ti.func
def restore_spin(
    particles: ti.template(), pieces: ti.template(), object_counts: ti.template(), chunk, variant: ti.template()
):
    """Give the particles of a chunk the rotation that their piece has lost, or hold back its rolling."""
    chunks, members = ti.static(pieces.spin_chunks, pieces.spin_members)
    is_touched, is_pushed = _met(pieces, object_counts, chunk, variant)
    # what it rolls on takes no part in this: a body would have to get the momentum
    flies = not is_touched and not is_pushed
    rolls = chunks[chunk, CHUNK_ROLLS] == 1 and is_touched and not is_pushed
    if chunks[chunk, CHUNK_OF_FIRST] == chunk:
        pieces.spin_touched[chunks[chunk, CHUNK_PIECE]] = 0
    if flies or rolls:
        mass = 0.0
        for other in range(chunks[chunk, CHUNK_OF_FIRST], chunks[chunk, CHUNK_OF_LAST]):
            mass += pieces.spin_sums[other, MASS]
        c = _total(pieces, chunk, MOMENT) / mass
        squares = _total(pieces, chunk, SQUARES) - mass * c * c
        products = _total(pieces, chunk, PRODUCTS) - mass * ti.Vector([c[1] * c[2], c[2] * c[0], c[0] * c[1]])
        row0 = ti.Vector([squares[1] + squares[2], -products[2], -products[1]])
        row1 = ti.Vector([-products[2], squares[2] + squares[0], -products[0]])
        row2 = ti.Vector([-products[1], -products[0], squares[0] + squares[1]])
        about = _total(pieces, chunk, TORQUE)
        if not flies:
            about = _total(pieces, chunk, SPIN) - c.cross(_total(pieces, chunk, MOMENTUM))
        omega = solve_inertia(row0, row1, row2, about)
        centre = _origin(particles, pieces, chunk) + c
        if not flies:
            load = _total(pieces, chunk, IMPULSE)
            size = ti.max(load.norm(), 1e-30)
            along = load / size
            inertia = (row0[0] + row1[1] + row2[2]) / 3.0
            radius = ti.sqrt(BALL * inertia / mass)
            omega -= omega.dot(along) * along
            most = ROLLING * size * radius / ti.max(inertia + mass * radius * radius, 1e-30)
            omega *= ti.min(1.0, most / ti.max(omega.norm(), 1e-30))
            centre -= radius * along
        for n in range(chunks[chunk, CHUNK_FIRST], chunks[chunk, CHUNK_LAST]):
            i = members[n]
            added = omega.cross(particles.positions[i].xyz - centre)
            particles.velocities[i] = particles.velocities[i] - ti.Vector([added[0], added[1], added[2], 0.0])
