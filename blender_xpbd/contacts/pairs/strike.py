# SPDX-License-Identifier: GPL-3.0-or-later
"""Impacts of hard pieces on other solids: both part at once, as rigid bodies.

As against colliders (``contacts.impact``): the dent of a hard piece is the solver's and not its material's. So where a
pair of one approaches faster than what rests, the substep's pushes between solids that touch each other are taken back,
and all of these pieces get the impulses by which each pair parts with e times its approach at least, with Coulomb's
friction. Hard pieces go up to the touch as they came, and then as they part, without deformation. What is
held is as heavy as can be.
"""

import taichi as ti

from ..rigid_motion import response, velocity_at
from .push import closest, gather_coefficients, normal_of, push_pair, relative
from .struck_motion import IS_STRUCK, UNTIL, is_hard, is_struck, piece_motion, push_piece
from .tables import (
    APPROACH,
    CARRIERS,
    GIVEN,
    MULTIPLIER,
    NEAR_FRICTION,
    NEAR_INTS,
    NEAR_RESTITUTION,
    NEAR_WIDTH,
    PIECE_NONE,
    SETTLED,
)


@ti.func
def piece_of(surfaces: ti.template(), pairs: ti.template(), pieces: ti.template(), n, place, embeds: ti.template()):
    """The piece of one of the four points of near pair ``n``."""
    particle = pairs.near_ints[n * NEAR_INTS + CARRIERS + place]
    if ti.static(embeds):
        particle = surfaces.surface_elements[particle, 0]
    return pieces.struck_of[particle]


@ti.func
def may_strike(surfaces: ti.template(), pairs: ti.template(), pieces: ti.template(), n, embeds: ti.template()):
    """Whether near pair ``n`` has pushed a hard piece and another solid apart."""
    result = False
    if pairs.near_floats[n * NEAR_WIDTH + MULTIPLIER] > 0.0:
        a, b = piece_of(surfaces, pairs, pieces, n, 0, embeds), piece_of(surfaces, pairs, pieces, n, 3, embeds)
        is_solid = a != b and a != PIECE_NONE and b != PIECE_NONE
        result = is_solid and (is_hard(pieces, a) or is_hard(pieces, b))
    return result


@ti.func
def knows_struck(surfaces: ti.template(), pairs: ti.template(), pieces: ti.template(), n, embeds: ti.template()):
    """Whether a piece of near pair ``n`` is struck."""
    a, b = piece_of(surfaces, pairs, pieces, n, 0, embeds), piece_of(surfaces, pairs, pieces, n, 3, embeds)
    return is_struck(pieces, a) or is_struck(pieces, b)


@ti.func
def comes_fast(speeds: ti.template(), surfaces: ti.template(), pairs: ti.template(), n, resting, embeds: ti.template()):
    """Whether near pair ``n`` approached faster than what rests [m/s], by the speeds of the substep's start."""
    return -normal_of(pairs, n).dot(relative(speeds, surfaces, pairs, n, embeds)) > resting


@ti.func
def note_struck(surfaces: ti.template(), pairs: ti.template(), pieces: ti.template(), n, embeds: ti.template()):
    """Note that both pieces of near pair ``n`` are struck; returns 1 where one was not yet, else 0."""
    is_new = 0
    for side in ti.static(range(2)):
        piece = piece_of(surfaces, pairs, pieces, n, 3 * side, embeds)
        if piece >= 0 and not is_struck(pieces, piece):
            pieces.struck_motions[piece, IS_STRUCK] = 1.0
            is_new = 1
    return is_new


@ti.func
def take_back_push(particles: ti.template(), surfaces: ti.template(), pairs: ti.template(), n, embeds: ti.template()):
    """Put the particles of near pair ``n`` back by what it pushed them.

    ``APPROACH`` becomes how far that was [m], and ``SETTLED`` negative, which tells that the pair strikes.
    """
    floats = ti.static(pairs.near_floats)
    row = n * NEAR_WIDTH
    push = floats[row + MULTIPLIER] * normal_of(pairs, n)
    for axis in ti.static(range(3)):
        push[axis] += floats[row + GIVEN + axis]
        floats[row + GIVEN + axis] = 0.0
    mass = gather_coefficients(particles, surfaces, pairs, n, embeds)
    push_pair(particles.positions, particles, surfaces, pairs, n, -mass * push, embeds)
    floats[row + APPROACH] = floats[row + MULTIPLIER]
    floats[row + MULTIPLIER], floats[row + SETTLED] = 0.0, -1.0


@ti.func
def _meeting(
    particles: ti.template(),
    starts: ti.template(),
    surfaces: ti.template(),
    pairs: ti.template(),
    pieces: ti.template(),
    n,
    embeds: ti.template(),
):
    """Where the sides of near pair ``n`` meet, halfway between them, so that the spin of the two together is kept [m].

    And how far what is held has come in the substep, b against a [m].
    """
    middle, held = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
    for side in range(2):
        place = closest(particles.positions, surfaces, pairs, n, side, embeds)
        middle += 0.5 * place
        if piece_of(surfaces, pairs, pieces, n, 3 * side, embeds) < 0:
            way = place - closest(starts, surfaces, pairs, n, side, embeds)
            held += (1.0 - 2.0 * side) * way
    return middle, held


