# SPDX-License-Identifier: GPL-3.0-or-later
"""Impacts of hard pieces: a piece that hits parts at once, as a rigid body.

The dent of a hard piece is the solver's and not its material's. While it lasts, a body that stands on a corner begins
to turn, and what it gives back changes with the substeps. So a hard piece follows the law of rigid bodies from its
first touch on. Each point that comes faster than what rests parts with e times its approach at least (Newton; Moreau
1988, "Unilateral contact and dry friction in finite freedom dynamics"), all that touch together, with Coulomb's
friction, by sequential impulses. The substep is done again for the piece: up to the touch as it came, then as it parts.
"""

import taichi as ti

from .external import external_acceleration
from .record import element_point
from .rigid_motion import kinetic_energy, response, rigid_motion, solve_inertia, velocity_at
from .slots import (
    SLOT_CHANGE,
    SLOT_FRICTION,
    SLOT_GIVEN,
    SLOT_MULTIPLIER,
    SLOT_NORMAL,
    SLOT_RESTITUTION,
    SLOT_SURFACE,
    set_slot_vector,
    slot_impulse,
    slot_vector,
)
from .tables import PIECE_MEMBERS, PIECE_POINTS

# speeds below this many times g h are resting contact and do not bounce (Müller et al. 2020, §3.6)
RESTING = 2.0
# sweeps over the points that touch, at most, and the change of speed per approach that ends them. Chosen by hand
MOST_SWEEPS = 60
LEAST_CHANGE = 1e-4


@ti.func
def strike_piece(
    particles: ti.template(),
    contacts: ti.template(),
    pieces: ti.template(),
    piece,
    times,
    variant: ti.template(),
):
    """Let a hard piece part from what it hit in the substep; arguments as in ``restitution.bounce_piece``.

    ``times`` are its ``h`` and ``inverse_h``.
    """
    h, inverse_h = times[0], times[1]
    first, last = pieces.piece_rows[piece, PIECE_MEMBERS], pieces.piece_rows[piece + 1, PIECE_MEMBERS]
    if _touches(contacts, pieces, piece):
        motion = rigid_motion(particles.positions, particles.velocities, pieces.members, first, last)
        _take_back(particles, contacts, pieces, piece, motion, inverse_h)
        gravity = external_acceleration(particles, pieces.members[first], h, variant)
        approach, until = _first_hit(particles, contacts, pieces, piece, motion, RESTING * gravity.norm() * h, h)
        if approach > 0.0:
            came, turned = motion.velocity, motion.omega
            # what the velocities mean: the middle of a substep of Euler's, and the end of one of BDF2's
            shift = (until - ti.static(1.0 if variant.has_history else 0.5) * h) * gravity
            starts = ti.static(particles.older_positions if variant.has_history else particles.previous_positions)
            for n in range(first, last):
                i = pieces.members[n]
                for axis in ti.static(range(3)):
                    particles.positions[i][axis] = starts[i][axis]
            motion = rigid_motion(particles.positions, particles.velocities, pieces.members, first, last)
            motion.velocity, motion.omega = came + shift, turned
            _part(particles, contacts, pieces, piece, motion, approach, RESTING * gravity.norm() * h)
            way = until * came + (h - until) * motion.velocity
            turn = until * turned + (h - until) * motion.omega
            motion.velocity -= shift
            for n in range(first, last):
                _move(particles, pieces.members[n], motion, way, turn, h, variant)


@ti.func
def _touches(contacts: ti.template(), pieces: ti.template(), piece):
    result = False
    n = pieces.piece_rows[piece, PIECE_POINTS]
    while n < pieces.piece_rows[piece + 1, PIECE_POINTS] and not result:
        result = contacts.touches[pieces.points[n]] > 0
        n += 1
    return result


@ti.func
def _take_back(
    particles: ti.template(), contacts: ti.template(), pieces: ti.template(), piece, motion: ti.template(), inverse_h
):
    """Take what contacts gave in the substep out of the motion of a piece."""
    momentum, spin = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
    for n in range(pieces.piece_rows[piece, PIECE_POINTS], pieces.piece_rows[piece + 1, PIECE_POINTS]):
        k = pieces.points[n]
        for slot in range(contacts.touches[k]):
            along, tangential = slot_impulse(particles, contacts, k, slot, inverse_h)
            impulse = along * slot_vector(contacts, k, slot, SLOT_NORMAL) + tangential
            momentum += impulse
            spin += _arm(particles, contacts, k, motion).cross(impulse)
    motion.velocity -= momentum / motion.mass
    motion.omega -= solve_inertia(motion.row0, motion.row1, motion.row2, spin)


@ti.func
def _arm(particles: ti.template(), contacts: ti.template(), k, motion: ti.template()):
    return element_point(particles.positions, contacts.elements, contacts.weights, k) - motion.centre


