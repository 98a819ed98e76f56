# SPDX-License-Identifier: GPL-3.0-or-later
"""Velocities of pairs that touched, after the substep: how fast their sides part.

As in ``contacts.restitution``, an approach faster than resting contact is turned around, times e (Müller et al. 2020,
"Detailed Rigid Body Simulation", eq. 34). Slower sides, or all at e = 0, do not come nearer, and do not keep the speed
of the push; a speed that something else gave them, they keep.
"""

import taichi as ti

from ..restitution import RESTING
from .near import normal_of
from .push import gather_coefficients, push_pair, relative
from .tables import APPROACH, MULTIPLIER, RESTITUTION


@ti.func
def settle_pair(
    particles: ti.template(),
    surfaces: ti.template(),
    pairs: ti.template(),
    k,
    inverse_h,
    gravity_speed,
    embeds: ti.template(),
):
    """Give pair ``k`` the normal speed that it is to have, where it touched in the substep.

    Args:
        particles: the pack.
        surfaces: the pack.
        pairs: the pack.
        k: number of a pair that is near.
        inverse_h: velocity per displacement [1/s], as in ``projection_step``.
        gravity_speed: what gravity adds in the substep [m/s].
        embeds: static: whether any point has more than one particle.
    """
    floats = ti.static(pairs.pair_floats)
    if floats[k, MULTIPLIER] > 0.0:
        normal = normal_of(pairs, k)
        speed = normal.dot(relative(particles.velocities, surfaces, pairs, k, embeds))
        rebound = 0.0
        if floats[k, APPROACH] > RESTING * gravity_speed:
            rebound = floats[k, RESTITUTION] * floats[k, APPROACH]
        change = ti.max(rebound - speed, -floats[k, MULTIPLIER] * inverse_h)
        inverse_mass = gather_coefficients(particles, surfaces, pairs, k, embeds)
        if inverse_mass > 0.0:
            push_pair(particles.velocities, particles, surfaces, pairs, k, normal * (change / inverse_mass), embeds)
