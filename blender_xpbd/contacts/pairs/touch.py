# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact of a pair within a substep: repulsion and Coulomb friction, Gauss–Seidel in the order of the list.

C = n · Σ wᵢ xᵢ − gap ≥ 0, with the normal and the closest points of the substep's start; see ``leaning`` for those that
have others when they are first pushed.
"""

import taichi as ti

from ..resolve import resolve_contact
from .anchors import near_offset
from .leaning import is_leaning, measure_again
from .push import gather_coefficients, normal_of, push_pair, relative
from .tables import GIVEN, MULTIPLIER, NEAR_FRICTION, NEAR_WIDTH, WANTED

# a push of less than this share of the gap leaves others in peace: no sweep is worth its cost for it, see
# docs/experiments.md
CALM = 0.005


@ti.func
def touch_pair(
    particles: ti.template(),
    starts: ti.template(),
    surfaces: ti.template(),
    pairs: ti.template(),
    n,
    embeds: ti.template(),
):
    """Move the sides of near pair ``n`` apart where they are nearer than its gap, and let friction hold them.

    Args:
        particles: the pack; previous positions are where particles would be without velocity.
        starts: where particles were when the substep began [m].
        surfaces: the pack.
        pairs: the pack.
        n: row of the near pair.
        embeds: static: whether any point has more than one particle.

    Returns:
        1 where the push is large enough for other pairs to be asked again, else 0.
    """
    is_busy = 0
    floats = ti.static(pairs.near_floats)
    row = n * NEAR_WIDTH
    normal = normal_of(pairs, n)
    way = relative(particles.positions, surfaces, pairs, n, embeds)
    multiplier = floats[row + MULTIPLIER]
    if multiplier == 0.0 and is_leaning(pairs, n, normal.dot(way), way):
        normal, way = measure_again(particles, starts, surfaces, pairs, n, normal, embeds)
    # what other pairs did meanwhile may make less of this one's push enough
    gap = ti.min(normal.dot(way) - floats[row + WANTED], multiplier)
    if gap < 0.0 or multiplier > 0.0:
        mass = gather_coefficients(particles, surfaces, pairs, n, embeds)
        if mass > 0.0:
            friction = floats[row + NEAR_FRICTION]
            slide = ti.Vector([0.0, 0.0, 0.0])
            if friction > 0.0:
                slide = way - relative(particles.previous_positions, surfaces, pairs, n, embeds)
                slide += near_offset(pairs, n)
            given = ti.Vector([floats[row + GIVEN], floats[row + GIVEN + 1], floats[row + GIVEN + 2]])
            contact = resolve_contact(normal, gap, slide, friction, multiplier, given)
            is_busy = ti.cast(contact.push.norm() > CALM * floats[row + WANTED], ti.i32)
            push_pair(particles.positions, particles, surfaces, pairs, n, mass * contact.push, embeds)
            floats[row + MULTIPLIER] = contact.multiplier
            for axis in ti.static(range(3)):
                floats[row + GIVEN + axis] = contact.given[axis]
    return is_busy