@ti.func
def _first_hit(
    particles: ti.template(), contacts: ti.template(), pieces: ti.template(), piece, motion: ti.template(), resting, h
):
    """The greatest approach [m/s], 0 where nothing comes faster than what rests, and when the first point touched [s].

    What a contact point was pushed is how far it would have come beyond the surface.
    """
    greatest, until = 0.0, h
    for n in range(pieces.piece_rows[piece, PIECE_POINTS], pieces.piece_rows[piece + 1, PIECE_POINTS]):
        k = pieces.points[n]
        for slot in range(contacts.touches[k]):
            slip = velocity_at(motion, _arm(particles, contacts, k, motion)) - slot_vector(
                contacts, k, slot, SLOT_SURFACE
            )
            approach = -slip.dot(slot_vector(contacts, k, slot, SLOT_NORMAL))
            if approach > resting:
                greatest = ti.max(greatest, approach)
                until = ti.min(until, ti.max(h - contacts.slots[k, slot, SLOT_MULTIPLIER] / approach, 0.0))
            contacts.slots[k, slot, SLOT_CHANGE] = 0.0
            set_slot_vector(contacts, k, slot, SLOT_GIVEN, ti.Vector([0.0, 0.0, 0.0]))
    return greatest, until


@ti.func
def _part(
    particles: ti.template(),
    contacts: ti.template(),
    pieces: ti.template(),
    piece,
    motion: ti.template(),
    approach,
    resting,
):
    """Change the motion of a piece by the impulses with which it parts from all that it touches.

    The impulses are summed in the columns for friction and for the change of speed, which the substep is done with.
    """
    came, turned = motion.velocity, motion.omega
    surface, total = ti.Vector([0.0, 0.0, 0.0]), 0.0
    sweep = 0
    while sweep < MOST_SWEEPS:
        sweep += 1
        largest = 0.0
        for n in range(pieces.piece_rows[piece, PIECE_POINTS], pieces.piece_rows[piece + 1, PIECE_POINTS]):
            k = pieces.points[n]
            arm = _arm(particles, contacts, k, motion)
            for slot in range(contacts.touches[k]):
                normal = slot_vector(contacts, k, slot, SLOT_NORMAL)
                moved = slot_vector(contacts, k, slot, SLOT_SURFACE)
                before = normal.dot(came + turned.cross(arm) - moved)
                wanted = 0.0
                if before < -resting:
                    wanted = -contacts.slots[k, slot, SLOT_RESTITUTION] * before
                change = wanted - normal.dot(velocity_at(motion, arm) - moved)
                held = contacts.slots[k, slot, SLOT_CHANGE]
                size = ti.max(held + change / response(motion, arm, normal), 0.0)
                contacts.slots[k, slot, SLOT_CHANGE] = size
                largest = ti.max(largest, ti.abs(size - held) / motion.mass)
                _push(motion, arm, (size - held) * normal)
                total += size - held
                surface += (size - held) * moved
                _rub(contacts, k, slot, motion, arm, normal, moved, size)
        if largest < LEAST_CHANGE * approach:
            sweep = MOST_SWEEPS
    if total > 0.0:
        _keep_energy(motion, came, turned, surface / total)


@ti.func
def _push(motion: ti.template(), arm, impulse):
    motion.velocity += impulse / motion.mass
    motion.omega += solve_inertia(motion.row0, motion.row1, motion.row2, arm.cross(impulse))


@ti.func
def _rub(contacts: ti.template(), k, slot, motion: ti.template(), arm, normal, moved, size):
    """Coulomb's friction of one point, for a normal impulse of this size."""
    slip = velocity_at(motion, arm) - moved
    slip -= slip.dot(normal) * normal
    speed = slip.norm()
    held = slot_vector(contacts, k, slot, SLOT_GIVEN)
    given = held
    if speed > 0.0:
        along = slip / speed
        given -= speed / response(motion, arm, along) * along
    length, most = given.norm(), contacts.slots[k, slot, SLOT_FRICTION] * size
    if length > most:
        given *= most / length
    set_slot_vector(contacts, k, slot, SLOT_GIVEN, given)
    _push(motion, arm, given - held)


@ti.func
def _keep_energy(motion: ti.template(), came, turned, surface):
    """Take as much of an impact back as would give more energy than there was, relative to what was hit."""
    moved, spun = motion.velocity - came, motion.omega - turned
    gained = kinetic_energy(motion, motion.velocity - surface, motion.omega)
    gained -= kinetic_energy(motion, came - surface, turned)
    if gained > 0.0:
        # the energy is a parabola of the share of the impact that counts
        share = 1.0 - gained / kinetic_energy(motion, moved, spun)
        motion.velocity = came + share * moved
        motion.omega = turned + share * spun


@ti.func
def _move(particles: ti.template(), i, motion: ti.template(), way, turn, h, variant: ti.template()):
    """Move a particle from where it was when the substep began, and give it the motion; BDF2 does not look back."""
    arm = particles.positions[i].xyz - motion.centre
    step = way + turn.cross(arm)
    speed = motion.velocity + motion.omega.cross(arm + turn.cross(arm))
    moved, velocity = ti.Vector([step[0], step[1], step[2], 0.0]), ti.Vector([speed[0], speed[1], speed[2], 0.0])
    particles.positions[i] = particles.positions[i] + moved
    particles.velocities[i] = velocity
    if ti.static(variant.has_history):
        fallen = h * external_acceleration(particles, i, h, variant)
        particles.older_velocities[i] = velocity - ti.Vector([fallen[0], fallen[1], fallen[2], 0.0])
        particles.older_positions[i] = particles.positions[i] - h * velocity
