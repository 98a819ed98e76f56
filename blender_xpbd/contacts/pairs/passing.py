# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the sides of a near pair pass through each other on their straight ways through a substep.

The truncation knows one plane per pair, of when the substep began. What moves along a fixed surface, or with it, may
leave that plane behind and touch nothing. So for what it leaves in doubt planes are laid anew on the way: each keeps
the sides apart for a while, and short of its end the next one is laid between the nearest points of then (conservative
advancement, Mirtich 1996, by planes instead of bounds of the speed). What it lets pass is apart all the way.
"""

import taichi as ti

from .geometry import facing, pair_geometry, parting_normal, rounding
from .near import KEEP, LEAST_ROUNDINGS
from .push import carried
from .tables import CARRIERS, IS_EDGES, NEAR_INTS

# planes that are laid at most; where they do not lead to the end, nothing is certain. What passes keeps a tenth of its
# gap from each to the next, so a dozen end at rounding errors; what grazes past takes more. Chosen by hand
MOST_PLANES = 256


@ti.func
def may_pass(
    starts: ti.template(),
    ends: ti.template(),
    surfaces: ti.template(),
    pairs: ti.template(),
    n,
    embeds: ti.template(),
):
    """Whether the sides of a near pair may pass through each other, or touch, on straight ways.

    Args:
        starts: where particles were when the substep began [m].
        ends: where they are when it is over [m].
        surfaces: the pack.
        pairs: the pack.
        n: row of the near pair.
        embeds: static: whether any point has more than one particle.

    Returns:
        0 where they surely do not, else 1.
    """
    ints = ti.static(pairs.near_ints)
    first, is_edges = n * NEAR_INTS + CARRIERS, pairs.near_ints[n * NEAR_INTS + IS_EDGES] == 1
    x0, end0 = carried(starts, surfaces, ints[first], embeds), carried(ends, surfaces, ints[first], embeds)
    # all is relative to the first point, from where it was to where it is
    places, ways = ti.Matrix.zero(float, 4, 3), ti.Matrix.zero(float, 4, 3)
    size = ti.max(ti.abs(x0).max(), ti.abs(end0).max())
    for i in ti.static(range(1, 4)):
        x = carried(starts, surfaces, ints[first + i], embeds)
        end = carried(ends, surfaces, ints[first + i], embeds)
        size = ti.max(size, ti.max(ti.abs(x).max(), ti.abs(end).max()))
        for axis in ti.static(range(3)):
            places[i, axis] = x[axis] - x0[axis]
            ways[i, axis] = (end[axis] - end0[axis]) - places[i, axis]
    return _advance(is_edges, places, ways, ti.static(LEAST_ROUNDINGS * rounding()) * size)


@ti.func
def _row(table, i: ti.template()):
    return ti.Vector([table[i, 0], table[i, 1], table[i, 2]])


@ti.func
def _advance(is_edges, places, ways, least):
    """What ``may_pass`` returns.

    Args:
        is_edges: whether the second point is of side a.
        places: of the points when the substep begins, relative to the first one [m], shape (4, 3).
        ways: from there to where they are when it is over, likewise.
        least: gap that rounding may hide [m].
    """
    result, share, is_open = 1, ti.cast(0.0, float), True
    none = ti.Vector([0.0, 0.0, 0.0])
    for _ in range(MOST_PLANES):
        if is_open:
            x0 = _row(places, 0) + share * _row(ways, 0)
            x1 = _row(places, 1) + share * _row(ways, 1)
            x2 = _row(places, 2) + share * _row(ways, 2)
            x3 = _row(places, 3) + share * _row(ways, 3)
            normal = pair_geometry(is_edges, x0, x1, x2, x3, none).normal
            lowest_a, highest_b = facing(normal, is_edges, x1 - x0, x2 - x0, x3 - x0)
            if lowest_a <= highest_b + least:
                normal = parting_normal(is_edges, x1 - x0, x2 - x0, x3 - x0, normal)
            # how long the plane keeps each point of side a from each of side b
            lasts, is_open = ti.cast(1e30, float), True
            for i in ti.static(range(2)):
                for j in ti.static(range(1, 4)):
                    is_of_a = i == 0 or is_edges
                    is_of_b = j > 1 or not is_edges
                    if is_of_a and is_of_b:
                        gap = normal.dot(_row(places, i) - _row(places, j))
                        rate = normal.dot(_row(ways, i) - _row(ways, j))
                        gap += share * rate - least
                        if gap <= 0.0:
                            is_open = False
                        elif rate < 0.0:
                            lasts = ti.min(lasts, gap / -rate)
            if is_open and share + lasts >= 1.0:
                result, is_open = 0, False
            share += KEEP * lasts
    return result
