# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces between solids that touch, kept from one substep to the next: what sweeps over pairs begin with.

The elastic solve of a jelly gives the impulses of the substep before again, and does not know of the contacts that held
against them. So what lies on something is pushed into it by its whole weight, through the few particles beside the
contact. Sweeps that begin with nothing are far from ready when they end (docs/experiments.md, Jelly that lies on
jelly). So they begin with the force that each pair had, and take back what is too much.

Pairs are one-sided and their end is the same wherever sweeps begin: of all places in which no pair is too near, the one
that asks for the least impulses. A force counts instead of a multiplier, for it does not depend on the duration of the
substep, nor on which particles carry the closest points.

No force presses two sides farther apart than a gap more than they are to be. It may be that of a jelly on a cloth that
a collider stood behind, and does no more: what weighs a thousandth went metres, met others there, and threw them.
"""

import taichi as ti

from .backing import backed_mass, hand_on
from .push import gather_coefficients, normal_of, push_pair, relative
from .tables import FORCE, MULTIPLIER, NEAR_WIDTH, WANTED
from .touch import note_push


@ti.func
def press_pair(
    particles: ti.template(),
    surfaces: ti.template(),
    contacts: ti.template(),
    pairs: ti.template(),
    n,
    h,
    embeds: ti.template(),
    backs: ti.template(),
):
    """Push the sides of near pair ``n`` apart by the force of the substep before, in the first sweep of a substep.

    Args:
        particles: the pack.
        surfaces: the pack.
        contacts: the pack of contacts with colliders; anything where nothing ``backs``.
        pairs: the pack.
        n: row of the near pair.
        h: duration of the substep [s].
        embeds: static: whether any point has more than one particle.
        backs: static: as in ``touch_pair``.
    """
    force = pairs.near_floats[n * NEAR_WIDTH + FORCE]
    if force > 0.0:
        mass = gather_coefficients(particles, surfaces, pairs, n, embeds)
        if mass > 0.0:
            normal, is_backed = normal_of(pairs, n), False
            if ti.static(backs):
                mass, is_backed = backed_mass(particles, surfaces, contacts, pairs, n, mass)
            wanted = pairs.near_floats[n * NEAR_WIDTH + WANTED]
            near = wanted - normal.dot(relative(particles.positions, surfaces, pairs, n, embeds))
            multiplier = ti.min(force * h * h / mass, ti.max(near, 0.0) + wanted)
            if ti.static(backs):
                if is_backed:
                    hand_on(particles, surfaces, contacts, pairs, n, multiplier * mass, ti.Vector([0.0, 0.0, 0.0]))
            push_pair(particles.positions, particles, surfaces, pairs, n, (multiplier * mass) * normal, embeds)
            pairs.near_floats[n * NEAR_WIDTH + MULTIPLIER] = multiplier
            note_push(particles, surfaces, pairs, n, 1, embeds)


@ti.func
def note_force(
    particles: ti.template(),
    surfaces: ti.template(),
    contacts: ti.template(),
    pairs: ti.template(),
    n,
    duration,
    embeds: ti.template(),
    backs: ti.template(),
):
    """Write into near pair ``n``, after the last push, the force between its sides [N]; see ``press_pair``."""
    mass = gather_coefficients(particles, surfaces, pairs, n, embeds)
    if mass > 0.0:
        if ti.static(backs):
            mass, _ = backed_mass(particles, surfaces, contacts, pairs, n, mass)
        # clears the coefficients
        push_pair(particles.positions, particles, surfaces, pairs, n, ti.Vector([0.0, 0.0, 0.0]), embeds)
    push = mass * pairs.near_floats[n * NEAR_WIDTH + MULTIPLIER]
    pairs.near_floats[n * NEAR_WIDTH + FORCE] = push / (duration * duration)
