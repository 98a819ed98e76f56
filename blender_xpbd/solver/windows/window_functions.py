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
from ...contacts.tables import BODY_OFFSET, POINT_BODY
from .pair_tables import FIRST, IS_CUT, IS_HELD, ISLAND, LAST, MAY_SEARCH, MOST_SEARCHES, MUST_SEARCH, NEXT_ISLAND

# what pushes may add to the way of a particle before another search is due, as a share of the thickness of its object.
# Chosen by trying, see docs/experiments.md, Contact between bodies
MARGIN = 0.25
# a push of less than this share of the gap to colliders needs no second look at these. Chosen by hand
PUSHED = 0.1


@ti.func
def begin_share(particles: ti.template(), pairs: ti.template(), turn, turns):
    """Note the velocities of one of ``turns`` equal shares of the particles, and what a substep begins with."""
    count = particles.positions.shape[0]
    for i in range(count * turn // turns, count * (turn + 1) // turns):
        pairs.start_velocities[i] = particles.velocities[i]
        pairs.pushed[i] = 0
    if turn == 0:
        pairs.told[MAY_SEARCH] = pairs.told[MOST_SEARCHES]
        for o in range(pairs.object_rows.shape[0]):
            pairs.object_rows[o, ISLAND] = pairs.object_rows[o, NEXT_ISLAND]
            pairs.object_rows[o, IS_HELD] = 0
            pairs.object_rows[o, IS_CUT] = 0


@ti.func
def note_share(world: ti.template(), turn, turns, shapes: ti.template()):
    """Note where one of ``turns`` equal shares of the particles would come, and which objects a collider holds."""
    rows, points = ti.static(world.pairs.object_rows, world.contacts.elements)
    count = world.particles.positions.shape[0]
    for i in range(count * turn // turns, count * (turn + 1) // turns):
        world.pairs.candidates[i] = world.particles.positions[i]
        world.pairs.window_ends[i] = world.particles.positions[i]
    if ti.static(shapes):
        count = points.shape[0]
        for k in range(count * turn // turns, count * (turn + 1) // turns):
            if world.contacts.touches[k] > 0:
                rows[points[k, POINT_BODY], IS_HELD] = 1


@ti.func
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
    count = particles.positions.shape[0]
    begin, end = count * turn // turns, count * (turn + 1) // turns
    for o in range(rows.shape[0]):
        thickness = 2.0 * ti.cast(pairs.objects[o, OBJECT_HALF_THICKNESS], float)
        for i in range(ti.max(rows[o, FIRST], begin), ti.min(rows[o, LAST], end)):
            start, come = starts[i], pairs.window_ends[i]
            moved = start + pairs.frames[rows[o, ISLAND]]
            # what is led goes all of its way
            stay, margin = come, ti.cast(0.0, float)
            if particles.positions[i][3] > 0.0:
                stay = moved
                margin = MARGIN * thickness
                if iterations > 1:
                    # further iterations correct less than the first one
                    margin += elastic_correction(particles, pairs, i, h, mode)
            pairs.window_starts[i] = ti.Vector([start[0], start[1], start[2], margin])
            pairs.window_stays[i] = stay
            pairs.reaches[i] = (come - moved).xyz.norm() + margin


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


@ti.func
def check_share(particles: ti.template(), pairs: ti.template(), turn, turns, substep):
    """Ask for another search where one of ``turns`` equal shares of the particles left its boxes."""
    count = particles.positions.shape[0]
    if pairs.told[MAY_SEARCH] > 0:
        for i in range(count * turn // turns, count * (turn + 1) // turns):
            p = particles.positions[i]
            if p[3] > 0.0:
                low, high = window_of(pairs, i)
                if ti.max(low - p.xyz, p.xyz - high).max() > 0.0:
                    pairs.told[MUST_SEARCH] = substep + 1


@ti.func
def is_pushed(world: ti.template(), k):
    """Whether contact point ``k`` has left the place to which the first iteration brought it, by more than a little."""
    elements, weights = ti.static(world.contacts.elements, world.contacts.weights)
    way = ti.Vector([0.0, 0.0, 0.0])
    for j in ti.static(range(4)):
        if weights[k, j] != 0.0:
            i = elements[k, j]
            way += weights[k, j] * (world.particles.positions[i] - world.pairs.candidates[i]).xyz
    least = PUSHED * world.particles.bodies[elements[k, POINT_BODY], BODY_OFFSET]
    return way.norm_sqr() > least * least


@ti.func
def reopen_share(world: ti.template(), turn, turns, shapes: ti.template()):
    """Put one of ``turns`` equal shares of the particles back, and let boxes end where they were pushed."""
    positions = ti.static(world.particles.positions)
    count = positions.shape[0]
    if world.pairs.told[MUST_SEARCH] > 0:
        for i in range(count * turn // turns, count * (turn + 1) // turns):
            world.pairs.window_ends[i] = positions[i]
            positions[i] = world.pairs.candidates[i]
            world.pairs.pushed[i] = 0
        if ti.static(shapes):
            count = world.contacts.elements.shape[0]
            for k in range(count * turn // turns, count * (turn + 1) // turns):
                forget_later_touches(world.contacts, k)
