# SPDX-License-Identifier: GPL-3.0-or-later
"""Restitution: how fast what was hit parts again, for points and for compact pieces of bodies.

**Points** (cloth, and what pins hold): a velocity step after the substep gives a point that was hit the normal speed
n·v = e times its approach (Müller et al. 2020, "Detailed Rigid Body Simulation", eq. 34).

**Compact pieces** (jelly that nothing holds) touch with a few points only. A speed that only those get is taken back
by the rest of the body. Here e is Newton's, for the rigid part of the motion of the whole piece. A *hit* of a piece on
one collider begins with the first touch. It notes the greatest approach of the point of contact, which is the centre of
the impulses. While elasticity pushes, nothing is added. Once that push no longer exceeds gravity, the piece gets a
rigid impulse at the point of contact, so that it parts there with e times the approach at least. Elasticity gives back
what it can, and e makes up for what is lost. The impulse takes Coulomb friction along, and never gives more energy than
there was when the hit began. Hard pieces part at the first touch (``impact``).
"""

import taichi as ti

from ..geometry.collider.bent_cells import SAME_NORMAL
from .external import external_acceleration
from .impact import RESTING, strike_piece
from .record import element_inverse_mass, element_point, push_element
from .rigid_motion import kinetic_energy, response, rigid_motion, solve_inertia, velocity_at
from .slots import (
    SLOT_CHANGE,
    SLOT_COLLIDER,
    SLOT_FRICTION,
    SLOT_NORMAL,
    SLOT_RESTITUTION,
    SLOT_SPEED,
    SLOT_SURFACE,
    set_slot_vector,
    slot_impulse,
    slot_vector,
)
from .tables import PIECE_IS_HARD, PIECE_MEMBERS, PIECE_POINTS, POINT_PIECE

# columns of a hit: greatest approach [m/s], or FREE or OVER; impulse, and the sum of the sizes of friction's [N s]; e;
# energy when it began [J]; substeps without touch; then vectors: impulse · arm, impulse · normal, impulse · velocity of
# the surface, where the centre of mass was when it began [m], and the normal of what the piece rested on before
APPROACH, IMPULSE, FRICTION, RESTITUTION, ENERGY, IDLE = range(6)
ARM, NORMAL, SURFACE, START, REST = range(6, 21, 3)
HIT_WIDTH = 21
FREE, OVER = 0.0, -1.0
# a hit that is not over but has not touched for so many substeps slid off. Chosen by hand: fewer end a hit that only
# trembles, more hold up the next one
LONGEST_IDLE = 4


@ti.func
def note_contact(
    particles: ti.template(),
    contacts: ti.template(),
    k,
    slot,
    contact: ti.template(),
    h,
    gravity_speed,
    bounces: ti.template(),
):
    """Note the normal speed that a touching point is to have after the substep: the surface's, and e · approach.

    Points of compact pieces only get the surface's: the piece bounces as a whole. ``bounces`` is static: whether there
    are such pieces.
    """
    surface_speed = contact.carried.dot(contact.normal) / h
    rebound = 0.0
    is_alone = True
    if ti.static(bounces):
        is_alone = contacts.elements[k, POINT_PIECE] < 0
        surface = contact.carried / h
        set_slot_vector(contacts, k, slot, SLOT_SURFACE, surface)
        contacts.slots[k, slot, SLOT_RESTITUTION] = contact.restitution
        contacts.slots[k, slot, SLOT_FRICTION] = contact.friction
    if is_alone:
        approach = (
            element_point(particles.velocities, contacts.elements, contacts.weights, k).dot(contact.normal)
            - surface_speed
        )
        if approach < -RESTING * gravity_speed:
            rebound = -approach * contact.restitution
    set_slot_vector(contacts, k, slot, SLOT_NORMAL, contact.normal)
    contacts.slots[k, slot, SLOT_SPEED] = surface_speed + rebound


