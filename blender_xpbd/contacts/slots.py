# SPDX-License-Identifier: GPL-3.0-or-later
"""Slots: what a contact point finds and gives in a substep, a row for each surface that it touches.

A point touches few of the colliders, so it has a few slots, in the order in which it came to touch. A substep that
needs more is told, and the host does the frame again with twice as many (``Solver.advance``). So the order, and with it
the result, does not depend on how many there are.
"""

import taichi as ti

from ..geometry.collider.bent_cells import SAME_NORMAL
from .record import element_inverse_mass

# columns: number of the collider; λₙ [m]; normal; normal speed after the substep [m/s]; then only where friction is
# kept: λₜ [m], and how much the velocity step changed the speed [m/s]; then only where pieces bounce, pairs push or
# there are anchors: velocity of the surface [m/s], and of the two materials e and μ; then only where pairs push: n·x of
# a point that just touches [m], and the two multipliers as they were before pairs pushed (4)
SLOT_COLLIDER, SLOT_MULTIPLIER, SLOT_NORMAL, SLOT_SPEED = 0, 1, 2, 5
SLOT_GIVEN, SLOT_CHANGE = 6, 9
SLOT_SURFACE, SLOT_RESTITUTION, SLOT_FRICTION, SLOT_HEIGHT, SLOT_FIRST = 10, 13, 14, 15, 16
# slots of a point to begin with: most lie on one collider, and some in the corner of two
FIRST_SLOTS = 2


def slot_width(*, keeps_friction: bool, keeps_surface: bool, has_pairs: bool) -> int:
    """How many of the columns a scene has."""
    if has_pairs:
        return SLOT_FIRST + 4
    return SLOT_FRICTION + 1 if keeps_surface else SLOT_CHANGE + 1 if keeps_friction else SLOT_SPEED + 1


@ti.func
def slot_vector(contacts: ti.template(), k, slot, column):
    """Three columns of a slot of contact point ``k``."""
    slots = ti.static(contacts.slots)
    return ti.Vector([slots[k, slot, column], slots[k, slot, column + 1], slots[k, slot, column + 2]])


@ti.func
def set_slot_vector(contacts: ti.template(), k, slot, column, vector):
    """Set three columns of a slot of contact point ``k``."""
    for axis in ti.static(range(3)):
        contacts.slots[k, slot, column + axis] = vector[axis]


@ti.func
def slot_impulse(particles: ti.template(), contacts: ti.template(), k, slot, inverse_h):
    """What a surface gave contact point ``k`` in a substep [N s]: along its normal, and the vector of friction.

    What the velocity step changed counts too. ``inverse_h`` is velocity per displacement [1/s].
    """
    mass = 1.0 / element_inverse_mass(particles, contacts.elements, contacts.weights, k)
    along = contacts.slots[k, slot, SLOT_MULTIPLIER] * inverse_h + contacts.slots[k, slot, SLOT_CHANGE]
    return along * mass, slot_vector(contacts, k, slot, SLOT_GIVEN) * (inverse_h * mass)


@ti.func
def slot_of(contacts: ti.template(), k, c, normal, most_faces, keeps_friction: ti.template()):
    """The slot of contact point ``k`` for a surface of collider ``c`` with this normal.

    A new one begins with multipliers of 0. Where the collider has as many as it may (``most_faces``), that of the
    nearest normal counts.

    Returns:
        the slot; −1 where all are taken, which the last of ``touches`` then tells.
    """
    slots, touches = ti.static(contacts.slots, contacts.touches)
    count = touches[k]
    slot, own, nearest = -1, 0, -2.0
    for n in range(count):
        if slots[k, n, SLOT_COLLIDER] == c:
            own += 1
            likeness = slot_vector(contacts, k, n, SLOT_NORMAL).dot(normal)
            if likeness > nearest:
                slot, nearest = n, likeness
    if slot < 0 or (nearest < SAME_NORMAL and own < most_faces):
        slot = -1
        if count < slots.shape[1]:
            slot = count
            touches[k] = count + 1
            slots[k, slot, SLOT_COLLIDER] = c
            slots[k, slot, SLOT_MULTIPLIER] = 0.0
            if ti.static(keeps_friction):
                set_slot_vector(contacts, k, slot, SLOT_GIVEN, ti.Vector([0.0, 0.0, 0.0]))
        else:
            ti.atomic_max(touches[touches.shape[0] - 1], 1)
    return slot
