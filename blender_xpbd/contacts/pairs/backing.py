# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands behind the light side of a pair: a collider, which takes the push at once.

A jelly on a cloth on a floor weighs a thousand times what is between them. A push shared by masses moves the cloth
alone, and the floor pushes it back: of what is too near, a sweep takes a thousandth. So particles of cloth that touch a
collider do not move into it. The push has the mass of the other side, and what it would have moved them by is added to
the multiplier of the collider's contact, as if that had pushed them back. Friction is not backed: it has the mass of
both sides, as before.
"""

import taichi as ti

from ..slots import SLOT_MULTIPLIER, SLOT_NORMAL, slot_vector
from .push import normal_of, weight_of
from .tables import CARRIERS, NEAR_INTS

# cosine of the angle between a push and a collider's normal up to which that stands behind what is pushed; beyond, the
# push leads along the collider too. Chosen by hand
FACING = 0.9
# where less than this share of what takes a push is left, nothing is backed: a cloth between colliders. Chosen by hand
LEAST_MOBILITY = 1e-4


@ti.func
def backing_of(surfaces: ti.template(), contacts: ti.template(), pairs: ti.template(), n, i):
    """What stands behind one of the four points of near pair ``n``.

    Returns:
        its particle, its contact point and the slot of that, or −1 where nothing does.
    """
    particle = surfaces.surface_elements[pairs.near_ints[n * NEAR_INTS + CARRIERS + i], 0]
    k, w, found = surfaces.backed[particle] - 1, weight_of(pairs, n, i), -1
    if k >= 0:
        for slot in range(contacts.touches[k]):
            if w * normal_of(pairs, n).dot(slot_vector(contacts, k, slot, SLOT_NORMAL)) < -FACING * ti.abs(w):
                found = slot
    return ti.Vector([particle, k, found])


@ti.func
def backed_mass(
    particles: ti.template(), surfaces: ti.template(), contacts: ti.template(), pairs: ti.template(), n, mass
):
    """The mass that a push along the normal of near pair ``n`` has to move [kg]; ``mass`` where nothing is backed."""
    mobility = 1.0 / mass
    for i in range(4):
        behind = backing_of(surfaces, contacts, pairs, n, i)
        if behind[2] >= 0:
            mobility -= weight_of(pairs, n, i) ** 2 * particles.positions[behind[0]][3]
    result = mass
    if mobility * mass > LEAST_MOBILITY:
        result = 1.0 / mobility
    return result


@ti.func
def hand_on(
    particles: ti.template(), surfaces: ti.template(), contacts: ti.template(), pairs: ti.template(), n, impulse
):
    """Let colliders take an impulse along the normal of near pair ``n`` from what they stand behind [kg m]."""
    for i in range(4):
        behind = backing_of(surfaces, contacts, pairs, n, i)
        if behind[2] >= 0:
            moved = particles.positions[behind[0]]
            way = weight_of(pairs, n, i) * moved[3] * impulse * normal_of(pairs, n)
            for axis in ti.static(range(3)):
                moved[axis] -= way[axis]
            particles.positions[behind[0]] = moved
            before = contacts.slots[behind[1], behind[2], SLOT_MULTIPLIER]
            given = -way.dot(slot_vector(contacts, behind[1], behind[2], SLOT_NORMAL))
            contacts.slots[behind[1], behind[2], SLOT_MULTIPLIER] = ti.max(before + given, 0.0)
