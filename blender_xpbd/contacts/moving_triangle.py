# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a moving point passes through a moving triangle; both move straight and evenly.

The height of the point over the triangle, times twice the triangle's area, is a cubic in time (Provot 1997; Bridson et
al. 2002). Between its extremes there is one root at most, which is bisected, where the signs at the ends say that there
is one. Signs come from the places themselves, not from the coefficients of the cubic, which cancel out.
"""

import taichi as ti

# the part of the way of a point that passes nothing
NO_PASSAGE = 2.0
# halvings of an interval of time: as fine as single precision
HALVINGS = 24
# how far beside a triangle a passage counts, in weights: it closes the seams that rounding opens
SEAM = 1e-4


@ti.func
def _moment(ab, ab_way, ac, ac_way, offset, offset_way, time):
    """Height times twice the area at a time."""
    return (ab + time * ab_way).cross(ac + time * ac_way).dot(offset + time * offset_way)


@ti.func
def _extremes(ab, ab_way, ac, ac_way, offset, offset_way):
    """Times within (0, 1), in order, at which the cubic has its extremes; 0 and 1 where it has none."""
    turning = ab.cross(ac_way) + ab_way.cross(ac)
    last = ab_way.cross(ac_way)
    slope = turning.dot(offset) + ab.cross(ac).dot(offset_way)
    half_bend = last.dot(offset) + turning.dot(offset_way)
    cube = 3.0 * last.dot(offset_way)
    first_time, second_time = 0.0, 1.0
    rest = half_bend * half_bend - cube * slope
    if rest > 0.0:
        # without cancellation (Press et al., Numerical Recipes, §5.6)
        q = -(half_bend + (1.0 if half_bend >= 0.0 else -1.0) * ti.sqrt(rest))
        # a root at infinity is beyond 1
        one = ti.math.clamp(q / cube, 0.0, 1.0) if ti.abs(cube) > ti.abs(q) else (1.0 if q * cube > 0.0 else 0.0)
        other = ti.math.clamp(slope / q, 0.0, 1.0) if ti.abs(q) > ti.abs(slope) else (1.0 if q * slope > 0.0 else 0.0)
        first_time, second_time = ti.min(one, other), ti.max(one, other)
    return first_time, second_time


@ti.func
def passage(start_a, start_ab, start_ac, end_a, end_ab, end_ac, start, end, closed, tolerance):
    """The first passage of a point through a triangle.

    Of a closed surface only passages from its front count, and a point that starts below it by no more than
    ``tolerance`` starts before it; of an open one passages from both sides.

    Args:
        start_a: corner a at the start [m].
        start_ab: b − a there.
        start_ac: c − a there.
        end_a: corner a at the end.
        end_ab: b − a there.
        end_ac: c − a there.
        start: the point at the start [m].
        end: at the end.
        closed: 1 or 0.
        tolerance: [m].

    Returns:
        (part of the way, or ``NO_PASSAGE``; weights of b and c there; 1 if the point came from the side to which the
        normal points, −1 if from the other).
    """
    ab, ac, offset = start_ab, start_ac, start - start_a
    ab_way, ac_way, offset_way = end_ab - start_ab, end_ac - start_ac, end - end_a - offset
    first_time, second_time = _extremes(ab, ab_way, ac, ac_way, offset, offset_way)
    times = ti.math.vec4(0.0, first_time, second_time, 1.0)
    result = ti.math.vec4(NO_PASSAGE, 0.0, 0.0, 1.0)
    before = _moment(ab, ab_way, ac, ac_way, offset, offset_way, 0.0)
    slack = tolerance * ab.cross(ac).norm() if closed == 1 else 0.0
    for interval in ti.static(range(3)):
        after = _moment(ab, ab_way, ac, ac_way, offset, offset_way, times[interval + 1])
        falls = after < 0.0 and before >= -slack and before > after
        rises = closed == 0 and before < 0.0 and after > 0.0
        if (falls or rises) and result[0] > 1.0:
            low, high = times[interval], times[interval + 1]
            side = 1.0 if falls else -1.0
            if before * side > 0.0:
                for _ in range(HALVINGS):
                    middle = 0.5 * (low + high)
                    moment = _moment(ab, ab_way, ac, ac_way, offset, offset_way, middle)
                    if moment * side >= 0.0:
                        low = middle
                    else:
                        high = middle
            v, w = _weights(ab + low * ab_way, ac + low * ac_way, offset + low * offset_way)
            if v >= -SEAM and w >= -SEAM and v + w <= 1.0 + SEAM:
                result = ti.math.vec4(low, v, w, side)
        before = after
        if times[interval + 1] > 0.0:
            slack = 0.0
    return result


@ti.func
def _weights(ab, ac, offset):
    """Weights of b and c at ``offset`` from a; beside the triangle where it has no area."""
    normal = ab.cross(ac)
    square = normal.norm_sqr()
    v, w = -1.0, -1.0
    if square > 0.0:
        v = normal.dot(offset.cross(ac)) / square
        w = normal.dot(ab.cross(offset)) / square
    return v, w
