# SPDX-License-Identifier: GPL-3.0-or-later
"""Which listed pairs are near in a substep.

A pair keeps how much nearer its sides may come since it was measured. Most of a list are far, and stay so for all
substeps in which the list holds: these are not even looked at. A task *watches* the pairs that may become near soon,
and looks at all of its list where a particle may have gone so far that another one could be near. The pairs that are
found, and their order, are those of a look at all. ``pairs`` is the pack ``packs.Pairs``.
"""

import taichi as ti

from ...contacts.pairs.near import LARGEST_PUSH_SPEED, find_near
from ...contacts.pairs.tables import KIND, POINTS, VERTEX_TRIANGLE
from ...contacts.pairs.touch import note_near
from ...device.apart import apart
from ..windows.pair_tables import GREATEST_REACH, GREATEST_STRAY, WATCH_LIMITS, WATCH_SPREAD
from .pair_functions import object_of

# pairs are watched that would be near if particles could go so many times as far as they can. Chosen by hand
WATCH = 2.0


@ti.func
def is_for_colliders(particles: ti.template(), pairs: ti.template(), k):
    """Whether a pair is a body's vertex and a collider's triangle, which colliders push apart."""
    is_face = pairs.pair_ints[k, KIND] == VERTEX_TRIANGLE
    return is_face and object_of(pairs, k, 1) >= particles.bodies.shape[0]


@ti.func
def point_way(ways: ti.template(), pairs: ti.template(), k, place, embeds: ti.template()):
    """How far one of the four surface points of a pair goes at most, by how far particles do [m]."""
    elements, weights = ti.static(pairs.surface_elements, pairs.surface_weights)
    point, total = pairs.pair_ints[k, POINTS + place], 0.0
    if ti.static(embeds):
        for j in range(4):
            total += ti.abs(weights[point, j]) * ways[elements[point, j]]
    else:
        total = ways[elements[point, 0]]
    return total


@ti.func
def pair_way(ways: ti.template(), pairs: ti.template(), k, embeds: ti.template()):
    """How much nearer the sides of a pair come at most, by how far particles go [m]."""
    first, second = point_way(ways, pairs, k, 0, embeds), point_way(ways, pairs, k, 1, embeds)
    other = ti.max(point_way(ways, pairs, k, 2, embeds), point_way(ways, pairs, k, 3, embeds))
    total = first + ti.max(second, other)
    if pairs.pair_ints[k, KIND] != VERTEX_TRIANGLE:
        total = ti.max(first, second) + other
    return total


@apart
def find_near_task(
    particles: ti.template(), starts: ti.template(), pairs: ti.template(), task, substep, h, embeds: ti.template()
):
    """List the pairs of a task that are near, by where particles were when the substep began.

    Rows of pairs that colliders push apart are only limited; they come from the end of the task's rows on.
    """
    speeds, limits = ti.static(pairs.start_velocities, pairs.watch_limits)
    first, end = pairs.pair_starts[task], pairs.pair_starts[task + 1]
    count, limited, watched = 0, 0, 0
    # how much nearer the sides of any pair may have come, and may come
    most = 2.0 * limits[WATCH_SPREAD] * (limits[GREATEST_REACH] + limits[GREATEST_STRAY])
    limit = limits[WATCH_LIMITS + task]
    asks_all, asked = not most <= limit, pairs.watched_counts[task]
    if asks_all:
        asked, limit = end - first, WATCH * most
        limits[WATCH_LIMITS + task] = limit
    for m in range(asked):
        k = first + m
        if not asks_all:
            k = pairs.watched[first + m]
        reach, stray = pair_way(pairs.reaches, pairs, k, embeds), pair_way(pairs.strays, pairs, k, embeds)
        if pairs.pair_clearances[k] <= reach + stray:
            pushes = not is_for_colliders(particles, pairs, k)
            n = first + count if pushes else end - 1 - limited
            ways = ti.Vector([reach, stray, LARGEST_PUSH_SPEED * h, pairs.lack_shares[substep + 1]])
            found = find_near(particles, starts, speeds, pairs, pairs, k, n, ways, pushes, embeds)
            if found == 1:
                note_near(pairs, pairs, n, embeds)
            if pushes:
                count += found
            else:
                limited += found
        if asks_all and pairs.pair_clearances[k] <= limit:
            pairs.watched[first + watched] = k
            watched += 1
    if asks_all:
        pairs.watched_counts[task] = watched
    pairs.near_counts[task] = count
    pairs.limited_counts[task] = limited