@ti.func
def _slip(surfaces: ti.template(), pairs: ti.template(), pieces: ti.template(), n, middle, held, embeds: ti.template()):
    """The velocity of side a relative to side b [m/s]; ``middle`` and ``held`` as ``_meeting`` tells them."""
    slip = held
    for side in range(2):
        piece = piece_of(surfaces, pairs, pieces, n, 3 * side, embeds)
        if piece >= 0:
            motion = piece_motion(pieces, piece)
            slip += (1.0 - 2.0 * side) * velocity_at(motion, middle - motion.centre)
    return slip


@ti.func
def _mobility(
    surfaces: ti.template(), pairs: ti.template(), pieces: ti.template(), n, middle, direction, embeds: ti.template()
):
    """By how much a unit impulse along a direction parts the sides along it [1/kg]; what is held does not move."""
    total = ti.cast(0.0, float)
    for side in range(2):
        piece = piece_of(surfaces, pairs, pieces, n, 3 * side, embeds)
        if piece >= 0:
            motion = piece_motion(pieces, piece)
            total += response(motion, middle - motion.centre, direction)
    return total


@ti.func
def _push(
    surfaces: ti.template(), pairs: ti.template(), pieces: ti.template(), n, middle, impulse, embeds: ti.template()
):
    """Change the motions of the pieces by an impulse that side a gets, and side b the opposite [N s]."""
    for side in range(2):
        piece = piece_of(surfaces, pairs, pieces, n, 3 * side, embeds)
        if piece >= 0:
            push_piece(pieces, piece, middle, (1.0 - 2.0 * side) * impulse)


@ti.func
def aim_strike(
    particles: ti.template(),
    starts: ti.template(),
    surfaces: ti.template(),
    pairs: ti.template(),
    pieces: ti.template(),
    n,
    resting,
    inverse_h,
    embeds: ti.template(),
):
    """Let ``APPROACH`` of near pair ``n`` be the speed at which it is to part [m/s], and note when it first touched.

    Returns:
        how fast it came [m/s], 0 where no faster than what rests.
    """
    floats = ti.static(pairs.near_floats)
    row = n * NEAR_WIDTH
    middle, way = _meeting(particles, starts, surfaces, pairs, pieces, n, embeds)
    held = inverse_h * way
    approach = -normal_of(pairs, n).dot(_slip(surfaces, pairs, pieces, n, middle, held, embeds))
    until = ti.max(1.0 / inverse_h - floats[row + APPROACH] / ti.max(approach, 1e-30), 0.0)
    floats[row + APPROACH] = 0.0
    if approach > resting:
        floats[row + APPROACH] = floats[row + NEAR_RESTITUTION] * approach
        for side in range(2):
            piece = piece_of(surfaces, pairs, pieces, n, 3 * side, embeds)
            if piece >= 0:
                pieces.struck_motions[piece, UNTIL] = ti.min(pieces.struck_motions[piece, UNTIL], until)
    else:
        approach = 0.0
    return approach


@ti.func
def strike_pair(
    particles: ti.template(),
    starts: ti.template(),
    surfaces: ti.template(),
    pairs: ti.template(),
    pieces: ti.template(),
    n,
    inverse_h,
    embeds: ti.template(),
):
    """Give the pieces of near pair ``n`` the impulse by which it parts as it is to, in all; λₙ and λₜ are in N s now.

    Returns:
        by how much this changed its speed [m/s].
    """
    floats = ti.static(pairs.near_floats)
    row, normal = n * NEAR_WIDTH, normal_of(pairs, n)
    middle, way = _meeting(particles, starts, surfaces, pairs, pieces, n, embeds)
    held = inverse_h * way
    slip = _slip(surfaces, pairs, pieces, n, middle, held, embeds)
    mobility = _mobility(surfaces, pairs, pieces, n, middle, normal, embeds)
    before = floats[row + MULTIPLIER]
    size = ti.max(before + (floats[row + APPROACH] - normal.dot(slip)) / mobility, 0.0)
    floats[row + MULTIPLIER] = size
    _push(surfaces, pairs, pieces, n, middle, (size - before) * normal, embeds)
    if floats[row + NEAR_FRICTION] > 0.0:
        slip = _slip(surfaces, pairs, pieces, n, middle, held, embeds)
        slip -= slip.dot(normal) * normal
        rubbed = ti.Vector([floats[row + GIVEN], floats[row + GIVEN + 1], floats[row + GIVEN + 2]])
        given, speed = rubbed, slip.norm()
        if speed > 0.0:
            along = slip / speed
            given -= speed / _mobility(surfaces, pairs, pieces, n, middle, along, embeds) * along
        given *= ti.min(1.0, floats[row + NEAR_FRICTION] * size / ti.max(given.norm(), 1e-30))
        for axis in ti.static(range(3)):
            floats[row + GIVEN + axis] = given[axis]
        _push(surfaces, pairs, pieces, n, middle, given - rubbed, embeds)
    return ti.abs(size - before) * mobility
