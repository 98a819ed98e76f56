# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a plane parts the two sides of a pair for a whole window, so that the pair need not be listed.

Each point x of a pair stays in a box that travels: |x − c(s)| ≤ h along each axis, where c(s) = c₀ + s (c₁ − c₀) and s
goes from 0 to 1. Take any unit vector n. Along n, every point of side a (a convex sum of its points) is at

    lowest(s) = min over the points of a of n · c(s) − |n| · h

at least, and every point of side b at highest(s) = max over its points of n · c(s) + |n| · h at most. A minimum of
linear functions is concave, so lowest(s) − highest(s) is least at s = 0 or at s = 1. Where it exceeds the gap at both,
the two sides are farther apart than the gap all the time, whatever their points do in their boxes. Boxes that overlap
along no axis are the case of n along that axis. Here n is the direction between the closest points halfway. A bad n
only means that a pair is listed; none is lost.
"""

import taichi as ti

from ..pairs.geometry import pair_geometry

# of coordinates relative to a point of the pair: more than what single precision loses in a sum of three products
ROUNDING = 1e-6


@ti.func
def middle_of(boxes: ti.template(), i, end):
    """The middle of the box of point ``i`` at the start (0) or at the end (1) of a window."""
    result = ti.Vector([0.0, 0.0, 0.0], ti.f32)
    for k in ti.static(range(3)):
        result[k] = ti.cast(0.5, ti.f32) * (boxes[i, 6 * end + k] + boxes[i, 6 * end + 3 + k])
    return result


@ti.func
def is_parted(boxes: ti.template(), is_edges, pair, gap):
    """Whether a plane keeps the sides of a pair of four points farther apart than a gap, from start to end.

    Args:
        boxes: travelling boxes of points.
        is_edges: whether the pair is two edges; else the first point is a vertex and the others are a triangle.
        pair: the points.
        gap: [m].
    """
    origin = middle_of(boxes, pair[0], 0) + middle_of(boxes, pair[0], 1)
    halfway = ti.Matrix([[0.0, 0.0, 0.0]] * 4, ti.f32)
    for n in ti.static(range(1, 4)):
        halfway[n, :] = ti.cast(0.5, ti.f32) * (middle_of(boxes, pair[n], 0) + middle_of(boxes, pair[n], 1) - origin)
    nowhere = ti.Vector([0.0, 0.0, 0.0], ti.f32)
    x0, x1, x2, x3 = halfway[0, :], halfway[1, :], halfway[2, :], halfway[3, :]
    normal = ti.cast(pair_geometry(is_edges, x0, x1, x2, x3, nowhere).normal, ti.f32)
    result = True
    for end in ti.static(range(2)):
        start = middle_of(boxes, pair[0], end)
        lowest, highest = ti.cast(1e30, ti.f32), ti.cast(-1e30, ti.f32)
        size = ti.cast(0.0, ti.f32)
        for n in ti.static(range(4)):
            middle = middle_of(boxes, pair[n], end) - start
            half = ti.Vector([0.0, 0.0, 0.0], ti.f32)
            for k in ti.static(range(3)):
                half[k] = ti.cast(0.5, ti.f32) * (boxes[pair[n], 6 * end + 3 + k] - boxes[pair[n], 6 * end + k])
            along, reach = normal.dot(middle), ti.abs(normal).dot(half)
            size = ti.max(size, ti.abs(middle).sum() + half.sum())
            if n == 0 or (n == 1 and is_edges):
                lowest = ti.min(lowest, along - reach)
            else:
                highest = ti.max(highest, along + reach)
        result = result and lowest - highest > gap + ti.cast(ROUNDING, ti.f32) * size
    return result
