# SPDX-License-Identifier: GPL-3.0-or-later
"""What outlives a substep: how far the sides of a pair have slid while they stuck, and how they press each other.

Sweeps leave a little of each slide. A substep alone forgets it, so that what should stick creeps. Its *anchor* is the
sum of what was left since the pair began to stick, in its tangent plane. Friction takes it back with the slide of the
substep, within the same cone. A pair that slips, or does not touch, has none.

Between solids an anchor also has the force that ``press`` gives again.

Anchors are found by the points of the pair, so they outlive the list: a chain for each first point. Chains are made
anew after each substep by one thread. Their order changes no result, for a pair is there once.
"""

import taichi as ti

from ..resolve import SLIPS
from .push import normal_of, relative
from .tables import (
    ANCHOR_FLOATS,
    ANCHOR_FORCE,
    ANCHOR_NEXT,
    ANCHOR_SLIDE,
    FORCE,
    GIVEN,
    KIND,
    MULTIPLIER,
    NEAR_FRICTION,
    NEAR_INTS,
    NEAR_WIDTH,
    OFFSET,
    POINTS,
    ROW,
)


@ti.func
def near_offset(pairs: ti.template(), n):
    """The anchor of near pair ``n`` [m]."""
    floats = ti.static(pairs.near_floats)
    first = n * NEAR_WIDTH + OFFSET
    return ti.Vector([floats[first], floats[first + 1], floats[first + 2]])


@ti.func
def find_anchor(pairs: ti.template(), k):
    """The slide [m] and the force [N] of the anchor of pair ``k``, 0 where it has none."""
    ints, anchors = ti.static(pairs.pair_ints, pairs.anchor_ints)
    result = ti.Vector([0.0] * ANCHOR_FLOATS)
    # rows are counted from 1, for 0 ends a chain
    row = pairs.anchor_heads[ints[k, POINTS]]
    while row > 0:
        is_same = True
        for column in ti.static(range(POINTS + 4)):
            is_same = is_same and anchors[row - 1, column] == ints[k, column]
        if is_same:
            for column in ti.static(range(ANCHOR_FLOATS)):
                result[column] = pairs.anchor_floats[row - 1, column]
            row = 0
        else:
            row = anchors[row - 1, ANCHOR_NEXT]
    return result


@ti.func
def note_slide(
    particles: ti.template(),
    starts: ti.template(),
    surfaces: ti.template(),
    pairs: ti.template(),
    n,
    embeds: ti.template(),
):
    """Write into near pair ``n``, after the last push, the anchor that it leaves behind: 0 where it slipped.

    Args:
        particles: the pack.
        starts: where particles were when the substep began.
        surfaces: the pack.
        pairs: the pack.
        n: row of the near pair.
        embeds: static: whether any point has more than one particle.
    """
    floats = ti.static(pairs.near_floats)
    row = n * NEAR_WIDTH
    offset = ti.Vector([0.0, 0.0, 0.0])
    given = ti.Vector([floats[row + GIVEN], floats[row + GIVEN + 1], floats[row + GIVEN + 2]])
    if given.norm() < SLIPS * floats[row + NEAR_FRICTION] * floats[row + MULTIPLIER]:
        normal = normal_of(pairs, n)
        slide = relative(particles.positions, surfaces, pairs, n, embeds) - relative(starts, surfaces, pairs, n, embeds)
        slide += near_offset(pairs, n)
        offset = slide - slide.dot(normal) * normal
    for axis in ti.static(range(3)):
        floats[row + OFFSET + axis] = offset[axis]


@ti.func
def forget_anchors(pairs: ti.template()):
    """Empty all chains."""
    for row in range(pairs.anchor_count[0]):
        pairs.anchor_heads[pairs.anchor_ints[row, POINTS]] = 0
    pairs.anchor_count[0] = 0


@ti.func
def chain_anchor(pairs: ti.template(), row):
    """Make a filled row of the anchors findable."""
    first = pairs.anchor_ints[row, POINTS]
    pairs.anchor_ints[row, ANCHOR_NEXT] = pairs.anchor_heads[first]
    pairs.anchor_heads[first] = row + 1


@ti.func
def keep_anchor(pairs: ti.template(), n):
    """Keep what ``note_slide`` and ``note_force`` have written into near pair ``n``, if it is not 0."""
    offset, force = near_offset(pairs, n), pairs.near_floats[n * NEAR_WIDTH + FORCE]
    if pairs.near_floats[n * NEAR_WIDTH + MULTIPLIER] > 0.0 and (offset.norm_sqr() > 0.0 or force > 0.0):
        row, k = pairs.anchor_count[0], pairs.near_ints[n * NEAR_INTS + ROW]
        pairs.anchor_count[0] = row + 1
        for column in ti.static(range(KIND, POINTS + 4)):
            pairs.anchor_ints[row, column] = pairs.pair_ints[k, column]
        for axis in ti.static(range(3)):
            pairs.anchor_floats[row, ANCHOR_SLIDE + axis] = offset[axis]
        pairs.anchor_floats[row, ANCHOR_FORCE] = force
        chain_anchor(pairs, row)
