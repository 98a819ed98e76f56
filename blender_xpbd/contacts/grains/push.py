# SPDX-License-Identifier: GPL-3.0-or-later
"""Pushes pairs of grains apart, holds them by friction, and lets them stick, rebound and come to rest.

A pair has C = n·(xᵢ − xⱼ) − (rᵢ + rⱼ) ≥ 0, Δx = n Δλₙ shared by the inverse masses (PBD 2007, §3.4), and Coulomb
friction on the way of the substep, whose multiplier λₜ is at most μ λₙ (Macklin et al. 2014, "Unified particle
physics", §6.1; here λ are sums over all sweeps of a substep). With cohesion λₙ may be negative, down to what the
tensile strength σ holds on the cross-section of the smaller grain: F = σ π r². Friction then holds against λₙ and that
force together, which is Coulomb's law with cohesion.

Sweeps are Gauss-Seidel: slab by slab in one order, then in the other.
"""

import taichi as ti

from ...device.apart import apart
from ..impact import RESTING
from .gather import first_contact, grains_of
from .tables import (
    CONTACT_APPROACH,
    CONTACT_BASE,
    CONTACT_FIRST,
    CONTACT_FRICTION,
    CONTACT_HELD,
    CONTACT_MASS,
    CONTACT_PLACE,
    CONTACT_REACH,
    CONTACT_ROW,
    CONTACT_SECOND,
    GIVEN_NORMAL,
    GRAIN_BODY,
    GRAIN_PARTICLE,
    GRAIN_POINT,
    GRAIN_SWEEPS,
    LARGEST_PLACE,
    RULE_RESTITUTION,
    TOUCHED,
)

# grains that touch and move by less than this share of what gravity would move them in a substep stay where they were
REST_SHARE = 0.05


@apart
def sweep_slab(particles: ti.template(), pairs: ti.template(), slab, sweep):
    """Push the pairs of a slab once, forwards and backwards by turns.

    Args:
        particles: the pack.
        pairs: the pack.
        slab: its number.
        sweep: number of the sweep in its substep.
    """
    first, count = first_contact(pairs, slab), pairs.grain_contact_counts[slab]
    for m in range(count):
        push_contact(particles, pairs, first + (m if sweep % 2 == 0 else count - 1 - m), sweep)


@ti.func
def push_contact(particles: ti.template(), pairs: ti.template(), k, sweep):
    """Push a pair, and hold it by friction.

    Args:
        particles: the pack.
        pairs: the pack.
        k: number of the contact.
        sweep: number of the sweep in its substep.
    """
    ints, contact, given = pairs.grain_contact_ints[k], pairs.grain_contacts[k], pairs.grain_given[k]
    i, j = ints[CONTACT_FIRST], ints[CONTACT_SECOND]
    p, q = particles.positions[i], particles.positions[j]
    d, normal = p.xyz - q.xyz, contact.xyz
    least = -contact[CONTACT_HELD]
    now = ti.max(given[GIVEN_NORMAL] + contact[CONTACT_REACH] - normal.dot(d), least)
    if now != 0.0 or given[GIVEN_NORMAL] != 0.0:
        slide = d + vector_of(contact, CONTACT_BASE)
        wanted = given.xyz - (slide - slide.dot(normal) * normal)
        limit, size = contact[CONTACT_FRICTION] * (now - least), wanted.norm_sqr()
        if size > limit * limit:
            wanted *= limit / ti.sqrt(size)
        push = (now - given[GIVEN_NORMAL]) * normal + (wanted - given.xyz)
        push *= contact[CONTACT_MASS]
        for axis in ti.static(range(3)):
            p[axis] += p[3] * push[axis]
            q[axis] -= q[3] * push[axis]
        particles.positions[i], particles.positions[j] = p, q
        pairs.grain_given[k] = ti.Vector([wanted[0], wanted[1], wanted[2], now])
        if sweep % GRAIN_SWEEPS == GRAIN_SWEEPS - 1 and now > least:
            pairs.grain_touched[i], pairs.grain_touched[j] = 1, 1


