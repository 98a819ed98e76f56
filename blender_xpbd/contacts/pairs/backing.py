# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands behind the light side of a pair: a collider, which takes the push at once.

A jelly on a cloth on a floor weighs a thousand times what is between them. A push shared by masses moves the cloth
alone, and the floor pushes it back: of what is too near, a sweep takes a thousandth. So particles of cloth that touch a
collider do not move into it. The push has the mass of the other side, and what it would have moved them by is added to
the multiplier of the collider's contact, as if that had pushed them back. Friction is not backed: it has the mass of
both sides, as before.

A side counts where colliders stand behind all of it that the push moves. Of a triangle of which one corner hangs free,
a push that left out the others would move that corner by the inverse of its share. Friction, which moves all three,
would undo it by another measure. Sweeps of the two grew threefold each, to kilometres in a substep.

Where colliders stand behind all that a push could move, as behind cloth that two of them press, it has to move
something: then none counts, and the push is shared by masses.
"""

import taichi as ti

from ..slots import SLOT_MULTIPLIER, SLOT_NORMAL, slot_vector
from .push import normal_of, side_of, weight_of
from .tables import CARRIERS, NEAR_INTS

# cosine of the angle between a push and a collider's normal up to which that stands behind what is pushed; beyond, the
# push leads along the collider too. Chosen by hand
FACING = 0.9


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
def backed_sides(surfaces: ti.template(), contacts: ti.template(), pairs: ti.template(), n):
    """Whether something stands behind all points of a side of near pair ``n`` that count, for both sides, 1 or 0."""
    sides = ti.Vector([1, 1])
    for i in range(4):
        if weight_of(pairs, n, i) != 0.0:
            if backing_of(surfaces, contacts, pairs, n, i)[2] < 0:
                sides[side_of(pairs, n, i)] = 0
    return sides


@ti.func
def backed_mass(
    particles: ti.template(), surfaces: ti.template(), contacts: ti.template(), pairs: ti.template(), n, mass
):
    """What a push along the normal of near pair ``n`` has to move.

    A backed particle is a point of its own (``build_contact_points``). So the mobility is summed up over the other
    points: that of what is backed may be a million times as much, and taking it from the sum would leave rounding.

    Args:
        particles: the pack.
        surfaces: the pack.
        contacts: the pack of contacts with colliders.
        pairs: the pack, while ``gradients`` holds the coefficients of the pair.
        n: row of the near pair.
        mass: of both sides [kg].

    Returns:
        its mass [kg]; and whether anything is backed, else that is ``mass``.
    """
    elements, weights, gradients = ti.static(surfaces.surface_elements, surfaces.surface_weights, surfaces.gradients)
    mobility, is_backed, result = ti.cast(0.0, float), False, mass
    sides = backed_sides(surfaces, contacts, pairs, n)
    for i in range(4):
        if sides[side_of(pairs, n, i)] == 1:
            is_backed = True
        else:
            point, w = pairs.near_ints[n * NEAR_INTS + CARRIERS + i], weight_of(pairs, n, i)
            for j in range(4):
                # Σ c² m⁻¹ over particles is Σ w u c m⁻¹ over points, for c is Σ w u
                if weights[point, j] != 0.0:
                    particle = elements[point, j]
                    mobility += w * weights[point, j] * gradients[particle] * particles.positions[particle][3]
    is_backed = is_backed and mobility > 0.0
    if is_backed:
        result = 1.0 / mobility
    return result, is_backed


@ti.func
def hand_on(
    particles: ti.template(), surfaces: ti.template(), contacts: ti.template(), pairs: ti.template(), n, along, across
):
    """Let colliders take what a push along the normal of near pair ``n`` gives to what they stand behind.

    Called before ``push_pair``, which then leaves the backed particles where they are: what it moved them by, a
    thousand gaps where they weigh a millionth, could not be taken back to the gap in single precision.

    Args:
        particles: the pack.
        surfaces: the pack.
        contacts: the pack of contacts with colliders.
        pairs: the pack; the coefficients of what is backed are cleared.
        n: row of the near pair, which is backed.
        along: impulse along the normal, times the duration of the substep [kg m].
        across: that of friction, which nothing takes [kg m].
    """
    sides = backed_sides(surfaces, contacts, pairs, n)
    for i in range(4):
        behind = backing_of(surfaces, contacts, pairs, n, i)
        if behind[2] >= 0 and sides[side_of(pairs, n, i)] == 1:
            moved = particles.positions[behind[0]]
            mobility = weight_of(pairs, n, i) * moved[3]
            for axis in ti.static(range(3)):
                moved[axis] += mobility * across[axis]
            particles.positions[behind[0]] = moved
            surfaces.gradients[behind[0]] = 0.0
            before = contacts.slots[behind[1], behind[2], SLOT_MULTIPLIER]
            facing = normal_of(pairs, n).dot(slot_vector(contacts, behind[1], behind[2], SLOT_NORMAL))
            contacts.slots[behind[1], behind[2], SLOT_MULTIPLIER] = ti.max(before - mobility * along * facing, 0.0)
