# SPDX-License-Identifier: GPL-3.0-or-later
"""Pushes pairs of grains apart, holds them by friction, and lets them stick, rebound and come to rest.

A pair has C = |xᵢ − xⱼ| − (rᵢ + rⱼ) ≥ 0, Δx = n Δλₙ shared by the inverse masses (PBD 2007, §3.4), and Coulomb friction
on the way of the substep, whose multiplier λₜ is at most μ λₙ (Macklin et al. 2014, "Unified particle physics", §6.1;
here λ are sums over all sweeps of a substep). With cohesion λₙ may be negative, down to what the tensile strength σ
holds on the cross-section of the smaller grain: F = σ π r². Friction then holds against λₙ and that force together,
which is Coulomb's law with cohesion.

Sweeps are Gauss-Seidel: slab by slab in one order, then in the other.
"""

import taichi as ti

from ..impact import RESTING
from .listing import row_of
from .tables import (
    GRAIN_BODY,
    GRAIN_PARTICLE,
    GRAIN_POINT,
    PAIR_ANCHOR,
    PAIR_APPROACH,
    PAIR_GIVEN,
    PAIR_LIMIT,
    RULE_COHESION,
    RULE_FRICTION,
    RULE_RESTITUTION,
    TOUCHED_BEFORE,
)

# centres nearer than this share of touching may have gone past each other: the way from which they came counts
PASSED = 0.5
# how far apart grains hold on to each other, as a share of the sum of their radii: water bridges of sand break at about
# a tenth (Willett et al. 2000)
COHESION_REACH = 0.1
# grains that touch and move by less than this share of what gravity would move them in a substep stay where they were
REST_SHARE = 0.05


@ti.func
def sweep_slab(
    particles: ti.template(), starts: ti.template(), pairs: ti.template(), slab, sweep, h, variant: ti.template()
):
    """Push the pairs of a slab once, forwards and backwards by turns.

    Args:
        particles: the pack.
        starts: where particles were when the substep began.
        pairs: the pack.
        slab: its number.
        sweep: number of the sweep in its substep.
        h: duration of the substep [s].
        variant: static, as for ``project_contact``.
    """
    first, last = pairs.slab_starts[slab], pairs.slab_starts[slab + 1]
    for m in range(last - first):
        g = pairs.grain_order[first + m if sweep % 2 == 0 else last - 1 - m]
        if sweep == 0:
            row = row_of(pairs, g)
            for n in range(pairs.grain_counts[row]):
                begin_pair(pairs, row, n)
        push_neighbours(particles, starts, pairs, g, h, variant)


@ti.func
def begin_pair(pairs: ti.template(), row, n):
    """Begin a substep with pair ``n`` of a row: what it has given is 0."""
    if pairs.grain_multipliers[row, n] != 0.0:
        pairs.grain_multipliers[row, n] = TOUCHED_BEFORE
        for axis in ti.static(range(3)):
            pairs.grain_states[row, n, PAIR_GIVEN + axis] = 0.0


@ti.func
def normal_of(d):
    """The unit vector along another one; upwards where it has no length."""
    length = d.norm()
    return d / length if length > 1e-12 else ti.Vector([0.0, 0.0, 1.0])


@ti.func
def push_neighbours(
    particles: ti.template(), starts: ti.template(), pairs: ti.template(), g, h, variant: ti.template()
):
    """Push grain ``g`` and those neighbours that stand in its row; arguments as of ``sweep_slab``."""
    i, row, radius = pairs.grain_ints[g, GRAIN_PARTICLE], row_of(pairs, g), pairs.grain_radii[g]
    p, start = particles.positions[i], starts[i].xyz
    for n in range(pairs.grain_counts[row]):
        other = pairs.grain_pairs[row, n]
        j = pairs.grain_ints[other, GRAIN_PARTICLE]
        q, multiplier = particles.positions[j], pairs.grain_multipliers[row, n]
        d, reach = p.xyz - q.xyz, radius + pairs.grain_radii[other]
        far = reach
        if ti.static(variant.grains_stick):
            far += COHESION_REACH * reach
        if d.norm_sqr() < far * far or multiplier != 0.0:
            before = start - starts[j].xyz
            push = pair_push(particles, pairs, g, other, row, n, d, before, h, variant)
            push /= p[3] + q[3]
            for axis in ti.static(range(3)):
                p[axis] += p[3] * push[axis]
                q[axis] -= q[3] * push[axis]
            particles.positions[j] = q
    particles.positions[i] = p


