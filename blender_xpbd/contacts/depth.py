# SPDX-License-Identifier: GPL-3.0-or-later
"""Points that are inside a collider when the simulation starts, and how deep they may still be."""

import taichi as ti

from .generate import collider_contact
from .record import element_point
from .tables import POINT_BODY


@ti.func
def depth_in(particles: ti.template(), contacts: ti.template(), colliders: ti.template(), k, c, variant: ti.template()):
    """How deep contact point ``k`` is in collider ``c`` at the end of substep 0 [m]; 0 outside of it."""
    result, is_seen = 0.0, True
    if ti.static(variant.chooses):
        is_seen = colliders.unseen[contacts.elements[k, POINT_BODY], c] == 0
    if is_seen:
        point = element_point(particles.positions, contacts.elements, contacts.weights, k)
        contact, _is_bent = collider_contact(particles, contacts, colliders, k, c, 0, point, point, 0.0, variant.shapes)
        result = ti.max(-contact.gap, 0.0)
    return result


@ti.func
def allowed_depth(contacts: ti.template(), k, c, s):
    """How deep contact point ``k`` may be in collider ``c`` at the end of substep ``s`` [m]: less and less."""
    result, column = 0.0, contacts.start_columns[c]
    if column >= 0:
        result = contacts.start_depths[k, column] * contacts.depth_shares[s + 1]
    return result
