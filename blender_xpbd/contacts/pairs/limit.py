# SPDX-License-Identifier: GPL-3.0-or-later
"""How far particles may go in a substep so that no pair passes through itself: planar truncation.

A pair that is apart has a plane between its sides ("divide and truncate", OGC's planar bound, Chen et al. 2025). Each
side may use KEEP of its share of the gap, so no side reaches the plane, and straight ways from start to end cross
nothing. The gap is measured along the pair's normal as the distance between the two sides as sets. It is a lower bound
of the distance whatever the normal, so a normal that rounding turned a little makes moves shorter, never wrong.

What counts are moves in the frame of the island, which moves all pairs of it alike and so crosses nothing.

A point that several particles carry hands its allowance on: each of them may move it by its own share, so that they may
be shortened by other pairs too. Particles without mass go where they are told to; the other side gets what they leave.
Where they leave less than nothing, only what pushes sides apart can help, and nothing is certified.
"""

import taichi as ti

from .geometry import facing
from .push import carried, normal_of
from .tables import CARRIERS, IS_EDGES, NEAR_INTS, NEAR_WIDTH, ROOM

_NONE = -1e30


@ti.func
def begin_limit(limits: ti.template(), i, move, inverse_mass):
    """Note the move of particle ``i`` in the frame of its island [m] as not limited yet."""
    limits.moves[i] = ti.Vector([move[0], move[1], move[2], inverse_mass])
    limits.cuts[i] = ti.Vector([0.0, 0.0, 0.0, 1.0])


@ti.func
def slide(limits: ti.template(), i):
    """Take from the move of particle ``i`` what goes through its tightest plane; then pairs must limit it anew."""
    cut = limits.cuts[i]
    if cut[3] < 1.0:
        begin_limit(limits, i, limits.moves[i].xyz + cut.xyz, limits.moves[i][3])


@ti.func
def limited_move(limits: ti.template(), i):
    """The move of particle ``i`` that its pairs leave, in the frame of its island [m], and 0."""
    move = limits.cuts[i][3] * limits.moves[i]
    return ti.Vector([move[0], move[1], move[2], 0.0])


@ti.func
def _approach(surfaces: ti.template(), limits: ti.template(), carrier, inward, embeds: ti.template()):
    """How far a point goes along ``inward``: (what others may not shorten, all that may count [m], is all fixed)."""
    fixed, free, is_fixed = ti.cast(0.0, float), ti.cast(0.0, float), 1
    if ti.static(embeds):
        elements, weights = ti.static(surfaces.surface_elements, surfaces.surface_weights)
        for j in range(4):
            if weights[carrier, j] != 0.0:
                move = limits.moves[elements[carrier, j]]
                along = weights[carrier, j] * inward.dot(move.xyz)
                if move[3] > 0.0:
                    # what leads away may be shortened by other pairs
                    free += ti.max(along, 0.0)
                    is_fixed = 0
                else:
                    fixed += along
    else:
        move = limits.moves[carrier]
        along = inward.dot(move.xyz)
        if move[3] > 0.0:
            free, is_fixed = ti.max(along, 0.0), 0
        else:
            fixed = along
    return fixed, free, is_fixed


@ti.func
def _shorten(limits: ti.template(), particle, inward, allowance):
    """Let a particle move by no more than ``allowance`` along ``inward``, or against it."""
    along = inward.dot(limits.moves[particle].xyz)
    left = allowance / ti.abs(along)
    if left < limits.cuts[particle][3]:
        cut = -(1.0 - left) * along * inward
        limits.cuts[particle] = ti.Vector([cut[0], cut[1], cut[2], left])


@ti.func
def _hand_on(surfaces: ti.template(), limits: ti.template(), carrier, inward, allowance, embeds: ti.template()):
    """Limit the particles that carry a point, so that together they move it by ``allowance`` along ``inward``."""
    if ti.static(embeds):
        elements, weights = ti.static(surfaces.surface_elements, surfaces.surface_weights)
        total = ti.cast(0.0, float)
        for j in range(4):
            if weights[carrier, j] != 0.0:
                move = limits.moves[elements[carrier, j]]
                if move[3] > 0.0 and weights[carrier, j] * inward.dot(move.xyz) > 0.0:
                    total += ti.abs(weights[carrier, j])
        for j in range(4):
            if weights[carrier, j] != 0.0:
                move = limits.moves[elements[carrier, j]]
                if move[3] > 0.0 and weights[carrier, j] * inward.dot(move.xyz) > 0.0:
                    _shorten(limits, elements[carrier, j], inward, allowance / total)
    else:
        _shorten(limits, carrier, inward, allowance)


@ti.func
def _limited(surfaces: ti.template(), limits: ti.template(), carrier, embeds: ti.template()):
    """The move of a point by the moves that are left to what carries it."""
    result = ti.Vector([0.0, 0.0, 0.0])
    if ti.static(embeds):
        elements, weights = ti.static(surfaces.surface_elements, surfaces.surface_weights)
        for j in range(4):
            if weights[carrier, j] != 0.0:
                result += weights[carrier, j] * limited_move(limits, elements[carrier, j]).xyz
    else:
        result = limited_move(limits, carrier).xyz
    return result