@ti.func
def pair_push(
    particles: ti.template(),
    pairs: ti.template(),
    g,
    other,
    row,
    n,
    d,
    before,
    h,
    variant: ti.template(),
):
    """How a pair that touches parts and slides less: displacement of grain ``g`` relative to the other one [m].

    Args:
        particles: the pack.
        pairs: the pack.
        g: number of the grain.
        other: of its neighbour.
        row: of the pair in the list.
        n: its place there.
        d: from the neighbour to the grain [m].
        before: the same when the substep began [m].
        h: duration of the substep [s].
        variant: static, as for ``project_contact``.
    """
    states = ti.static(pairs.grain_states)
    multiplier = pairs.grain_multipliers[row, n]
    a, b = pairs.grain_ints[g, GRAIN_BODY], pairs.grain_ints[other, GRAIN_BODY]
    i, j = pairs.grain_ints[g, GRAIN_PARTICLE], pairs.grain_ints[other, GRAIN_PARTICLE]
    reach, length = pairs.grain_radii[g] + pairs.grain_radii[other], d.norm()
    normal = normal_of(d)
    if length < PASSED * reach and before.norm() > length:
        normal = normal_of(before)
    held = 0.0
    if ti.static(variant.grains_stick):
        if length < (1.0 + COHESION_REACH) * reach:
            least = ti.min(pairs.grain_radii[g], pairs.grain_radii[other])
            force = pairs.grain_rules[a, b, RULE_COHESION] * ti.math.pi * least * least
            held = force * h * h * (particles.positions[i][3] + particles.positions[j][3])
    if multiplier == 0.0:
        # nothing is left of an earlier touch
        for axis in ti.static(range(3)):
            states[row, n, PAIR_GIVEN + axis] = 0.0
            states[row, n, PAIR_ANCHOR + axis] = 0.0
    if ti.abs(multiplier) <= TOUCHED_BEFORE:
        states[row, n, PAIR_APPROACH] = normal.dot(particles.velocities[i].xyz - particles.velocities[j].xyz)
    now = ti.max(multiplier + reach - normal.dot(d), -held)
    push = (now - multiplier) * normal
    slide, given = d - before + push, ti.Vector([0.0, 0.0, 0.0])
    for axis in ti.static(range(3)):
        given[axis] = states[row, n, PAIR_GIVEN + axis]
        slide[axis] += states[row, n, PAIR_ANCHOR + axis]
    wanted = given - (slide - slide.dot(normal) * normal)
    grip = pairs.grain_grips[g] * pairs.grain_grips[other]
    limit = pairs.grain_rules[a, b, RULE_FRICTION] * grip * (now + held)
    size = wanted.norm()
    if size > limit:
        wanted *= limit / size
    for axis in ti.static(range(3)):
        states[row, n, PAIR_GIVEN + axis] = wanted[axis]
    states[row, n, PAIR_LIMIT] = limit
    pairs.grain_multipliers[row, n] = now
    if now + held > 0.0:
        pairs.grain_touched[g] = 1
        pairs.grain_touched[other] = 1
    return push + (wanted - given)


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
    if pairs.grain_touched[g] == 1 or contacts.touches[point] > 0:
        p, before = particles.positions[i], starts[i]
        way = p.xyz - before.xyz
        if p[3] > 0.0 and way.norm() < REST_SHARE * speed * h:
            particles.positions[i] = ti.Vector([before[0], before[1], before[2], p[3]])


@ti.func
def settle_slab(particles: ti.template(), starts: ti.template(), pairs: ti.template(), slab, resting_speed):
    """Note what friction has left of slides, and let pairs that pushed part with e times their approach, or not at all.

    Args:
        particles: the pack.
        starts: where particles were when the substep began.
        pairs: the pack.
        slab: its number.
        resting_speed: that gravity gives in a substep [m/s].
    """
    for m in range(pairs.slab_starts[slab], pairs.slab_starts[slab + 1]):
        g = pairs.grain_order[m]
        row = row_of(pairs, g)
        for n in range(pairs.grain_counts[row]):
            multiplier = pairs.grain_multipliers[row, n]
            if ti.abs(multiplier) <= TOUCHED_BEFORE:
                pairs.grain_multipliers[row, n] = 0.0
            else:
                note_slide(particles, starts, pairs, g, row, n)
                if multiplier > 0.0:
                    settle_pair(particles, pairs, g, row, n, resting_speed)


@ti.func
def note_slide(particles: ti.template(), starts: ti.template(), pairs: ti.template(), g, row, n):
    """Keep what friction has not taken back of the slide of a pair, as far as it can."""
    other = pairs.grain_pairs[row, n]
    i, j = pairs.grain_ints[g, GRAIN_PARTICLE], pairs.grain_ints[other, GRAIN_PARTICLE]
    d = particles.positions[i].xyz - particles.positions[j].xyz
    normal = normal_of(d)
    slide = d - (starts[i].xyz - starts[j].xyz)
    for axis in ti.static(range(3)):
        slide[axis] += pairs.grain_states[row, n, PAIR_ANCHOR + axis]
    slide -= slide.dot(normal) * normal
    limit, size = pairs.grain_states[row, n, PAIR_LIMIT], slide.norm()
    if size > limit:
        slide *= limit / size
    for axis in ti.static(range(3)):
        pairs.grain_states[row, n, PAIR_ANCHOR + axis] = slide[axis]


@ti.func
def settle_pair(particles: ti.template(), pairs: ti.template(), g, row, n, resting_speed):
    """As ``settle_slab``, for grain ``g`` and the neighbour in place ``n`` of its row."""
    other = pairs.grain_pairs[row, n]
    i, j = pairs.grain_ints[g, GRAIN_PARTICLE], pairs.grain_ints[other, GRAIN_PARTICLE]
    normal = normal_of(particles.positions[i].xyz - particles.positions[j].xyz)
    approach, rebound = pairs.grain_states[row, n, PAIR_APPROACH], 0.0
    if approach < -RESTING * resting_speed:
        a, b = pairs.grain_ints[g, GRAIN_BODY], pairs.grain_ints[other, GRAIN_BODY]
        rebound = -approach * pairs.grain_rules[a, b, RULE_RESTITUTION]
    v, w = particles.velocities[i], particles.velocities[j]
    wi, wj = particles.positions[i][3], particles.positions[j][3]
    change = (rebound - normal.dot(v.xyz - w.xyz)) / (wi + wj)
    for axis in ti.static(range(3)):
        v[axis] += wi * change * normal[axis]
        w[axis] -= wj * change * normal[axis]
    particles.velocities[i], particles.velocities[j] = v, w
