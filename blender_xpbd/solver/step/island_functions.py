# SPDX-License-Identifier: GPL-3.0-or-later
"""How far particles may go in a substep with contact between bodies, island by island.

An island is what hangs together by listed pairs. It is looked at from its own mean motion, in which a stack that falls
stands still, so that nothing of its fall is taken. Relative to that frame no particle goes farther than ``limit``
allows, and none leaves the window in which the search has looked for pairs. ``pairs`` is the pack ``packs.Pairs``.
"""

import taichi as ti

from ...contacts.pairs.limit import begin_limit, limited_move, slide
from ...contacts.pairs.tables import OBJECT_SPREAD
from .pair_tables import CLIPPED, FAILED, FIRST, HAS_FRAME, IS_CLIPPED, ISLAND, LAST, STOPPED

# how much farther than by the speed that it has a particle may be pushed; chosen by hand
SPARE_REACH = 1.5


@ti.func
def without_fourth(vector):
    """A 4-vector with a fourth component of 0."""
    return ti.Vector([vector[0], vector[1], vector[2], 0.0])


@ti.func
def add_up(
    particles: ti.template(),
    pairs: ti.template(),
    vectors: ti.template(),
    origins: ti.template(),
    has_origins: ti.template(),
):
    """Mean of vectors, less those of ``origins``, over each island that has a frame, by mass; into ``frames``."""
    rows, frames = ti.static(pairs.object_rows, pairs.frames)
    for o in range(rows.shape[0]):
        frames[o] = ti.Vector([0.0, 0.0, 0.0, 0.0])
    for o in range(rows.shape[0]):
        if rows[o, ISLAND] >= 0 and rows[o, HAS_FRAME]:
            total = frames[rows[o, ISLAND]]
            for i in range(rows[o, FIRST], rows[o, LAST]):
                mass = 1.0 / particles.positions[i][3]
                vector = vectors[i]
                if ti.static(has_origins):
                    vector -= origins[i]
                total += mass * ti.Vector([vector[0], vector[1], vector[2], 1.0])
            frames[rows[o, ISLAND]] = total
    for o in range(rows.shape[0]):
        if frames[o][3] > 0.0:
            frames[o] = without_fourth(frames[o] / frames[o][3])


@ti.func
def find_frames(particles: ti.template(), pairs: ti.template()):
    """The mean velocity of each island; the greatest reach begins anew."""
    add_up(particles, pairs, particles.velocities, particles.velocities, False)
    pairs.reach_range[1] = 0.0


@ti.func
def find_reach_share(particles: ti.template(), pairs: ti.template(), turn, turns, h):
    """How far one of ``turns`` equal shares of the particles may go in the substep, by the speed that they have."""
    rows, reaches = ti.static(pairs.object_rows, pairs.reaches)
    count = particles.positions.shape[0]
    begin, end = count * turn // turns, count * (turn + 1) // turns
    weight = 0.5 * particles.gravity[0].norm() * h * h
    greatest = ti.cast(0.0, float)
    for o in range(rows.shape[0]):
        if rows[o, ISLAND] >= 0:
            mean = pairs.frames[rows[o, ISLAND]]
            for i in range(ti.max(rows[o, FIRST], begin), ti.min(rows[o, LAST], end)):
                way = h * without_fourth(particles.velocities[i] - mean).norm() + weight
                reaches[i] = SPARE_REACH * way + pairs.reach_range[0]
                greatest = ti.max(greatest, ti.cast(pairs.objects[o, OBJECT_SPREAD], float) * reaches[i])
    ti.atomic_max(pairs.reach_range[1], greatest)


@ti.func
def off_way(pairs: ti.template(), i, place, share):
    """How far a place is beside the way of a particle ``share`` of the window on, axis by axis [m]."""
    start = pairs.window_starts[i]
    return ti.abs(place - (start + share * (pairs.window_ends[i] - start))).xyz


@ti.func
def fail(pairs: ti.template(), done):
    """End the launch with this substep, which must be done again."""
    pairs.told[FAILED] = done
    pairs.told[STOPPED] = done


