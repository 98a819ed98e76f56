# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps the angular momentum of what flies: pieces that nothing holds and that touched nothing in a substep.

What constraints do has no torque about the places where particles are then, which are those at the end of the way.
Velocities are taken to act from its start, so that a spin ω loses ω³ h per time [1/s]. The torque about the start is
summed, and its rotation is taken out of the velocities. Gravity has no torque about the centre of mass, and drag takes
from the velocities before.
"""

import taichi as ti

from ...contacts.rigid_motion import solve_inertia
from ..order.spinning_pieces import (
    CHUNK_BODY,
    CHUNK_FIRST,
    CHUNK_LAST,
    CHUNK_OF_FIRST,
    CHUNK_OF_LAST,
    CHUNK_PIECE,
)
from .pair_tables import PUSHING

# columns of the sums of a chunk: mass [kg], −1 where it touched; then vectors: m r [kg m], m r² and m yz, zx, xy
# [kg m²], and the impulse of the torque [kg m²/s]
MASS, MOMENT, SQUARES, PRODUCTS, TORQUE = 0, 1, 4, 7, 10
SUM_WIDTH = 13


@ti.func
def note_touch(contacts: ti.template(), pieces: ti.template(), k):
    """Note that a piece has touched, if contact point ``k`` has."""
    if contacts.touches[k] > 0:
        piece = pieces.spin_of[contacts.elements[k, 0]]
        if piece >= 0:
            pieces.spin_touched[piece] = 1


@ti.func
def _origin(particles: ti.template(), pieces: ti.template(), chunk):
    """A place near all particles of the piece of a chunk, where the substep began [m]."""
    first = pieces.spin_chunks[pieces.spin_chunks[chunk, CHUNK_OF_FIRST], CHUNK_FIRST]
    return particles.previous_positions[pieces.spin_members[first]].xyz


@ti.func
def sum_spin(particles: ti.template(), pieces: ti.template(), chunk, h):
    """Sum over a chunk what tells the spin that its piece has lost; velocities are still the predicted ones."""
    chunks, members, sums = ti.static(pieces.spin_chunks, pieces.spin_members, pieces.spin_sums)
    sums[chunk, MASS] = -1.0
    if pieces.spin_touched[chunks[chunk, CHUNK_PIECE]] == 0:
        origin = _origin(particles, pieces, chunk)
        mass = 0.0
        moment, squares = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
        products, torque = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
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
        torque /= h
        sums[chunk, MASS] = mass
        for axis in ti.static(range(3)):
            sums[chunk, MOMENT + axis] = moment[axis]
            sums[chunk, SQUARES + axis] = squares[axis]
            sums[chunk, PRODUCTS + axis] = products[axis]
            sums[chunk, TORQUE + axis] = torque[axis]


@ti.func
def restore_spin(particles: ti.template(), pieces: ti.template(), pairs: ti.template(), chunk, variant: ti.template()):
    """Give the particles of a chunk the rotation that their piece has lost, unless other surfaces pushed it."""
    chunks, members, sums = ti.static(pieces.spin_chunks, pieces.spin_members, pieces.spin_sums)
    mass, is_free = 0.0, True
    moment, squares = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
    products, torque = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
    for other in range(chunks[chunk, CHUNK_OF_FIRST], chunks[chunk, CHUNK_OF_LAST]):
        is_free = is_free and sums[other, MASS] > 0.0
        if ti.static(variant.has_pairs):
            is_free = is_free and pairs.object_counts[chunks[other, CHUNK_BODY], PUSHING] == 0
        mass += sums[other, MASS]
        for axis in ti.static(range(3)):
            moment[axis] += sums[other, MOMENT + axis]
            squares[axis] += sums[other, SQUARES + axis]
            products[axis] += sums[other, PRODUCTS + axis]
            torque[axis] += sums[other, TORQUE + axis]
    if chunks[chunk, CHUNK_OF_FIRST] == chunk:
        pieces.spin_touched[chunks[chunk, CHUNK_PIECE]] = 0
    if is_free and torque.dot(torque) > 0.0:
        c = moment / mass
        squares -= mass * c * c
        products -= mass * ti.Vector([c[1] * c[2], c[2] * c[0], c[0] * c[1]])
        row0 = ti.Vector([squares[1] + squares[2], -products[2], -products[1]])
        row1 = ti.Vector([-products[2], squares[2] + squares[0], -products[0]])
        row2 = ti.Vector([-products[1], -products[0], squares[0] + squares[1]])
        omega = solve_inertia(row0, row1, row2, torque)
        centre = _origin(particles, pieces, chunk) + c
        for n in range(chunks[chunk, CHUNK_FIRST], chunks[chunk, CHUNK_LAST]):
            i = members[n]
            added = omega.cross(particles.positions[i].xyz - centre)
            particles.velocities[i] = particles.velocities[i] - ti.Vector([added[0], added[1], added[2], 0.0])