@ti.func
def vector_of(values, first: ti.template()):
    """Three numbers of a row."""
    return ti.Vector([values[first + axis] for axis in ti.static(range(3))])


@ti.func
def rest_grain(
    particles: ti.template(), starts: ti.template(), contacts: ti.template(), pairs: ti.template(), g, speed, h
):
    """Leave a grain that touches something, and hardly moved, where it was (Macklin et al. 2014, §4.5).

    Args:
        particles: the pack.
        starts: where particles were when the substep began.
        contacts: the pack.
        pairs: the pack.
        g: number of the grain.
        speed: that gravity, and what else acts from outside, gives in a substep [m/s].
        h: duration of the substep [s].
    """
    i, point = pairs.grain_ints[g, GRAIN_PARTICLE], pairs.grain_ints[g, GRAIN_POINT]
    if pairs.grain_touched[i] == 1 or contacts.touches[point] > 0:
        p, before = particles.positions[i], starts[i]
        way = p.xyz - before.xyz
        if p[3] > 0.0 and way.norm() < REST_SHARE * speed * h:
            particles.positions[i] = ti.Vector([before[0], before[1], before[2], p[3]])


@apart
def settle_slab(particles: ti.template(), pairs: ti.template(), slab, h):
    """Note what friction has left of slides, and let pairs that pushed part with e times their approach, or not at all.

    Args:
        particles: the pack.
        pairs: the pack.
        slab: its number.
        h: duration of the substep [s].
    """
    first = first_contact(pairs, slab)
    for k in range(first, first + pairs.grain_contact_counts[slab]):
        ints, contact, given = pairs.grain_contact_ints[k], pairs.grain_contacts[k], pairs.grain_given[k]
        row, n = ints[CONTACT_ROW], ints[CONTACT_PLACE]
        neighbour = pairs.grain_pairs[row, n] & LARGEST_PLACE
        if given[GIVEN_NORMAL] != 0.0:
            anchor = slide_left(particles, ints, contact, given)
            pairs.grain_anchors[row, n] = ti.Vector([anchor[0], anchor[1], anchor[2], 0.0])
            neighbour |= TOUCHED
        pairs.grain_pairs[row, n] = neighbour
        if given[GIVEN_NORMAL] > 0.0:
            settle_contact(particles, pairs, ints, contact, h)


@ti.func
def slide_left(particles: ti.template(), ints, contact, given):
    """What friction has not taken back of the slide of a contact, as far as it can [m]."""
    d = particles.positions[ints[CONTACT_FIRST]].xyz - particles.positions[ints[CONTACT_SECOND]].xyz
    slide = d + vector_of(contact, CONTACT_BASE)
    slide -= slide.dot(contact.xyz) * contact.xyz
    limit = contact[CONTACT_FRICTION] * (given[GIVEN_NORMAL] + contact[CONTACT_HELD])
    size = slide.norm()
    return slide * (limit / size) if size > limit else slide


@ti.func
def settle_contact(particles: ti.template(), pairs: ti.template(), ints, contact, h):
    """As ``settle_slab``, for a contact."""
    i, j, normal = ints[CONTACT_FIRST], ints[CONTACT_SECOND], contact.xyz
    approach, rebound = contact[CONTACT_APPROACH], 0.0
    # what gravity gives to either in a substep
    resting_speed = ti.max(particles.gravity[i].norm(), particles.gravity[j].norm()) * h
    if approach < -RESTING * resting_speed:
        g, other = grains_of(pairs, ints[CONTACT_ROW], ints[CONTACT_PLACE])
        a, b = pairs.grain_ints[g, GRAIN_BODY], pairs.grain_ints[other, GRAIN_BODY]
        rebound = -approach * pairs.grain_rules[a, b, RULE_RESTITUTION]
    v, w = particles.velocities[i], particles.velocities[j]
    wi, wj = particles.positions[i][3], particles.positions[j][3]
    change = (rebound - normal.dot(v.xyz - w.xyz)) * contact[CONTACT_MASS]
    for axis in ti.static(range(3)):
        v[axis] += wi * change * normal[axis]
        w[axis] -= wj * change * normal[axis]
    particles.velocities[i], particles.velocities[j] = v, w
