# SPDX-License-Identifier: GPL-3.0-or-later
"""Gathers the contacts of a substep: what sweeps read of pairs that are near, packed in the order of the sweeps.

Normals are those of where grains would come if nothing touched. They stay for the substep, so that a sweep takes no
root where nothing slides. A pair that parts along such a normal is never nearer than it is to be:
|xᵢ − xⱼ| ≥ n·(xᵢ − xⱼ).
"""

import taichi as ti

from ...device.apart import apart
from .listing import first_row
from .tables import (
    CONTACT_BASE,
    GRAIN_BODY,
    GRAIN_PARTICLE,
    LARGEST_PLACE,
    RULE_COHESION,
    RULE_FRICTION,
    TOUCHED,
)

# centres nearer than this share of touching may have gone past each other: the way from which they came counts
PASSED = 0.5
# grains nearer than this have no direction from one to the other [m]
AT_ONE_PLACE = 1e-12
# how far apart grains hold on to each other, as a share of the sum of their radii: water bridges of sand break at about
# a tenth (Willett et al. 2000)
COHESION_REACH = 0.1
# pairs up to this share farther apart than they touch, or hold on to each other, may touch in the substep
MARGIN = 0.1


@apart
def gather_contacts(
    particles: ti.template(), starts: ti.template(), pairs: ti.template(), slab, h, variant: ti.template()
):
    """Note the contacts of a slab for the sweeps of a substep.

    Args:
        particles: the pack.
        starts: where particles were when the substep began.
        pairs: the pack.
        slab: its number.
        h: duration of the substep [s].
        variant: static, as for ``project_contact``.
    """
    first = first_contact(pairs, slab)
    found = 0
    for m in range(pairs.slab_starts[slab], pairs.slab_starts[slab + 1]):
        row, ball = first_row(pairs) + m, pairs.grain_balls[m]
        for n in range(pairs.grain_counts[row]):
            neighbour = pairs.grain_pairs[row, n]
            apart = ball - pairs.grain_balls[neighbour & LARGEST_PLACE]
            d, reach = apart.xyz, 2.0 * ball[3] - apart[3]
            far = (1.0 + MARGIN) * reach
            if ti.static(variant.grains_stick):
                far += COHESION_REACH * reach
            if d.norm_sqr() < far * far:
                k = first + found
                g, other = grains_of(pairs, row, n)
                i, j = pairs.grain_ints[g, GRAIN_PARTICLE], pairs.grain_ints[other, GRAIN_PARTICLE]
                pairs.grain_contact_ints[k] = ti.Vector([i, j, row, n])
                pairs.grain_contacts[k] = new_contact(particles, starts, pairs, row, n, h, variant)
                pairs.grain_given[k] = ti.Vector([0.0, 0.0, 0.0, 0.0])
                found += 1
            elif neighbour & TOUCHED != 0:
                pairs.grain_pairs[row, n] = neighbour & LARGEST_PLACE
    pairs.grain_contact_counts[slab] = found


@ti.func
def grains_of(pairs: ti.template(), row, n):
    """The two grains of a pair of the list that counts."""
    return pairs.grain_order[row - first_row(pairs)], pairs.grain_order[pairs.grain_pairs[row, n] & LARGEST_PLACE]


@ti.func
def first_contact(pairs: ti.template(), slab):
    """Where the contacts of a slab begin."""
    return pairs.slab_starts[slab] * pairs.grain_pairs.shape[1]


@ti.func
def new_contact(
    particles: ti.template(),
    starts: ti.template(),
    pairs: ti.template(),
    row,
    n,
    h,
    variant: ti.template(),
):
    """The numbers of a contact.

    Args:
        particles: the pack.
        starts: where particles were when the substep began.
        pairs: the pack.
        row: of the pairs of its first grain.
        n: number of the pair in the row.
        h: duration of the substep [s].
        variant: static, as for ``project_contact``.
    """
    g, other = grains_of(pairs, row, n)
    ball, neighbour = pairs.grain_balls[row - first_row(pairs)], pairs.grain_pairs[row, n]
    apart, anchor = ball - pairs.grain_balls[neighbour & LARGEST_PLACE], ti.Vector([0.0, 0.0, 0.0])
    if neighbour & TOUCHED != 0:
        anchor = pairs.grain_anchors[row, n].xyz
    # from the neighbour to the grain, and how far apart they touch
    d, reach = apart.xyz, 2.0 * ball[3] - apart[3]
    pace = 1.0 / (ti.static(variant.step_share) * h)
    i, j = pairs.grain_ints[g, GRAIN_PARTICLE], pairs.grain_ints[other, GRAIN_PARTICLE]
    a, b = pairs.grain_ints[g, GRAIN_BODY], pairs.grain_ints[other, GRAIN_BODY]
    before = starts[i].xyz - starts[j].xyz
    normal, length = direction_of(d)
    if length < PASSED * reach:
        other_normal, other_length = direction_of(before)
        if other_length > length:
            normal = other_normal
        elif length < AT_ONE_PLACE:
            normal = scattered(i, j)
    weight, held = particles.positions[i][3] + particles.positions[j][3], 0.0
    if ti.static(variant.grains_stick):
        if length < (1.0 + COHESION_REACH) * reach:
            least = ti.min(pairs.grain_radii[g], pairs.grain_radii[other])
            held = pairs.grain_rules[a, b, RULE_COHESION] * ti.math.pi * least * least * h * h * weight
    friction = pairs.grain_rules[a, b, RULE_FRICTION] * pairs.grain_grips[g] * pairs.grain_grips[other]
    # where they would be without their velocities, which make the way in a ``share`` of the substep
    at_rest = before
    if ti.static(variant.has_history):
        at_rest = particles.previous_positions[i].xyz - particles.previous_positions[j].xyz
    approach = normal.dot(d - at_rest) * pace
    mass = 1.0 / ti.cast(weight, ti.f32)
    values = ti.Vector([normal[0], normal[1], normal[2], reach, friction, held, mass, approach] + [0.0] * 4)
    for axis in ti.static(range(3)):
        values[CONTACT_BASE + axis] = anchor[axis] - before[axis]
    return values


@ti.func
def direction_of(d):
    """The unit vector along another one, upwards where it has no length, and its length; in single precision."""
    way = ti.cast(d, ti.f32)
    length = way.norm()
    normal = ti.Vector([0.0, 0.0, 1.0], ti.f32)
    if length > AT_ONE_PLACE:
        normal = way * (ti.cast(1.0, ti.f32) / length)
    return normal, length


@ti.func
def scattered(i, j):
    """A direction that looks random, always the same for two particles: many at one place part to all sides."""
    mixed = i * 0x2C1B3C6D + j * 0x297A2D39
    way = ti.Vector([0.0, 0.0, 0.0], ti.f32)
    for axis in ti.static(range(3)):
        mixed = (mixed ^ ((mixed >> 15) & 0x1FFFF)) * 0x2C1B3C6D
        way[axis] = ti.cast(mixed & 0xFFFF, ti.f32) - 32767.5
    return way / way.norm()
