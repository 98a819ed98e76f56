# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact points that are known to touch nothing, so that no collider is asked for them.

A collider that stands is no nearer to a point than it was, but by the way of the point. So what a point touched
nothing of tells how far it may go until it may touch anything, from where it was then. What is left out is what no
query would tell of: contacts are the same to the last bit, whatever is known, and a frame may begin with anything.

``clear_places`` has a row of each contact point: where it was [m], and how far it may go from there [m], or 0.
``clear_told`` says whether all colliders stand.
"""

from typing import Any

import taichi as ti

from ..device.arrays import make_zero_vectors, make_zeros
from .generate import LOOKING_BACK, collider_clearance
from .record import element_point


def clear_places(points: int) -> dict[str, Any]:
    """Arrays for so many contact points, of which nothing is known yet."""
    return {"clear_places": make_zero_vectors(points), "clear_told": make_zeros((1,), ti.i32)}


def keeps_clearance(variant: Any) -> bool:
    """Whether it is worth to know: what looks back takes long to ask; ``variant`` as in ``Variant``."""
    return bool(variant.shapes & LOOKING_BACK)


@ti.func
def stays_clear(particles: ti.template(), contacts: ti.template(), colliders: ti.template(), k, variant: ti.template()):
    """Whether contact point ``k`` touches nothing, by what is known, on its way through the substep."""
    starts = ti.static(particles.older_positions if variant.has_history else particles.previous_positions)
    row, result = colliders.clear_places[k], False
    if row[3] > 0.0:
        before = element_point(starts, contacts.elements, contacts.weights, k) - row.xyz
        way = element_point(particles.positions, contacts.elements, contacts.weights, k) - row.xyz
        result = ti.max(way.norm_sqr(), before.norm_sqr()) < row[3] * row[3]
    return result


@ti.func
def note_clearance(
    particles: ti.template(),
    contacts: ti.template(),
    colliders: ti.template(),
    k,
    s,
    point,
    variant: ti.template(),
):
    """Note how far contact point ``k``, which touches nothing at the end of substep ``s``, may go from there."""
    if colliders.clear_told[0] == 1:
        clear = 1e30
        for c in range(colliders.ints.shape[0]):
            clear = ti.min(clear, collider_clearance(particles, contacts, colliders, k, c, s, point, variant.shapes))
        colliders.clear_places[k] = ti.Vector([point[0], point[1], point[2], ti.max(clear, 0.0)])
