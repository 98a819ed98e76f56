# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a search looks: the boxes in which particles stay during a substep.

The search comes after the elastic solve, so it knows where each particle would come. The truncation ends a particle
anywhere between there and where it would be if it stayed in the frame of its island. So the box at the end holds both
places, and a margin for pushes. What is pushed farther leaves its box. Then all are put back, and the next search looks
where they were pushed. ``pairs`` is the pack ``packs.Pairs``.
"""

import taichi as ti

from ...constraints.constraint import BDF2, BDF2_STEP
from ...contacts.contact import forget_later_touches
from ...contacts.pairs.tables import OBJECT_HALF_THICKNESS
from ...contacts.pairs.touch import IS_NEAR, IS_STILL
from ...contacts.tables import BODY_OFFSET, POINT_BODY
from ...device.apart import apart
from .pair_tables import (
    FIRST,
    GREATEST_REACH,
    GREATEST_STRAY,
    IS_CUT,
    IS_FREE,
    IS_HELD,
    IS_SOLID,
    ISLAND,
    LAST,
    MAY_SEARCH,
    MOST_SEARCHES,
    MUST_SEARCH,
    NEXT_ISLAND,
)

# what pushes may add to the way of a particle before another search is due, as a share of the thickness of its object:
# in a substep of so many seconds or more, and less in shorter ones. Chosen by trying, see docs/experiments.md, Contact
# between bodies
MARGIN = 0.25
MARGIN_DURATION = 1.0 / 480.0
# a push of less than this share of the gap to colliders needs no second look at these. Chosen by hand
PUSHED = 0.1


@ti.func
def margin_share(h):
    """``MARGIN`` in a substep of this duration [s]."""
    return MARGIN * ti.min(h / MARGIN_DURATION, 1.0)


@apart
def begin_share(particles: ti.template(), pairs: ti.template(), turn, turns, iterations, variant: ti.template()):
    """Note the velocities of one of ``turns`` equal shares of the particles, and what a substep begins with."""
    count, mark = pairs.candidates.shape[0], IS_STILL
    # what comes after the pushes moves any particle
    if ti.static(variant.strikes) or iterations > 1:
        mark = IS_NEAR
    for i in range(count * turn // turns, count * (turn + 1) // turns):
        pairs.pushed[i] = mark
        if ti.static(variant.embeds):
            pairs.backed[i] = 0
        if ti.static(variant.rebounds or variant.strikes):
            pairs.start_velocities[i] = particles.velocities[i]
    if turn == 0:
        pairs.told[MAY_SEARCH] = pairs.told[MOST_SEARCHES]
        pairs.watch_limits[GREATEST_REACH], pairs.watch_limits[GREATEST_STRAY] = 0.0, 0.0
        for o in range(pairs.object_rows.shape[0]):
            pairs.drifts[o] += pairs.means[o]
            pairs.object_rows[o, ISLAND] = pairs.object_rows[o, NEXT_ISLAND]
            pairs.object_rows[o, IS_HELD] = 0
            pairs.object_rows[o, IS_CUT] = 0


@apart
def note_share(world: ti.template(), turn, turns, variant: ti.template()):
    """Note where one of ``turns`` equal shares of the particles would come, and what a collider holds."""
    rows, points = ti.static(world.pairs.object_rows, world.contacts.elements)
    count = world.pairs.candidates.shape[0]
    for i in range(count * turn // turns, count * (turn + 1) // turns):
        world.pairs.candidates[i] = world.particles.positions[i]
        world.pairs.window_ends[i] = world.particles.positions[i]
    if ti.static(variant.embeds and variant.shapes):
        number = points.shape[0]
        for k in range(number * turn // turns, number * (turn + 1) // turns):
            # a jelly's points share particles, so that more than one would write
            if world.contacts.touches[k] > 0 and rows[points[k, POINT_BODY], IS_SOLID] == 0:
                world.pairs.backed[points[k, 0]] = k + 1
    if ti.static(variant.shapes):
        # of what is held in any case nothing is asked
        loose, count = 0, points.shape[0]
        for o in range(rows.shape[0]):
            loose += rows[o, IS_FREE] & (1 - rows[o, IS_HELD])
        k, end = count * turn // turns, count * (turn + 1) // turns
        while k < end and loose > 0:
            if world.contacts.touches[k] > 0:
                o = points[k, POINT_BODY]
                loose -= rows[o, IS_FREE] & (1 - rows[o, IS_HELD])
                rows[o, IS_HELD] = 1
            k += 1


@apart
def open_share(
    particles: ti.template(),
    starts: ti.template(),
    pairs: ti.template(),
    turn,
    turns,
    iterations,
    h,
    mode: ti.template(),
):
    """The boxes of one of ``turns`` equal shares of the particles, and how far they may go in their island's frame."""
    rows = ti.static(pairs.object_rows)
    count = pairs.candidates.shape[0]
    begin, end = count * turn // turns, count * (turn + 1) // turns
    farthest, strayed = ti.cast(0.0, float), ti.cast(0.0, float)
    for o in range(rows.shape[0]):
        drift = pairs.drifts[rows[o, ISLAND]]
        thickness = 2.0 * ti.cast(pairs.objects[o, OBJECT_HALF_THICKNESS], float)
        for i in range(ti.max(rows[o, FIRST], begin), ti.min(rows[o, LAST], end)):
            start, come = starts[i], pairs.window_ends[i]
            moved = start + pairs.frames[rows[o, ISLAND]]
            # what is led goes all of its way
            stay, margin = come, ti.cast(0.0, float)
            if particles.positions[i][3] > 0.0:
                stay = moved
                margin = margin_share(h) * thickness
                if iterations > 1:
                    # further iterations correct less than the first one
                    margin += elastic_correction(particles, pairs, i, h, mode)
            pairs.window_starts[i] = ti.Vector([start[0], start[1], start[2], margin])
            pairs.window_stays[i] = stay
            pairs.reaches[i] = (come - moved).xyz.norm() + margin
            pairs.strays[i] = (start - pairs.list_places[i] - drift).xyz.norm()
            farthest, strayed = ti.max(farthest, pairs.reaches[i]), ti.max(strayed, pairs.strays[i])
    ti.atomic_max(pairs.watch_limits[GREATEST_REACH], farthest)
    ti.atomic_max(pairs.watch_limits[GREATEST_STRAY], strayed)


