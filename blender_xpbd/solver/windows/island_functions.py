# SPDX-License-Identifier: GPL-3.0-or-later
"""How far particles may go in a substep with contact between bodies, island by island.

An island is what hangs together by listed pairs. It is looked at from its own mean motion, in which a stack that falls
stands still, so that nothing of its fall is taken. Relative to that frame no particle goes farther than ``limit``
allows, and none leaves the box in which the search has looked for pairs. ``pairs`` is the pack ``packs.Pairs``.
"""

import taichi as ti

from ...contacts.pairs.limit import begin_limit, limited_move, slide
from ...contacts.pairs.touch import IS_STILL
from ...device.apart import apart
from .pair_tables import CLIPPED, FIRST, IS_CUT, IS_FREE, IS_HELD, ISLAND, LAST
from .window_functions import window_of


@ti.func
def without_fourth(vector):
    """A 4-vector with a fourth component of 0."""
    return ti.Vector([vector[0], vector[1], vector[2], 0.0])


@ti.func
def has_frame(rows: ti.template(), island):
    """Whether an island keeps its mean motion: nothing in it is fixed, or pushed by what the search does not know."""
    result = True
    for o in range(rows.shape[0]):
        if rows[o, ISLAND] == island and (rows[o, IS_FREE] == 0 or rows[o, IS_HELD] == 1):
            result = False
    return result


@ti.func
def mean_move(particles: ti.template(), starts: ti.template(), rows: ti.template(), island):
    """How far an island has come in the substep, by mass [m]."""
    total, mass = ti.Vector([0.0, 0.0, 0.0, 0.0]), ti.cast(0.0, float)
    for o in range(rows.shape[0]):
        if rows[o, ISLAND] == island:
            for i in range(rows[o, FIRST], rows[o, LAST]):
                p = particles.positions[i]
                total += (1.0 / p[3]) * without_fourth(p - starts[i])
                mass += 1.0 / p[3]
    return total / ti.max(mass, 1e-30)


@apart
def measure_islands(particles: ti.template(), starts: ti.template(), pairs: ti.template(), means: ti.template()):
    """The mean move of each island that has a frame, 0 for all others; into ``means``."""
    rows = ti.static(pairs.object_rows)
    for o in range(rows.shape[0]):
        means[o] = ti.Vector([0.0, 0.0, 0.0, 0.0])
        if rows[o, ISLAND] == o and has_frame(rows, o):
            means[o] = mean_move(particles, starts, rows, o)


@apart
def begin_limit_share(particles: ti.template(), starts: ti.template(), pairs: ti.template(), turn, turns):
    """The moves of one of ``turns`` equal shares of the particles, within their boxes, in their islands' frames."""
    rows = ti.static(pairs.object_rows)
    count = pairs.candidates.shape[0]
    begin, end = count * turn // turns, count * (turn + 1) // turns
    for o in range(rows.shape[0]):
        frame, clipped = pairs.frames[rows[o, ISLAND]], 0
        for i in range(ti.max(rows[o, FIRST], begin), ti.min(rows[o, LAST], end)):
            # what is still goes where its box says, and no pair asks for it
            if pairs.pushed[i] != IS_STILL:
                p = particles.positions[i]
                if p[3] > 0.0:
                    low, high = window_of(pairs, i)
                    inside = ti.min(ti.max(p.xyz, low), high)
                    if (inside - p.xyz).norm() > 0.0:
                        p = ti.Vector([inside[0], inside[1], inside[2], p[3]])
                        particles.positions[i] = p
                        clipped += 1
                move = without_fourth(p - starts[i]) - frame
                if p[3] > 0.0:
                    move *= ti.min(1.0, pairs.reaches[i] / ti.max(move.norm(), 1e-30))
                begin_limit(pairs, i, move.xyz, p[3])
        count_clipped(pairs, o, clipped)


@ti.func
def count_clipped(pairs: ti.template(), o, clipped):
    """Note that moves of an object were cut."""
    if clipped > 0:
        pairs.object_rows[o, IS_CUT] = 1
        ti.atomic_add(pairs.object_counts[o, CLIPPED], clipped)