@ti.func
def restore_speeds(particles: ti.template(), contacts: ti.template(), k, bounces: ti.template()):
    """Give contact point ``k`` the normal speeds that ``note_contact`` has noted."""
    elements, weights = ti.static(contacts.elements, contacts.weights)
    for slot in range(contacts.touches[k]):
        normal = slot_vector(contacts, k, slot, SLOT_NORMAL)
        change = contacts.slots[k, slot, SLOT_SPEED] - element_point(particles.velocities, elements, weights, k).dot(
            normal
        )
        mass = 1.0 / element_inverse_mass(particles, elements, weights, k)
        push_element(particles.velocities, particles, elements, weights, k, mass, change * normal)
        if ti.static(bounces):
            contacts.slots[k, slot, SLOT_CHANGE] = change


@ti.func
def bounce_piece(
    particles: ti.template(),
    contacts: ti.template(),
    pieces: ti.template(),
    piece,
    h,
    inverse_h,
    variant: ti.template(),
):
    """Go on with the hits of a piece after a substep: note them, and part it from what it hit.

    Args:
        particles: the pack.
        contacts: the pack.
        pieces: the pack.
        piece: number of the piece.
        h: duration of the substep [s].
        inverse_h: velocity per displacement, as in ``projection_step`` [1/s].
        variant: static: whether the integration ``has_history`` (BDF2).
    """
    if pieces.piece_rows[piece, PIECE_IS_HARD] > 0:
        strike_piece(particles, contacts, pieces, piece, ti.Vector([h, inverse_h]), variant)
    elif _is_busy(contacts, pieces, piece):
        first, last = pieces.piece_rows[piece, PIECE_MEMBERS], pieces.piece_rows[piece + 1, PIECE_MEMBERS]
        motion = rigid_motion(particles.positions, particles.velocities, pieces.members, first, last)
        change, turn = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
        for c in range(pieces.hits.shape[1]):
            touch = _touch(particles, contacts, pieces, piece, c, motion, inverse_h)
            gravity = external_acceleration(particles, pieces.members[first], h, variant)
            _begin(pieces, piece, c, motion, touch, gravity.norm() * h)
            impulse = _follow(pieces, piece, c, motion, touch, gravity, h)
            if impulse.dot(impulse) > 0.0:
                arm = _vector(pieces.hits, piece, c, ARM) / pieces.hits[piece, c, IMPULSE]
                moved = impulse / motion.mass
                turned = solve_inertia(motion.row0, motion.row1, motion.row2, arm.cross(impulse))
                motion.velocity += moved
                motion.omega += turned
                change += moved
                turn += turned
        if change.dot(change) > 0.0:
            for n in range(first, last):
                _speed_up(particles, pieces.members[n], motion.centre, change, turn, h, variant)


@ti.func
def _speed_up(particles: ti.template(), i, centre, change, turn, h, variant: ti.template()):
    """Change the velocity of a particle by a rigid motion; BDF2's history too, or it would look back across the hit."""
    added = change + turn.cross(particles.positions[i].xyz - centre)
    given = ti.Vector([added[0], added[1], added[2], 0.0])
    particles.velocities[i] = particles.velocities[i] + given
    if ti.static(variant.has_history):
        particles.older_velocities[i] = particles.older_velocities[i] + given
        particles.older_positions[i] = particles.older_positions[i] - h * given


@ti.func
def _is_busy(contacts: ti.template(), pieces: ti.template(), piece):
    """Whether a piece touches anything, or did."""
    result = False
    for c in range(pieces.hits.shape[1]):
        if pieces.hits[piece, c, APPROACH] != FREE:
            result = True
    n = pieces.piece_rows[piece, PIECE_POINTS]
    while n < pieces.piece_rows[piece + 1, PIECE_POINTS] and not result:
        if contacts.touches[pieces.points[n]] > 0:
            result = True
        n += 1
    return result


@ti.func
def _vector(hits: ti.template(), piece, c, column):
    return ti.Vector([hits[piece, c, column], hits[piece, c, column + 1], hits[piece, c, column + 2]])


@ti.func
def _set_vector(hits: ti.template(), piece, c, column, vector):
    for k in ti.static(range(3)):
        hits[piece, c, column + k] = vector[k]


