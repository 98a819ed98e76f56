# SPDX-License-Identifier: GPL-3.0-or-later
"""Velocities of pairs that touched, after the substep: how fast their sides part.

As in ``contacts.restitution``, an approach faster than resting contact is turned around, times e (Müller et al. 2020,
"Detailed Rigid Body Simulation", eq. 34). Slower sides, or all at e = 0, do not come nearer, and do not keep the speed
of the push; a speed that something else gave them, they keep.

Pairs share particles: what one gets changes the speed of others. Where something rebounds, they are swept until
changes are small, and what a pair has got in all is bounded, not each change. The end is the impulse that gives all
sides that touched e times their approach. It adds no energy, while a single sweep does: an edge that is touched near
one end throws that end too fast. Nor does a single sweep end what stacked pairs that come apart have together: the
topmost would be thrown up. So where some do, the pairs of a task are swept on within the sweep.

A push ends an approach only as far as it goes beyond the gap, and here comes the rest. So what slips has friction for
the whole of the normal impulse, not for the push alone: else what lands would be braked by half of what it should.
"""

import taichi as ti

from ..restitution import RESTING
from .anchors import near_offset
from .push import gather_coefficients, normal_of, push_pair, relative
from .tables import APPROACH, GIVEN, MULTIPLIER, NEAR_FRICTION, NEAR_RESTITUTION, NEAR_WIDTH, SETTLED

# what a pair asks for: that other pairs are asked again, for it rebounded, or for it came apart
REBOUNDED, PARTED = 1, 2
# a change of less than this share of the rebound leaves others in peace
CALM = 0.002
# what is taken back of a push takes its friction with it, but gives no more than this share of the slip: jelly that all
# but sticks trembles, and would creep (docs/experiments.md, Landing, sliding and impacts). Chosen by hand
SLIP_SHARE = 0.1


@ti.func
def settle_pair(
    particles: ti.template(),
    surfaces: ti.template(),
    pairs: ti.template(),
    n,
    inverse_h,
    gravity_speed,
    embeds: ti.template(),
):
    """Give near pair ``n`` the normal speed that it is to have, where it touched in the substep, and its friction.

    ``note_slide`` comes before: what sticks has an anchor.

    Args:
        particles: the pack.
        surfaces: the pack.
        pairs: the pack.
        n: row of the near pair.
        inverse_h: velocity per displacement [1/s], as in ``projection_step``.
        gravity_speed: what gravity, and what else acts from outside, adds in the substep [m/s].
        embeds: static: whether any point has more than one particle.

    Returns:
        ``REBOUNDED`` where it rebounds and the change is large enough for other pairs to be asked again, ``PARTED``
        where it came apart so fast that others may do so again by what it lost, else 0.
    """
    asks = 0
    floats = ti.static(pairs.near_floats)
    row = n * NEAR_WIDTH
    if floats[row + MULTIPLIER] > 0.0:
        normal = normal_of(pairs, n)
        velocity = relative(particles.velocities, surfaces, pairs, n, embeds)
        speed = normal.dot(velocity)
        rebound = ti.cast(0.0, float)
        if floats[row + APPROACH] > RESTING * gravity_speed:
            rebound = floats[row + NEAR_RESTITUTION] * floats[row + APPROACH]
        settled = floats[row + SETTLED]
        change = ti.max(rebound - speed, -floats[row + MULTIPLIER] * inverse_h - settled)
        mass = gather_coefficients(particles, surfaces, pairs, n, embeds)
        if mass > 0.0:
            floats[row + SETTLED] = settled + change
            given = _rub(pairs, n, velocity - speed * normal, inverse_h)
            push_pair(particles.velocities, particles, surfaces, pairs, n, mass * (change * normal + given), embeds)
            if rebound > 0.0 and ti.abs(change) > CALM * rebound:
                asks = REBOUNDED
            elif rebound == 0.0 and -change > RESTING * gravity_speed:
                asks = PARTED
    return asks


@ti.func
def _rub(pairs: ti.template(), n, slip, inverse_h):
    """What Coulomb's friction of near pair ``n`` changes in its slip [m/s], for all that it was pushed; 0 if it sticks.

    Args:
        pairs: the pack.
        n: row of the near pair.
        slip: tangential velocity of side a relative to side b [m/s].
        inverse_h: as in ``settle_pair``.
    """
    change = ti.Vector([0.0, 0.0, 0.0])
    floats = ti.static(pairs.near_floats)
    row = n * NEAR_WIDTH
    if floats[row + NEAR_FRICTION] > 0.0 and near_offset(pairs, n).norm_sqr() == 0.0:
        given = inverse_h * ti.Vector([floats[row + GIVEN], floats[row + GIVEN + 1], floats[row + GIVEN + 2]])
        taken = floats[row + NEAR_FRICTION] * floats[row + SETTLED]
        most = floats[row + NEAR_FRICTION] * floats[row + MULTIPLIER] * inverse_h
        most += ti.max(taken, -SLIP_SHARE * slip.norm())
        wanted = given - slip
        wanted *= ti.min(1.0, most / ti.max(wanted.norm(), 1e-30))
        change = wanted - given
        for axis in ti.static(range(3)):
            floats[row + GIVEN + axis] = wanted[axis] / inverse_h
    return change