@ti.func
def limit_pair(
    starts: ti.template(),
    surfaces: ti.template(),
    pairs: ti.template(),
    limits: ti.template(),
    n,
    embeds: ti.template(),
):
    """Shorten the moves of the particles of near pair ``n`` so that its sides stay on theirs of a plane.

    Args:
        starts: where particles were when the substep began.
        surfaces: the pack.
        pairs: the pack.
        limits: the pack; fractions only become smaller.
        n: row of the near pair.
        embeds: static: whether any point has more than one particle.

    Returns:
        1 where the sides may pass through each other all the same: they were not apart, or what nothing moves leaves
        no room; else 0.
    """
    normal, first = normal_of(pairs, n), n * NEAR_INTS + CARRIERS
    of_a = 1 + pairs.near_ints[n * NEAR_INTS + IS_EDGES]
    approach_a, approach_b = ti.cast(_NONE, float), ti.cast(_NONE, float)
    for i in ti.static(range(4)):
        inward = normal if i >= of_a else -normal
        fixed, free, _ = _approach(surfaces, limits, pairs.near_ints[first + i], inward, embeds)
        if i < of_a:
            approach_a = ti.max(approach_a, fixed + free)
        else:
            approach_b = ti.max(approach_b, fixed + free)
    is_open = 0
    if approach_a + approach_b > pairs.near_floats[n * NEAR_WIDTH + ROOM]:
        is_open = _shorten_pair(starts, surfaces, pairs, limits, n, approach_a, approach_b, embeds)
    return is_open


@ti.func
def _shorten_pair(
    starts: ti.template(),
    surfaces: ti.template(),
    pairs: ti.template(),
    limits: ti.template(),
    n,
    approach_a,
    approach_b,
    embeds: ti.template(),
):
    """What ``limit_pair`` does with sides that come nearer than they may, by the greatest approach of either [m]."""
    ints = ti.static(pairs.near_ints)
    first, is_edges = n * NEAR_INTS + CARRIERS, pairs.near_ints[n * NEAR_INTS + IS_EDGES]
    normal, room = normal_of(pairs, n), pairs.near_floats[n * NEAR_WIDTH + ROOM]
    x0 = carried(starts, surfaces, ints[first], embeds)
    lowest_a, highest_b = facing(
        normal,
        is_edges == 1,
        carried(starts, surfaces, ints[first + 1], embeds) - x0,
        carried(starts, surfaces, ints[first + 2], embeds) - x0,
        carried(starts, surfaces, ints[first + 3], embeds) - x0,
    )
    # of each side the approach that cannot be shortened, where it counts; whether all is fixed
    held_a, held_b, is_held_a, is_held_b = ti.cast(_NONE, float), ti.cast(_NONE, float), 1, 1
    for i in range(4):
        height = normal.dot(carried(starts, surfaces, ints[first + i], embeds) - x0)
        inward = normal if i > is_edges else -normal
        fixed, _, is_fixed = _approach(surfaces, limits, ints[first + i], inward, embeds)
        if i > is_edges:
            held_b = ti.max(held_b, fixed - (highest_b - height) if is_fixed == 1 else _NONE)
            is_held_b = is_held_b & is_fixed
        else:
            held_a = ti.max(held_a, fixed - (height - lowest_a) if is_fixed == 1 else _NONE)
            is_held_a = is_held_a & is_fixed
    if is_held_a + is_held_b < 2:
        share_a, share_b = ti.max(approach_a, 0.0), ti.max(approach_b, 0.0)
        room_a = room * share_a / ti.max(share_a + share_b, 1e-30)
        if is_held_b == 1:
            room_a = room - held_b
        elif is_held_a == 1:
            room_a = held_a
        else:
            room_a = ti.min(ti.max(room_a, held_a), ti.max(room - held_b, 0.0))
        for i in range(4):
            height = normal.dot(carried(starts, surfaces, ints[first + i], embeds) - x0)
            left, inward = room_a + height - lowest_a, -normal
            if i > is_edges:
                left, inward = room - room_a + highest_b - height, normal
            fixed, free, _ = _approach(surfaces, limits, ints[first + i], inward, embeds)
            left = ti.max(left - fixed, 0.0)
            if free > left:
                _hand_on(surfaces, limits, ints[first + i], inward, left, embeds)
    foremost_a, foremost_b = ti.cast(_NONE, float), ti.cast(_NONE, float)
    for i in range(4):
        height = normal.dot(carried(starts, surfaces, ints[first + i], embeds) - x0)
        height += normal.dot(_limited(surfaces, limits, ints[first + i], embeds))
        if i > is_edges:
            foremost_b = ti.max(foremost_b, height)
        else:
            foremost_a = ti.max(foremost_a, -height)
    return ti.cast(lowest_a <= highest_b or foremost_a + foremost_b >= 0.0, ti.i32)