@ti.func
def _direction(vector):
    """The unit vector along another one; 0 where normals from all sides cancel out."""
    return vector / ti.max(vector.norm(), 1e-30)


@ti.func
def _touch(
    particles: ti.template(),
    contacts: ti.template(),
    pieces: ti.template(),
    piece,
    c,
    motion: ti.template(),
    inverse_h,
):
    """What collider ``c`` gave a piece in the substep: sums over the points that touch.

    Those of the normal on which the piece rests only count in ``held``. ``moved`` and ``turned`` are what the impulses
    changed in the velocities, ``approach`` is how fast the piece came before [m/s].
    """
    elements, weights = ti.static(contacts.elements, contacts.weights)
    rest = _vector(pieces.hits, piece, c, REST)
    impulse, friction, restitution = 0.0, 0.0, 0.0
    arm, normal, surface = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
    held, momentum, spin = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
    for n in range(pieces.piece_rows[piece, PIECE_POINTS], pieces.piece_rows[piece + 1, PIECE_POINTS]):
        k = pieces.points[n]
        for slot in range(contacts.touches[k]):
            if contacts.slots[k, slot, SLOT_COLLIDER] == c:
                direction = slot_vector(contacts, k, slot, SLOT_NORMAL)
                along, tangential = slot_impulse(particles, contacts, k, slot, inverse_h)
                if direction.dot(rest) > SAME_NORMAL:
                    held += ti.max(along, 0.0) * direction
                else:
                    offset = element_point(particles.positions, elements, weights, k) - motion.centre
                    whole = along * direction + tangential
                    momentum += whole
                    spin += offset.cross(whole)
                    weight = ti.max(along, 0.0)
                    impulse += weight
                    friction += tangential.norm()
                    arm += weight * offset
                    normal += weight * direction
                    surface += weight * slot_vector(contacts, k, slot, SLOT_SURFACE)
                    restitution = ti.max(restitution, contacts.slots[k, slot, SLOT_RESTITUTION])
    moved = momentum / motion.mass
    turned = solve_inertia(motion.row0, motion.row1, motion.row2, spin)
    approach = 0.0
    if impulse > 0.0:
        before = motion.velocity - moved + (motion.omega - turned).cross(arm / impulse) - surface / impulse
        approach = -_direction(normal).dot(before)
    return ti.Struct(
        impulse=impulse,
        friction=friction,
        restitution=restitution,
        arm=arm,
        normal=normal,
        surface=surface,
        held=held,
        moved=moved,
        turned=turned,
        approach=approach,
    )


@ti.func
def _begin(pieces: ti.template(), piece, c, motion: ti.template(), touch: ti.template(), gravity_speed):
    """Begin a hit where a piece touches that came fast, unless one is under way; else note on what the piece rests."""
    hits = ti.static(pieces.hits)
    if hits[piece, c, APPROACH] <= FREE:
        if touch.impulse > 0.0 and touch.approach > RESTING * gravity_speed:
            for column in range(REST):
                hits[piece, c, column] = 0.0
            velocity = motion.velocity - touch.moved - touch.surface / touch.impulse
            hits[piece, c, APPROACH] = touch.approach
            hits[piece, c, ENERGY] = kinetic_energy(motion, velocity, motion.omega - touch.turned)
            _set_vector(hits, piece, c, START, motion.centre)
        else:
            rest, state = ti.Vector([0.0, 0.0, 0.0]), FREE
            if touch.held.dot(touch.held) > 0.0:
                rest, state = _direction(touch.held), OVER
            elif touch.impulse > 0.0:
                rest, state = _direction(touch.normal), OVER
            hits[piece, c, APPROACH] = state
            _set_vector(hits, piece, c, REST, rest)


