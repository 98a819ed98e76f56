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

from .geometry import rounding
from .near import normal_of, points_of
from .tables import GAP, KIND, POINTS, VERTEX_TRIANGLE

# how much of the way to its plane a side may use in a substep; the rest keeps rounding from deciding
KEEP = 0.9
# the gap that is never used up, times the gap wanted. Without one gaps shrink tenfold in each substep, until
# rounding decides: prototypes crossed (docs/experiments.md, Self-contact)
LEAST_GAP = 1e-3
# and so many rounding errors of the coordinates at least
LEAST_ROUNDINGS = 8.0
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
def _approach(surfaces: ti.template(), limits: ti.template(), point, inward, embeds: ti.template()):
    """How far a point goes along ``inward``: (what others may not shorten, all that may count [m], is all fixed)."""
    elements, weights = ti.static(surfaces.surface_elements, surfaces.surface_weights)
    fixed, free, is_fixed = 0.0, 0.0, True
    for j in ti.static(range(4 if embeds else 1)):
        if weights[point, j] != 0.0:
            move = limits.moves[elements[point, j]]
            along = weights[point, j] * inward.dot(move.xyz)
            if move[3] > 0.0:
                # what leads away may be shortened by other pairs
                free += ti.max(along, 0.0)
                is_fixed = False
            else:
                fixed += along
    return fixed, free, is_fixed


@ti.func
def _hand_on(surfaces: ti.template(), limits: ti.template(), point, inward, allowance, embeds: ti.template()):
    """Limit the particles that carry a point, so that together they move it by ``allowance`` along ``inward``."""
    elements, weights = ti.static(surfaces.surface_elements, surfaces.surface_weights)
    carried = 0.0
    for j in range(ti.static(4 if embeds else 1)):
        if weights[point, j] != 0.0:
            move = limits.moves[elements[point, j]]
            if move[3] > 0.0 and weights[point, j] * inward.dot(move.xyz) > 0.0:
                carried += ti.abs(weights[point, j])
    for j in range(ti.static(4 if embeds else 1)):
        if weights[point, j] != 0.0:
            particle = elements[point, j]
            move = limits.moves[particle]
            along = inward.dot(move.xyz)
            if move[3] > 0.0 and weights[point, j] * along > 0.0:
                left = allowance / (carried * ti.abs(along))
                if left < limits.cuts[particle][3]:
                    cut = -(1.0 - left) * along * inward
                    limits.cuts[particle] = ti.Vector([cut[0], cut[1], cut[2], left])


@ti.func
def limit_pair(
    starts: ti.template(),
    surfaces: ti.template(),
    pairs: ti.template(),
    limits: ti.template(),
    k,
    embeds: ti.template(),
):
    """Shorten the moves of the particles of pair ``k`` so that its sides stay on theirs of a plane.

    Args:
        starts: where particles were when the substep began.
        surfaces: the pack.
        pairs: the pack.
        limits: the pack; fractions only become smaller.
        k: number of a pair that is near.
        embeds: static: whether any point has more than one particle.

    Returns:
        1 where the sides may pass through each other all the same: they were not apart, or those that nothing moves
        leave no room; else 0.
    """
    normal = normal_of(pairs, k)
    last_of_a = 1
    if pairs.pair_ints[k, KIND] == VERTEX_TRIANGLE:
        last_of_a = 0
    x0, x1, x2, x3 = points_of(starts, surfaces, pairs, k, embeds)
    # along the normal, relative to the first point; then how far points lie behind the foremost one of their side
    heights = ti.Vector([0.0, normal.dot(x1 - x0), normal.dot(x2 - x0), normal.dot(x3 - x0)])
    lowest_a, highest_b = 0.0, ti.max(heights[2], heights[3])
    if last_of_a == 1:
        lowest_a = ti.min(lowest_a, heights[1])
    else:
        highest_b = ti.max(highest_b, heights[1])
    fixed, free = ti.Vector([0.0, 0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0, 0.0])
    # of each side: the greatest approach; the one that cannot be shortened, where it counts; whether all is fixed
    approach, held, is_held = ti.Vector([_NONE, _NONE]), ti.Vector([_NONE, _NONE]), ti.Vector([1, 1])
    for i in ti.static(range(4)):
        side, inward, behind = 0, -normal, heights[i] - lowest_a
        if i > last_of_a:
            side, inward, behind = 1, normal, highest_b - heights[i]
        fixed[i], free[i], is_fixed = _approach(surfaces, limits, pairs.pair_ints[k, POINTS + i], inward, embeds)
        approach[side] = ti.max(approach[side], fixed[i] + free[i])
        if is_fixed:
            held[side] = ti.max(held[side], fixed[i] - behind)
        else:
            is_held[side] = 0
    least = ti.max(
        LEAST_GAP * pairs.pair_floats[k, GAP],
        ti.static(LEAST_ROUNDINGS * rounding()) * (ti.abs(x0).max() + ti.abs(x3).max()),
    )
    gap = KEEP * ti.max(lowest_a - highest_b - least, 0.0)
    is_open = 0
    if lowest_a <= highest_b or held[0] + held[1] > gap:
        is_open = 1
    if approach[0] + approach[1] > gap and is_held[0] + is_held[1] < 2:
        of_a = gap * ti.max(approach[0], 0.0) / ti.max(ti.max(approach[0], 0.0) + ti.max(approach[1], 0.0), 1e-30)
        if is_held[1] == 1:
            of_a = gap - held[1]
        elif is_held[0] == 1:
            of_a = held[0]
        else:
            of_a = ti.min(ti.max(of_a, held[0]), ti.max(gap - held[1], 0.0))
        of_b = gap - of_a
        for i in ti.static(range(4)):
            room, inward = of_a + heights[i] - lowest_a, -normal
            if i > last_of_a:
                room, inward = of_b + highest_b - heights[i], normal
            room = ti.max(room - fixed[i], 0.0)
            if free[i] > room:
                _hand_on(surfaces, limits, pairs.pair_ints[k, POINTS + i], inward, room, embeds)
    return is_open
