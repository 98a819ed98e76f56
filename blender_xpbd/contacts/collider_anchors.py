# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a point of a tetrahedron has slid on a collider since it began to stick: its *anchor*.

Points share corners of tetrahedra. Friction holds a point, then its neighbour moves the corners again, and what is left
of the slide stays. The order of the points is the same in each substep, so what is left adds up, and what should lie
still creeps. As with pairs of bodies (``pairs.anchors``), the anchor is the sum of what was left, in the tangent plane.
Friction takes it back with the slide of the substep, within the same cone. A point that slips, or does not touch, has
none. What is a particle of its own is held as exactly as arithmetic goes, and needs none. BDF2 begins anew at each
touch, and crept as before with anchors: it has none.
"""

import taichi as ti

from .record import element_point
from .resolve import SLIPS
from .slots import SLOT_COLLIDER, SLOT_FRICTION, SLOT_GIVEN, SLOT_MULTIPLIER, SLOT_NORMAL, SLOT_SURFACE, slot_vector

# columns of an anchor: slide [m]; number of the collider, counted from 1, or 0
ANCHOR_COLLIDER = 3


@ti.func
def anchored_slide(contacts: ti.template(), k, c):
    """How far contact point ``k`` has slid on collider ``c`` since it began to stick [m]."""
    anchor = contacts.anchors[k]
    slide = ti.Vector([0.0, 0.0, 0.0])
    if ti.cast(anchor[ANCHOR_COLLIDER], ti.i32) == c + 1:
        slide = anchor.xyz
    return slide


@ti.func
def note_anchor(particles: ti.template(), contacts: ti.template(), k, h):
    """Note the anchor that contact point ``k`` leaves behind, after the last push of a substep.

    It is on the first surface that the point sticks to. ``h`` is the duration of the substep [s].
    """
    elements, weights, slots = ti.static(contacts.elements, contacts.weights, contacts.slots)
    slide, stuck = ti.Vector([0.0, 0.0, 0.0]), 0
    if elements[k, 0] != elements[k, 1]:
        for slot in range(contacts.touches[k]):
            most = SLIPS * slots[k, slot, SLOT_FRICTION] * slots[k, slot, SLOT_MULTIPLIER]
            if stuck == 0 and slot_vector(contacts, k, slot, SLOT_GIVEN).norm() < most:
                stuck = ti.cast(slots[k, slot, SLOT_COLLIDER], ti.i32) + 1
                start = element_point(particles.previous_positions, elements, weights, k)
                start += h * slot_vector(contacts, k, slot, SLOT_SURFACE)
                way = element_point(particles.positions, elements, weights, k) - start
                way += anchored_slide(contacts, k, stuck - 1)
                normal = slot_vector(contacts, k, slot, SLOT_NORMAL)
                slide = way - way.dot(normal) * normal
        if stuck > 0 or contacts.anchors[k][ANCHOR_COLLIDER] > 0.0:
            contacts.anchors[k] = ti.Vector([slide[0], slide[1], slide[2], ti.cast(stuck, float)])