@ti.func
def _follow(pieces: ti.template(), piece, c, motion: ti.template(), touch: ti.template(), gravity, h):
    """Note what a hit does in this substep, and end it when elasticity pushes no longer.

    Returns:
        the impulse that the piece gets [N s].
    """
    hits = ti.static(pieces.hits)
    impulse = ti.Vector([0.0, 0.0, 0.0])
    if hits[piece, c, APPROACH] > FREE:
        _add_touch(hits, piece, c, touch)
        total = hits[piece, c, IMPULSE]
        normal = _direction(_vector(hits, piece, c, NORMAL))
        arm, surface = _vector(hits, piece, c, ARM) / total, _vector(hits, piece, c, SURFACE) / total
        _set_vector(hits, piece, c, START, _vector(hits, piece, c, START) + h * surface)
        parting = normal.dot(velocity_at(motion, arm) - surface)
        push = normal.dot(touch.moved + touch.turned.cross(arm))
        if push <= gravity.norm() * h and parting > -0.5 * hits[piece, c, APPROACH]:
            impulse = _parting_impulse(hits, piece, c, motion, normal, gravity)
            hits[piece, c, APPROACH] = OVER
            _set_vector(hits, piece, c, REST, normal)
        elif hits[piece, c, IDLE] > LONGEST_IDLE:
            hits[piece, c, APPROACH] = FREE
            _set_vector(hits, piece, c, REST, ti.Vector([0.0, 0.0, 0.0]))
    return impulse


@ti.func
def _add_touch(hits: ti.template(), piece, c, touch: ti.template()):
    if touch.impulse > 0.0:
        hits[piece, c, APPROACH] = ti.max(hits[piece, c, APPROACH], touch.approach)
        hits[piece, c, IMPULSE] = hits[piece, c, IMPULSE] + touch.impulse
        hits[piece, c, FRICTION] = hits[piece, c, FRICTION] + touch.friction
        hits[piece, c, RESTITUTION] = ti.max(hits[piece, c, RESTITUTION], touch.restitution)
        hits[piece, c, IDLE] = 0.0
        _set_vector(hits, piece, c, ARM, _vector(hits, piece, c, ARM) + touch.arm)
        _set_vector(hits, piece, c, NORMAL, _vector(hits, piece, c, NORMAL) + touch.normal)
        _set_vector(hits, piece, c, SURFACE, _vector(hits, piece, c, SURFACE) + touch.surface)
    else:
        hits[piece, c, IDLE] = hits[piece, c, IDLE] + 1.0


@ti.func
def _parting_impulse(hits: ti.template(), piece, c, motion: ti.template(), normal, gravity):
    """The impulse with which a hit ends [N s], 0 where elasticity gave as much back.

    Where the piece is still dented, gravity will take as much of its speed as lifts it to where it first touched: the
    piece gets as much of that as of its speed.
    """
    total, restitution = hits[piece, c, IMPULSE], hits[piece, c, RESTITUTION]
    arm, surface = _vector(hits, piece, c, ARM) / total, _vector(hits, piece, c, SURFACE) / total
    slip = velocity_at(motion, arm) - surface
    parting = slip.dot(normal)
    dent = ti.max(normal.dot(_vector(hits, piece, c, START) - motion.centre), 0.0)
    lift = dent * ti.max(-normal.dot(gravity), 0.0)
    approach = hits[piece, c, APPROACH]
    share = restitution * restitution
    wanted = ti.sqrt(share * approach * approach + 2.0 * lift * share)
    impulse = ti.Vector([0.0, 0.0, 0.0])
    if restitution > 0.0 and parting < wanted:
        mobility = response(motion, arm, normal)
        size = (wanted - parting) / mobility
        if size > 0.0:
            # the largest that does not give more energy than there was
            missing = hits[piece, c, ENERGY] + motion.mass * lift
            missing -= kinetic_energy(motion, motion.velocity - surface, motion.omega)
            reach = ti.sqrt(ti.max(parting * parting + 2.0 * mobility * missing, 0.0))
            size = ti.min(size, ti.max(reach - parting, 0.0) / mobility)
        impulse = size * normal
        slip -= parting * normal
        speed = slip.norm()
        if size > 0.0 and speed > 0.0:
            along = slip / speed
            grip = hits[piece, c, FRICTION] / total
            impulse -= ti.min(grip * size, speed / response(motion, arm, along)) * along
    return impulse