@apart
def slide_share(particles: ti.template(), starts: ti.template(), pairs: ti.template(), turn, turns):
    """Let one of ``turns`` equal shares of the particles go along what stops them, within their boxes."""
    rows = ti.static(pairs.object_rows)
    count = pairs.candidates.shape[0]
    begin, end = count * turn // turns, count * (turn + 1) // turns
    for o in range(rows.shape[0]):
        frame = pairs.frames[rows[o, ISLAND]]
        for i in range(ti.max(rows[o, FIRST], begin), ti.min(rows[o, LAST], end)):
            if pairs.pushed[i] != IS_STILL and pairs.cuts[i][3] < 1.0:
                slide(pairs, i)
                low, high = window_of(pairs, i)
                origin = (starts[i] + frame).xyz
                move = ti.min(ti.max(pairs.moves[i].xyz, low - origin), high - origin)
                begin_limit(pairs, i, move, pairs.moves[i][3])


@apart
def truncate_share(particles: ti.template(), starts: ti.template(), pairs: ti.template(), turn, turns):
    """Let one of ``turns`` equal shares of the particles go as far as they may."""
    rows = ti.static(pairs.object_rows)
    count = pairs.candidates.shape[0]
    begin, end = count * turn // turns, count * (turn + 1) // turns
    for o in range(rows.shape[0]):
        frame, clipped = pairs.frames[rows[o, ISLAND]], 0
        for i in range(ti.max(rows[o, FIRST], begin), ti.min(rows[o, LAST], end)):
            if pairs.pushed[i] != IS_STILL:
                p = particles.positions[i]
                allowed = limited_move(pairs, i)
                wanted = without_fourth(p - starts[i]) - frame
                # what is not clipped stays where it is, to the last bit
                if p[3] > 0.0 and (allowed - wanted).norm() > 0.0:
                    place = starts[i] + frame + allowed
                    particles.positions[i] = ti.Vector([place[0], place[1], place[2], p[3]])
                    clipped += 1
        count_clipped(pairs, o, clipped)


@ti.func
def shift_in_windows(particles: ti.template(), pairs: ti.template(), island, shift):
    """As much of a shift of an island, along each axis, as leaves all its particles in their boxes."""
    rows = ti.static(pairs.object_rows)
    for o in range(rows.shape[0]):
        if rows[o, ISLAND] == island:
            for i in range(rows[o, FIRST], rows[o, LAST]):
                low, high = window_of(pairs, i)
                place = particles.positions[i].xyz
                # rounding may have put it a little outside
                shift = ti.min(ti.max(shift, ti.min(low - place, 0.0)), ti.max(high - place, 0.0))
    return shift


@ti.func
def give_back(particles: ti.template(), starts: ti.template(), pairs: ti.template(), island):
    """Move an island by the way that was taken from its mean; what does not fit into the boxes becomes speed alone."""
    rows = ti.static(pairs.object_rows)
    lost = (pairs.means[island] - mean_move(particles, starts, rows, island)).xyz
    shift = shift_in_windows(particles, pairs, island, lost)
    rest = lost - shift
    for o in range(rows.shape[0]):
        if rows[o, ISLAND] == island:
            for i in range(rows[o, FIRST], rows[o, LAST]):
                particles.positions[i] += ti.Vector([shift[0], shift[1], shift[2], 0.0])
                # velocities are measured from there
                particles.previous_positions[i] -= ti.Vector([rest[0], rest[1], rest[2], 0.0])


@apart
def close_islands(particles: ti.template(), starts: ti.template(), pairs: ti.template()):
    """Give the momentum back that was cut from islands."""
    rows = ti.static(pairs.object_rows)
    for island in range(rows.shape[0]):
        if rows[island, ISLAND] == island and has_frame(rows, island):
            is_cut = 0
            for o in range(rows.shape[0]):
                if rows[o, ISLAND] == island:
                    is_cut |= rows[o, IS_CUT]
            if is_cut == 1:
                give_back(particles, starts, pairs, island)