@ti.func
def check_share(particles: ti.template(), pairs: ti.template(), turn, turns, done, share):
    """Whether one of ``turns`` equal shares of the particles stays where the search has looked.

    ``done`` counts the substeps of the window, this one too, which are ``share`` of it.
    """
    count = particles.body_starts[particles.bodies.shape[0]]
    for i in range(count * turn // turns, count * (turn + 1) // turns):
        p = particles.positions[i]
        if p[3] > 0.0 and off_way(pairs, i, p, share).max() > pairs.window_starts[i][3]:
            fail(pairs, done)


@ti.func
def measure_islands(particles: ti.template(), starts: ti.template(), pairs: ti.template(), done, share):
    """The mean displacement of each island, with which any of its particles must stay where the search has looked."""
    rows, frames = ti.static(pairs.object_rows, pairs.frames)
    add_up(particles, pairs, particles.positions, starts, True)
    for o in range(rows.shape[0]):
        island = rows[o, ISLAND]
        if island >= 0 and rows[o, HAS_FRAME]:
            for i in range(rows[o, FIRST], rows[o, LAST]):
                if off_way(pairs, i, starts[i] + frames[island], share).max() > pairs.window_starts[i][3]:
                    fail(pairs, done)


@ti.func
def begin_limit_share(particles: ti.template(), starts: ti.template(), pairs: ti.template(), turn, turns):
    """The moves of one of ``turns`` equal shares of the particles, in the frames of their islands."""
    rows = ti.static(pairs.object_rows)
    count = particles.positions.shape[0]
    begin, end = count * turn // turns, count * (turn + 1) // turns
    for o in range(rows.shape[0]):
        if rows[o, ISLAND] >= 0:
            for i in range(ti.max(rows[o, FIRST], begin), ti.min(rows[o, LAST], end)):
                p = particles.positions[i]
                move = without_fourth(p - starts[i]) - pairs.frames[rows[o, ISLAND]]
                if p[3] > 0.0:
                    move *= ti.min(1.0, pairs.reaches[i] / ti.max(move.norm(), 1e-30))
                begin_limit(pairs, i, move.xyz, p[3])


@ti.func
def slide_share(particles: ti.template(), pairs: ti.template(), turn, turns):
    """Let one of ``turns`` equal shares of the particles go along what stops them."""
    rows = ti.static(pairs.object_rows)
    count = particles.positions.shape[0]
    begin, end = count * turn // turns, count * (turn + 1) // turns
    for o in range(rows.shape[0]):
        if rows[o, ISLAND] >= 0:
            for i in range(ti.max(rows[o, FIRST], begin), ti.min(rows[o, LAST], end)):
                slide(pairs, i)


@ti.func
def truncate_share(particles: ti.template(), starts: ti.template(), pairs: ti.template(), turn, turns):
    """Let one of ``turns`` equal shares of the particles go as far as they may."""
    rows = ti.static(pairs.object_rows)
    count = particles.positions.shape[0]
    begin, end = count * turn // turns, count * (turn + 1) // turns
    for o in range(rows.shape[0]):
        if rows[o, ISLAND] >= 0:
            frame, clipped = pairs.frames[rows[o, ISLAND]], 0
            for i in range(ti.max(rows[o, FIRST], begin), ti.min(rows[o, LAST], end)):
                p = particles.positions[i]
                allowed = limited_move(pairs, i)
                wanted = without_fourth(p - starts[i]) - frame
                # what is not clipped stays where it is, to the last bit
                if p[3] > 0.0 and (allowed - wanted).norm() > 0.0:
                    place = starts[i] + frame + allowed
                    particles.positions[i] = ti.Vector([place[0], place[1], place[2], p[3]])
                    clipped += 1
            if clipped > 0:
                pairs.told[IS_CLIPPED] = 1
                ti.atomic_add(pairs.object_counts[o, CLIPPED], clipped)


@ti.func
def give_back(particles: ti.template(), starts: ti.template(), pairs: ti.template(), island, done, share):
    """Move an island by the way that truncation took from its mean."""
    rows = ti.static(pairs.object_rows)
    frame = pairs.frames[island]
    lost, mass = ti.Vector([0.0, 0.0, 0.0, 0.0]), 0.0
    for o in range(rows.shape[0]):
        if rows[o, ISLAND] == island:
            for i in range(rows[o, FIRST], rows[o, LAST]):
                p = particles.positions[i]
                lost += (1.0 / p[3]) * (frame - without_fourth(p - starts[i]))
                mass += 1.0 / p[3]
    lost /= mass
    for o in range(rows.shape[0]):
        if rows[o, ISLAND] == island:
            for i in range(rows[o, FIRST], rows[o, LAST]):
                particles.positions[i] += lost
                if off_way(pairs, i, particles.positions[i], share).max() > pairs.window_starts[i][3]:
                    fail(pairs, done)


@ti.func
def close_islands(particles: ti.template(), starts: ti.template(), pairs: ti.template(), done, share, next_share):
    """Give lost momentum back, note how far objects came, and end the window where what stays behind would leave it."""
    rows, frames = ti.static(pairs.object_rows, pairs.frames)
    if pairs.told[IS_CLIPPED] > 0:
        pairs.told[IS_CLIPPED] = 0
        for o in range(rows.shape[0]):
            if rows[o, ISLAND] == o and rows[o, HAS_FRAME]:
                give_back(particles, starts, pairs, o, done, share)
    for o in range(rows.shape[0]):
        if rows[o, ISLAND] >= 0:
            longest = 0.0
            for i in range(rows[o, FIRST], rows[o, LAST]):
                p = particles.positions[i]
                move = without_fourth(p - starts[i]) - frames[rows[o, ISLAND]]
                longest = ti.max(longest, move.norm())
                ahead = p + frames[rows[o, ISLAND]]
                if p[3] > 0.0 and off_way(pairs, i, ahead, next_share).max() > pairs.window_starts[i][3]:
                    pairs.told[STOPPED] = done
            pairs.travels[o] += ti.cast(pairs.objects[o, OBJECT_SPREAD], float) * longest
