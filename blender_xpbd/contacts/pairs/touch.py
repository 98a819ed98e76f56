# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact of a pair within a substep: repulsion and Coulomb friction, Gauss–Seidel in the order of the list.

C = n · Σ wᵢ xᵢ − gap ≥ 0, with the normal and the closest points of the substep's start; see ``leaning`` for those that
have others when they are first pushed.
"""

import taichi as ti

from ..resolve import resolve_contact
from .anchors import near_offset
from .backing import backed_mass, hand_on
from .leaning import is_leaning, measure_again
from .push import gather_coefficients, normal_of, push_pair, relative
from .tables import CARRIERS, GIVEN, MULTIPLIER, NEAR_FRICTION, NEAR_INTS, NEAR_WIDTH, WANTED

# a push of less than this share of the gap leaves others in peace: no sweep is worth its cost for it, see
# docs/experiments.md
CALM = 0.005
# one of less than this share is not worth telling: a sweep over what others pushed does not come back for it
UNTOLD = 0.1 * CALM
# pairs that are not nearer than this share of the gap more than it are left to whole sweeps
SOON = 0.05
# what comes of a pair: it need not be asked again before a whole sweep; it is to be listed; it has pushed so much that
# others must be asked again
IS_IDLE, IS_LISTED, IS_BUSY = range(3)
# what is noted of a particle that no sweep has pushed: nothing can move it after the search; or something may, for a
# pair of it is near. Else it is the last sweep that has, counted from 1
IS_STILL, IS_NEAR = 0, -1


@ti.func
def touch_pair(
    particles: ti.template(),
    starts: ti.template(),
    surfaces: ti.template(),
    contacts: ti.template(),
    pairs: ti.template(),
    n,
    sweep,
    embeds: ti.template(),
    backs: ti.template(),
):
    """Move the sides of near pair ``n`` apart where they are nearer than its gap, and let friction hold them.

    Args:
        particles: the pack; previous positions are where particles would be without velocity.
        starts: where particles were when the substep began [m].
        surfaces: the pack.
        contacts: the pack of contacts with colliders; anything where nothing ``backs``.
        pairs: the pack.
        n: row of the near pair.
        sweep: number of the sweep in the substep, which particles are given that it pushes.
        embeds: static: whether any point has more than one particle.
        backs: static: whether colliders may stand behind the light side of a pair, see ``backing``.

    Returns:
        IS_IDLE, IS_LISTED or IS_BUSY.
    """
    result = IS_IDLE
    floats = ti.static(pairs.near_floats)
    row = n * NEAR_WIDTH
    normal = normal_of(pairs, n)
    way = relative(particles.positions, surfaces, pairs, n, embeds)
    multiplier = floats[row + MULTIPLIER]
    if multiplier == 0.0 and is_leaning(pairs, n, normal.dot(way), way):
        normal, way = measure_again(particles, starts, surfaces, pairs, n, normal, way, embeds)
    # what other pairs did meanwhile may make less of this one's push enough
    wanted = floats[row + WANTED]
    gap = ti.min(normal.dot(way) - wanted, multiplier)
    if multiplier > 0.0 or normal.dot(way) < (1.0 + SOON) * wanted:
        result = IS_LISTED
    if gap < 0.0 or multiplier > 0.0:
        mass = gather_coefficients(particles, surfaces, pairs, n, embeds)
        if mass > 0.0:
            friction = floats[row + NEAR_FRICTION]
            slide = ti.Vector([0.0, 0.0, 0.0])
            if friction > 0.0:
                slide = way - relative(particles.previous_positions, surfaces, pairs, n, embeds)
                slide += near_offset(pairs, n)
            given = ti.Vector([floats[row + GIVEN], floats[row + GIVEN + 1], floats[row + GIVEN + 2]])
            # a multiplier is of this mass, and that of friction of both sides' own
            pushed_mass = mass
            if ti.static(backs):
                pushed_mass = backed_mass(particles, surfaces, contacts, pairs, n, mass)
            contact = resolve_contact(normal, gap, slide, friction * pushed_mass / mass, multiplier, given)
            size = contact.push.norm()
            if size > CALM * wanted:
                result = IS_BUSY
            if size > UNTOLD * wanted:
                note_push(particles, surfaces, pairs, n, sweep + 1, embeds)
            impulse = mass * contact.push
            if ti.static(backs):
                impulse += (mass - pushed_mass) * gap * normal
            push_pair(particles.positions, particles, surfaces, pairs, n, impulse, embeds)
            if ti.static(backs):
                hand_on(particles, surfaces, contacts, pairs, n, -gap * pushed_mass)
            floats[row + MULTIPLIER] = contact.multiplier
            for axis in ti.static(range(3)):
                floats[row + GIVEN + axis] = contact.given[axis]
    return result


@ti.func
def note_push(
    particles: ti.template(), surfaces: ti.template(), pairs: ti.template(), n, number, embeds: ti.template()
):
    """Note for the particles of near pair ``n`` which sweep has pushed them last, counted from 1."""
    for i in ti.static(range(4)):
        carrier = pairs.near_ints[n * NEAR_INTS + CARRIERS + i]
        if ti.static(embeds):
            for j in range(4):
                if surfaces.surface_weights[carrier, j] != 0.0:
                    note_particle(particles, surfaces, surfaces.surface_elements[carrier, j], number)
        else:
            note_particle(particles, surfaces, carrier, number)


@ti.func
def note_near(surfaces: ti.template(), pairs: ti.template(), n, embeds: ti.template()):
    """Note for the particles of near pair ``n`` that it may push them; tasks that share one write the same."""
    for i in ti.static(range(4)):
        carrier = pairs.near_ints[n * NEAR_INTS + CARRIERS + i]
        if ti.static(embeds):
            for j in range(4):
                if surfaces.surface_weights[carrier, j] != 0.0:
                    surfaces.pushed[surfaces.surface_elements[carrier, j]] = IS_NEAR
        else:
            surfaces.pushed[carrier] = IS_NEAR


@ti.func
def note_particle(particles: ti.template(), surfaces: ti.template(), particle, number):
    """As ``note_push``; tasks share particles that nothing moves, so these are left alone."""
    if particles.positions[particle][3] > 0.0:
        surfaces.pushed[particle] = number


@ti.func
def was_pushed(surfaces: ti.template(), pairs: ti.template(), n, sweep, embeds: ti.template()):
    """Whether a particle of near pair ``n`` was pushed in this sweep or the one before."""
    last = 0
    for i in ti.static(range(4)):
        carrier = pairs.near_ints[n * NEAR_INTS + CARRIERS + i]
        if ti.static(embeds):
            for j in range(4):
                if surfaces.surface_weights[carrier, j] != 0.0:
                    last = ti.max(last, surfaces.pushed[surfaces.surface_elements[carrier, j]])
        else:
            last = ti.max(last, surfaces.pushed[carrier])
    return last >= sweep
