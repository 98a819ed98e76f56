# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether anything came near anything while particles went the ways that they have gone.

Substeps without contact between bodies note where particles come. Between two notes each goes straight and evenly. So
a pair that begins farther apart than its gap, by more than its sides have moved relative to each other at any note, has
stayed clear. Where that does not hold, it is asked of each piece of the way. What sides do together, as neighbours in a
sheet that swings, counts for nothing. ``pairs`` is the pack ``packs.Pairs``.
"""

import taichi as ti

from ...contacts.pairs.geometry import pair_geometry, rounding
from ...contacts.pairs.near import LEAST_GAP, LEAST_ROUNDINGS
from ...contacts.pairs.tables import EDGE_EDGE, GAP, KIND, POINTS
from ...contacts.search.boxes import WIDE_AT_BOTH
from ...device.apart import apart
from .pair_tables import FIRST, LAST

# into how many pieces the way from one note to the next is divided where the whole is not certain. Chosen by hand
PIECES = 4


@apart
def note_places_share(particles: ti.template(), pairs: ti.template(), turn, turns, note):
    """Note where one of ``turns`` equal shares of the particles that pairs may ask for are."""
    count = pairs.noted_places.shape[1]
    for i in range(count * turn // turns, count * (turn + 1) // turns):
        pairs.noted_places[note, i] = particles.positions[i]


@ti.func
def open_ways(pairs: ti.template(), first, last, most: ti.template()):
    """Lay out the boxes that go straight from one note to a later one, and hold how particles leave that way.

    Args:
        pairs: the pack.
        first: of the notes.
        last: of the notes.
        most: how wide the boxes of each object may be across [m], shape (objects,).

    Returns:
        1 where one is wider, else 0.
    """
    rows, places = ti.static(pairs.object_rows, pairs.noted_places)
    is_bent = 0
    for o in range(rows.shape[0]):
        widest = 0.0
        for i in range(rows[o, FIRST], rows[o, LAST]):
            start, end = places[first, i].xyz, places[last, i].xyz
            step = (end - start) / (last - first)
            low, high = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
            for k in range(first + 1, last):
                aside = places[k, i].xyz - start - (k - first) * step
                low, high = ti.min(low, aside), ti.max(high, aside)
            widest = ti.max(widest, (high - low).norm_sqr())
            start += 0.5 * (low + high)
            pairs.list_starts[i] = ti.Vector([start[0], start[1], start[2], 0.0])
            low, high = end + low, end + high
            pairs.list_ends[i] = ti.Vector([high[0], high[1], high[2], 0.0])
            pairs.list_stays[i] = ti.Vector([low[0], low[1], low[2], WIDE_AT_BOTH])
        # written so that what is not a number is bent
        if not widest <= most[o] * most[o]:
            is_bent = 1
    return is_bent


@ti.func
def place_of(pairs: ti.template(), note, point, embeds: ti.template()):
    """Where a surface point was at a note."""
    elements, weights, places = ti.static(pairs.surface_elements, pairs.surface_weights, pairs.noted_places)
    result = places[note, elements[point, 0]].xyz
    if ti.static(embeds):
        result *= weights[point, 0]
        for j in ti.static(range(1, 4)):
            if weights[point, j] != 0.0:
                result += weights[point, j] * places[note, elements[point, j]].xyz
    return result


@ti.func
def places_of(pairs: ti.template(), note, n, embeds: ti.template()):
    """Where the four points of pair ``n`` were at a note."""
    ints = ti.static(pairs.pair_ints)
    return ti.Matrix.rows([place_of(pairs, note, ints[n, POINTS + k], embeds) for k in ti.static(range(4))])


@ti.func
def relative_square(is_edges, d):
    """The square of how far points of the two sides of a pair moved relative to each other at most [m²].

    The difference is linear in the place on each side, so two corners have the greatest.
    """
    a, b, c, e = d[0, :], d[1, :], d[2, :], d[3, :]
    most = ti.max((a - c).norm_sqr(), (a - e).norm_sqr())
    if is_edges:
        most = ti.max(most, (b - c).norm_sqr(), (b - e).norm_sqr())
    else:
        most = ti.max(most, (a - b).norm_sqr())
    return most


@ti.func
def is_clear_from(x, is_edges, reach, gap):
    """Whether a pair at the places ``x`` is farther apart than its gap, when its sides come nearer by ``reach``."""
    a, b, c, e = x[0, :], x[1, :], x[2, :], x[3, :]
    least = gap + reach + ti.static(LEAST_ROUNDINGS * rounding()) * ti.max(ti.abs(a).max(), ti.abs(e).max())
    return pair_geometry(is_edges, a, b, c, e, ti.Vector([0.0, 0.0, 0.0])).distance > least


@ti.func
def is_clear(pairs: ti.template(), n, is_held, first, last, embeds: ti.template()):
    """Whether pair ``n`` stayed farther apart than its gap from one note to a later one.

    Where colliders push the sides of a pair apart (``is_held``), it must not pass through itself, but may be nearer.
    """
    is_edges, gap = pairs.pair_ints[n, KIND] == EDGE_EDGE, pairs.pair_floats[n, GAP]
    if is_held:
        gap *= LEAST_GAP
    places, square = places_of(pairs, first, n, embeds), 0.0
    for k in range(first + 1, last + 1):
        square = ti.max(square, relative_square(is_edges, places_of(pairs, k, n, embeds) - places))
    # first over all notes at once, then piece by piece; written once, for Taichi compiles functions at each call
    result, piece, pieces, reach = False, -1, PIECES * (last - first), ti.sqrt(square)
    while piece < pieces:
        is_certain = is_clear_from(places, is_edges, reach, gap)
        if is_certain == (piece < 0):
            result, piece = is_certain, pieces
        else:
            piece += 1
            result = piece == pieces
            if not result:
                note = first + piece // PIECES
                here = places_of(pairs, note, n, embeds)
                way = (places_of(pairs, note + 1, n, embeds) - here) / PIECES
                places = here + ti.cast(piece % PIECES, float) * way
                reach = ti.sqrt(relative_square(is_edges, way))
    return result
