# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact of a pair within a substep: repulsion and Coulomb friction, Gauss–Seidel in the order of the list.

C = n · Σ wᵢ xᵢ − gap ≥ 0, with the normal and the closest points of the substep's start.
"""

import taichi as ti

from ..resolve import resolve_contact
from .near import normal_of
from .push import gather_coefficients, push_pair, relative
from .tables import DISTANCE, FRICTION, GAP, GIVEN, MULTIPLIER

# sides that begin nearer than the gap come apart by no more than this speed [m/s]: bodies that overlap at the first
# frame glide out instead of being shot out
LARGEST_PUSH_SPEED = 1.0


@ti.func
def touch_pair(particles: ti.template(), surfaces: ti.template(), pairs: ti.template(), k, h, embeds: ti.template()):
    """Move the sides of pair ``k`` apart where they are nearer than its gap, and let friction hold them.

    Args:
        particles: the pack; previous positions are where particles would be without velocity.
        surfaces: the pack.
        pairs: the pack.
        k: number of a pair that is near.
        h: duration of the substep [s].
        embeds: static: whether any point has more than one particle.
    """
    floats = ti.static(pairs.pair_floats)
    normal = normal_of(pairs, k)
    wanted = ti.min(floats[k, GAP], floats[k, DISTANCE] + LARGEST_PUSH_SPEED * h)
    way = relative(particles.positions, surfaces, pairs, k, embeds)
    gap = normal.dot(way) - wanted
    multiplier = floats[k, MULTIPLIER]
    # what other pairs did meanwhile may make less of this one's push enough
    gap = ti.min(gap, multiplier)
    if gap < 0.0 or multiplier > 0.0:
        inverse_mass = gather_coefficients(particles, surfaces, pairs, k, embeds)
        if inverse_mass > 0.0:
            slide = way - relative(particles.previous_positions, surfaces, pairs, k, embeds)
            given = ti.Vector([floats[k, GIVEN], floats[k, GIVEN + 1], floats[k, GIVEN + 2]])
            contact = resolve_contact(normal, gap, slide, floats[k, FRICTION], multiplier, given)
            push_pair(particles.positions, particles, surfaces, pairs, k, contact.push / inverse_mass, embeds)
            floats[k, MULTIPLIER] = contact.multiplier
            for axis in ti.static(range(3)):
                floats[k, GIVEN + axis] = contact.given[axis]
