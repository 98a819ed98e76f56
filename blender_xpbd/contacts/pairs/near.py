# SPDX-License-Identifier: GPL-3.0-or-later
"""Which pairs are near when a substep begins, with their closest points and the normal between them."""

import taichi as ti

from .anchors import find_anchor
from .geometry import facing, pair_geometry, parting_normal, rounding, steady_weights
from .push import carried, pair_mass, relative
from .tables import (
    ANCHOR_FLOATS,
    ANCHOR_FORCE,
    ANCHOR_SLIDE,
    APPROACH,
    CARRIERS,
    EDGE_EDGE,
    FORCE,
    FRICTION,
    GAP,
    GIVEN,
    IS_EDGES,
    KIND,
    MASS,
    MULTIPLIER,
    NEAR_FRICTION,
    NEAR_INTS,
    NEAR_NORMAL,
    NEAR_RESTITUTION,
    NEAR_WEIGHTS,
    NEAR_WIDTH,
    OFFSET,
    POINTS,
    RESTITUTION,
    ROOM,
    ROW,
    SETTLED,
    WANTED,
)

# sides that begin a substep nearer than the gap come apart by no more than this speed [m/s]. What starts so at the
# first frame comes apart more slowly, by the share of what it lacked
LARGEST_PUSH_SPEED = 1.0
# how much of the way to its plane a side may use in a substep; the rest keeps rounding from deciding
KEEP = 0.9
# the gap that is never used up, times the gap wanted. Without one gaps shrink tenfold in each substep, until
# rounding decides: prototypes crossed (docs/experiments.md, Self-contact)
LEAST_GAP = 1e-3
# and so many rounding errors of the coordinates at least
LEAST_ROUNDINGS = 8.0
# of the limits of ``find_near``
REACH, STRAY, LARGEST_PUSH, LACK_SHARE = range(4)


@ti.func
def _carrier(surfaces: ti.template(), point, embeds: ti.template()):
    """What carries a surface point: itself, or where nothing ``embeds`` its only particle."""
    result = point
    if ti.static(not embeds):
        result = surfaces.surface_elements[point, 0]
    return result


@ti.func
def find_near(
    particles: ti.template(),
    starts: ti.template(),
    speeds: ti.template(),
    surfaces: ti.template(),
    pairs: ti.template(),
    k,
    n,
    limits,
    pushes,
    embeds: ti.template(),
):
    """Measure pair ``k`` as it is when the substep begins; where near, write its row.

    Args:
        particles: the pack; only masses are read.
        starts: where particles are when the substep begins [m].
        speeds: how fast they are then [m/s].
        surfaces: the pack.
        pairs: the pack.
        k: number of the pair.
        n: row of ``near_ints`` and ``near_floats`` to write, where it is near.
        limits: how much nearer its sides may come in the substep [m]; how much they may have come since the pair was
            listed [m], which its clearance in later substeps goes without; how far a push may move them [m]; and by
            what share of what they lacked at the start they may still be nearer than their gap.
        pushes: whether the pair pushes its sides apart; else it only limits them, and only that is written.
        embeds: static: whether any point has more than one particle.

    Returns:
        1 where they may come nearer than GAP, else 0.
    """
    floats = ti.static(pairs.pair_floats)
    a = _carrier(surfaces, pairs.pair_ints[k, POINTS], embeds)
    b = _carrier(surfaces, pairs.pair_ints[k, POINTS + 1], embeds)
    c = _carrier(surfaces, pairs.pair_ints[k, POINTS + 2], embeds)
    d = _carrier(surfaces, pairs.pair_ints[k, POINTS + 3], embeds)
    x0, x1 = carried(starts, surfaces, a, embeds), carried(starts, surfaces, b, embeds)
    x2, x3 = carried(starts, surfaces, c, embeds), carried(starts, surfaces, d, embeds)
    is_edges = pairs.pair_ints[k, KIND] == EDGE_EDGE
    gap, is_near = floats[k, GAP], 0
    found = pair_geometry(is_edges, x0, x1, x2, x3, ti.Vector([0.0, 0.0, 0.0]))
    least = ti.static(LEAST_ROUNDINGS * rounding()) * (ti.abs(x0).max() + ti.abs(x3).max())
    if found.distance - gap <= limits[REACH]:
        is_near = 1
        normal = found.normal
        lowest_a, highest_b = facing(normal, is_edges, x1 - x0, x2 - x0, x3 - x0)
        if lowest_a <= highest_b:
            normal = parting_normal(is_edges, x1 - x0, x2 - x0, x3 - x0, normal)
            lowest_a, highest_b = facing(normal, is_edges, x1 - x0, x2 - x0, x3 - x0)
        room = KEEP * ti.max(lowest_a - highest_b - ti.max(LEAST_GAP * gap, least), 0.0)
        _write_row(pairs, k, n, ti.Vector([a, b, c, d]), normal, room)
        if pushes:
            wanted = gap
            if limits[LACK_SHARE] > 0.0:
                wanted -= limits[LACK_SHARE] * start_lack(surfaces, pairs, k)
            weights = found.weights
            if is_edges:
                weights = steady_weights(x0, x1, x2, x3, weights, found.normal, found.distance)
            _write_push(pairs, k, n, weights, ti.min(wanted, found.distance + limits[LARGEST_PUSH]), embeds)
            pairs.near_floats[n * NEAR_WIDTH + MASS] = pair_mass(particles, pairs, n, embeds)
            approach = ti.cast(0.0, float)
            if floats[k, RESTITUTION] > 0.0:
                approach = -found.normal.dot(relative(speeds, surfaces, pairs, n, embeds))
            pairs.near_floats[n * NEAR_WIDTH + APPROACH] = approach
    pairs.pair_clearances[k] = found.distance - gap - limits[STRAY] - least
    return is_near


