# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces between solids that touch, kept from one substep to the next: what sweeps over pairs begin with.

The elastic solve of a jelly gives the impulses of the substep before again, and does not know of the contacts that held
against them. So what lies on something is pushed into it by its whole weight, through the few particles beside the
contact. Sweeps that begin with nothing are far from ready when they end (docs/experiments.md, Jelly that lies on
jelly). So they begin with the force that each pair had, and take back what is too much.

Pairs are one-sided and their end is the same wherever sweeps begin: of all places in which no pair is too near, the one
that asks for the least impulses. A force counts instead of a multiplier, for it does not depend on the duration of the
substep, nor on which particles carry the closest points.
"""

import taichi as ti

from .backing import backed_mass, hand_on
from .push import gather_coefficients, normal_of, push_pair
from .tables import FORCE, MULTIPLIER, NEAR_WIDTH
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
            push = (force * h * h) * normal_of(pairs, n)
            if ti.static(backs):
                mass = backed_mass(particles, surfaces, contacts, pairs, n, mass)
            push_pair(particles.positions, particles, surfaces, pairs, n, push, embeds)
            if ti.static(backs):
                hand_on(particles, surfaces, contacts, pairs, n, force * h * h)
            pairs.near_floats[n * NEAR_WIDTH + MULTIPLIER] = force * h * h / mass
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
        # clears the coefficients
        push_pair(particles.positions, particles, surfaces, pairs, n, ti.Vector([0.0, 0.0, 0.0]), embeds)
        if ti.static(backs):
            mass = backed_mass(particles, surfaces, contacts, pairs, n, mass)
    push = mass * pairs.near_floats[n * NEAR_WIDTH + MULTIPLIER]
    pairs.near_floats[n * NEAR_WIDTH + FORCE] = push / (duration * duration)
