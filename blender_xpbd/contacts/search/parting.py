# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a plane parts the two sides of a pair for a whole substep, so that the pair need not be listed.

Each point x of a pair stays in a box that travels: l(s) ≤ x ≤ u(s) along each axis, where both corners go evenly from
where they are at the start, s = 0, to where they are at the end, s = 1. Take any unit vector n. Along n, every point of
side a (a convex sum of its points) is at

    lowest(s) = min over the points of a of n · c(s) − |n| · h(s)

at least, with the middle c and the half size h of the point's box, and every point of side b at highest(s) = max over
its points of n · c(s) + |n| · h(s) at most. A minimum of linear functions is concave, so lowest(s) − highest(s) is least
at s = 0 or at s = 1. Where it exceeds the gap at both, the two sides are farther apart than the gap all the time,
whatever their points do in their boxes. Boxes that overlap along no axis are the case of n along that axis. Here n is
the direction between the closest points halfway. A bad n only means that a pair is listed; none is lost.
"""

import taichi as ti

# of coordinates relative to a point of the pair: more than what single precision loses in a sum of three products
ROUNDING = 1e-6


@ti.func
def middles(box):
    """The middles of a travelling box at the start and at the end."""
    return ti.cast(0.5, ti.f32) * (box[0:6] - box[6:12])


@ti.func
def is_parted(x: ti.template(), normal, is_edges, gap):
    """Whether a plane keeps the sides of a pair of four points farther apart than a gap, from start to end.

    Args:
        x: travelling boxes of the points, a tuple.
        normal: unit, single precision.
        is_edges: whether the pair is two edges; else the first point is a vertex and the others are a triangle.
        gap: [m].
    """
    origin = middles(x[0])
    lowest, highest = ti.Vector([1e30] * 2, ti.f32), ti.Vector([-1e30] * 2, ti.f32)
    size = ti.Vector([0.0] * 2, ti.f32)
    for n in ti.static(range(4)):
        way = middles(x[n]) - origin
        half = ti.cast(-0.5, ti.f32) * (x[n][0:6] + x[n][6:12])
        for end in ti.static(range(2)):
            along, reach = normal.dot(way[3 * end : 3 * end + 3]), ti.abs(normal).dot(half[3 * end : 3 * end + 3])
            size[end] = ti.max(size[end], ti.abs(way[3 * end : 3 * end + 3]).sum() + half[3 * end : 3 * end + 3].sum())
            if ti.static(n == 0) or (ti.static(n == 1) and is_edges):
                lowest[end] = ti.min(lowest[end], along - reach)
            else:
                highest[end] = ti.max(highest[end], along + reach)
    least = gap + ti.cast(ROUNDING, ti.f32) * size
    return (lowest[0] - highest[0] > least[0]) & (lowest[1] - highest[1] > least[1])