@ti.func
def start_lack(surfaces: ti.template(), pairs: ti.template(), k):
    """By how much the sides of pair ``k`` were nearer than their gap at the start, or of pairs beside it [m]."""
    lacks = ti.static(surfaces.start_lacks)
    result = lacks[pairs.pair_ints[k, POINTS]]
    for i in ti.static(range(1, 4)):
        result = ti.min(result, lacks[pairs.pair_ints[k, POINTS + i]])
    return result


@ti.func
def _write_row(pairs: ti.template(), k, n, carriers, normal, room):
    """Write what limits a near pair."""
    floats = ti.static(pairs.near_floats)
    for i in ti.static(range(4)):
        pairs.near_ints[n * NEAR_INTS + CARRIERS + i] = carriers[i]
    pairs.near_ints[n * NEAR_INTS + IS_EDGES] = pairs.pair_ints[k, KIND]
    pairs.near_ints[n * NEAR_INTS + ROW] = k
    for axis in ti.static(range(3)):
        floats[n * NEAR_WIDTH + NEAR_NORMAL + axis] = normal[axis]
    floats[n * NEAR_WIDTH + ROOM] = room


@ti.func
def _write_push(pairs: ti.template(), k, n, weights, wanted, embeds: ti.template()):
    """Write what pushes the sides of a near pair apart; its multipliers are 0."""
    base = n * NEAR_WIDTH
    floats = ti.static(pairs.near_floats)
    anchor = ti.Vector([0.0] * ANCHOR_FLOATS)
    if ti.static(embeds) or pairs.pair_floats[k, FRICTION] > 0.0:
        anchor = find_anchor(pairs, k)
    for axis in ti.static(range(3)):
        floats[base + NEAR_WEIGHTS + axis] = weights[axis + 1]
        floats[base + GIVEN + axis] = 0.0
        floats[base + OFFSET + axis] = anchor[ANCHOR_SLIDE + axis]
    floats[base + FORCE] = anchor[ANCHOR_FORCE]
    floats[base + WANTED] = wanted
    floats[base + MULTIPLIER] = 0.0
    floats[base + SETTLED] = 0.0
    floats[base + NEAR_FRICTION] = pairs.pair_floats[k, FRICTION]
    floats[base + NEAR_RESTITUTION] = pairs.pair_floats[k, RESTITUTION]