@ti.func
def elastic_correction(particles: ti.template(), pairs: ti.template(), i, h, mode: ti.template()):
    """How far constraints and colliders have moved a particle from where it was predicted [m]."""
    step = h
    if ti.static(mode & BDF2):
        step = BDF2_STEP * h
    return (pairs.candidates[i] - particles.previous_positions[i] - step * particles.velocities[i]).xyz.norm()


@ti.func
def window_of(pairs: ti.template(), i):
    """Low and high corner of the box at the end of the substep."""
    come, stay = pairs.window_ends[i].xyz, pairs.window_stays[i].xyz
    margin = pairs.window_starts[i][3]
    return ti.min(come, stay) - margin, ti.max(come, stay) + margin


@apart
def check_share(particles: ti.template(), pairs: ti.template(), turn, turns, substep):
    """Ask for another search where one of ``turns`` equal shares of the particles left its boxes."""
    count = pairs.candidates.shape[0]
    if pairs.told[MAY_SEARCH] > 0:
        for i in range(count * turn // turns, count * (turn + 1) // turns):
            if pairs.pushed[i] != IS_STILL:
                p = particles.positions[i]
                if p[3] > 0.0:
                    low, high = window_of(pairs, i)
                    if ti.max(low - p.xyz, p.xyz - high).max() > 0.0:
                        pairs.told[MUST_SEARCH] = substep + 1


@ti.func
def is_pushed(world: ti.template(), k):
    """Whether contact point ``k`` has left the place to which the first iteration brought it, by more than a little."""
    elements, weights = ti.static(world.contacts.elements, world.contacts.weights)
    result = False
    if may_have_moved(world, k):
        way = ti.Vector([0.0, 0.0, 0.0])
        for j in ti.static(range(4)):
            if weights[k, j] != 0.0:
                i = elements[k, j]
                way += weights[k, j] * (world.particles.positions[i] - world.pairs.candidates[i]).xyz
        least = PUSHED * world.particles.bodies[elements[k, POINT_BODY], BODY_OFFSET]
        result = way.norm_sqr() > least * least
    return result


@ti.func
def may_have_moved(world: ti.template(), k):
    """Whether anything may have moved a particle that carries contact point ``k`` since pairs were found."""
    elements, weights, pushed = ti.static(world.contacts.elements, world.contacts.weights, world.pairs.pushed)
    result = pushed[elements[k, 0]] != IS_STILL
    # most are carried by a single particle
    if not result and weights[k, 0] != 1.0:
        for j in range(1, 4):
            result = result or (weights[k, j] != 0.0 and pushed[elements[k, j]] != IS_STILL)
    return result


@ti.func
def note_moved(world: ti.template(), k):
    """Note that what carries contact point ``k`` may move."""
    elements, weights, pushed = ti.static(world.contacts.elements, world.contacts.weights, world.pairs.pushed)
    for j in range(4):
        if weights[k, j] != 0.0 and world.particles.positions[elements[k, j]][3] > 0.0:
            if pushed[elements[k, j]] == IS_STILL:
                pushed[elements[k, j]] = IS_NEAR


@apart
def reopen_share(world: ti.template(), turn, turns, shapes: ti.template()):
    """Put one of ``turns`` equal shares of the particles back, and let boxes end where they were pushed."""
    positions = ti.static(world.particles.positions)
    count = world.pairs.candidates.shape[0]
    if world.pairs.told[MUST_SEARCH] > 0:
        for i in range(count * turn // turns, count * (turn + 1) // turns):
            world.pairs.window_ends[i] = positions[i]
            positions[i] = world.pairs.candidates[i]
            # its box is another one now, whether it is near anything or not
            if world.pairs.pushed[i] != IS_STILL:
                world.pairs.pushed[i] = IS_NEAR
        if ti.static(shapes):
            count = world.contacts.elements.shape[0]
            for k in range(count * turn // turns, count * (turn + 1) // turns):
                forget_later_touches(world.contacts, k)
