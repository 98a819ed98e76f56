# SPDX-License-Identifier: GPL-3.0-or-later
"""Closest points of a vertex and a triangle, and of two edges; the normal between them.

A distance is least where both points lie within, or at the rim. So there is one candidate within and one for each part
of the rim, and the nearest one wins (Eberly, "Robust computation of distance between line segments", for edges). No
region is chosen by the sign of a small difference, which rounding could turn. In slivers and for edges that are all but
parallel only the rim counts, which is then as near but for rounding.

All arithmetic is relative to one of the points, so that what is lost is a rounding error of the coordinates.
"""

import numpy as np
import taichi as ti

from ...device.host_memory import numpy_type
from ...device.runtime import real_type

# distances below so many rounding errors of the pair's size have no direction of their own
ROUNDINGS = 16.0
# edges are all but parallel below this sin² of their angle; as in Li et al. 2020, "Incremental Potential Contact", §5
PARALLEL = 1e-3
# points of such edges are as near as the nearest ones that are farther apart by less than this share of the distance
AS_NEAR = 0.01


def rounding() -> float:
    """The rounding error of the solver's precision; for ``ti.static``."""
    return float(np.finfo(numpy_type(real_type())).eps)


@ti.func
def part_along(offset, way):
    """Where on a way from 0 the point nearest to ``offset`` is, from 0 to 1; 0 where the way has no length."""
    return ti.math.clamp(offset.dot(way) / ti.max(way.dot(way), 1e-30), 0.0, 1.0)


@ti.func
def closest_vertex_triangle(p, a, b, c):
    """The point of triangle (a, b, c) that is nearest to p.

    Returns:
        signed weights of (p, a, b, c), the normal of the triangle times twice its area [m²], and whether p is over the
        triangle's inside.
    """
    ab, ac, ap = b - a, c - a, p - a
    cross = ab.cross(ac)
    square = cross.dot(cross)
    # by cross products: dot products cancel out in slivers
    v, w = cross.dot(ap.cross(ac)), cross.dot(ab.cross(ap))
    is_inside = v >= 0.0 and w >= 0.0 and v + w <= square
    is_inside = is_inside and square > ti.static(rounding()) * ab.dot(ab) * ac.dot(ac)
    weights = ti.Vector([1.0, -1.0, 0.0, 0.0])
    if is_inside:
        v, w = v / square, w / square
        weights = ti.Vector([1.0, v + w - 1.0, -v, -w])
    else:
        part = part_along(ap, ab)
        way = ap - part * ab
        nearest = way.dot(way)
        weights = ti.Vector([1.0, part - 1.0, -part, 0.0])
        part = part_along(ap, ac)
        way = ap - part * ac
        if way.dot(way) < nearest:
            nearest = way.dot(way)
            weights = ti.Vector([1.0, part - 1.0, 0.0, -part])
        bc, bp = c - b, p - b
        part = part_along(bp, bc)
        way = bp - part * bc
        if way.dot(way) < nearest:
            weights = ti.Vector([1.0, 0.0, part - 1.0, -part])
    return weights, cross, is_inside


@ti.func
def closest_edge_edge(a0, a1, b0, b1):
    """The nearest points of edges (a0, a1) and (b0, b1).

    Returns:
        signed weights of (a0, a1, b0, b1), the cross product of the edges [m²], and whether both points lie within.
    """
    a, b, r = a1 - a0, b1 - b0, b0 - a0
    cross = a.cross(b)
    square = cross.dot(cross)
    # lines cross over at a0 + s a and b0 + t b; by cross products, as above
    s, t = cross.dot(r.cross(b)), cross.dot(r.cross(a))
    is_inside = s >= 0.0 and s <= square and t >= 0.0 and t <= square
    is_inside = is_inside and square > ti.static(rounding()) * a.dot(a) * b.dot(b)
    if is_inside:
        s, t = s / square, t / square
    else:
        t = part_along(-r, b)
        s = 0.0
        way = r + t * b
        nearest = way.dot(way)
        other = part_along(a - r, b)
        way = r + other * b - a
        if way.dot(way) < nearest:
            s, t, nearest = 1.0, other, way.dot(way)
        other = part_along(r, a)
        way = r - other * a
        if way.dot(way) < nearest:
            s, t, nearest = other, 0.0, way.dot(way)
        other = part_along(r + b, a)
        way = r + b - other * a
        if way.dot(way) < nearest:
            s, t = other, 1.0
    return ti.Vector([1.0 - s, s, t - 1.0, -t]), cross, is_inside


@ti.func
def steady_weights(a0, a1, b0, b1, weights, normal, distance):
    """Where edges push each other: at their nearest points, but all but parallel ones in the middle of their overlap.

    All of the overlap is as near then, and the nearest points go from one end to the other while the edges turn by
    nothing. What pushes and rubs there would never come to rest (docs/experiments.md, One place of a stack that
    trembles). In between is a mean of both, so that no point jumps.

    Args:
        a0: ends of edge a [m].
        a1: likewise.
        b0: ends of edge b [m].
        b1: likewise.
        weights: of the nearest points, as in ``closest_edge_edge``.
        normal: between these, from b to a.
        distance: of these [m].

    Returns:
        signed weights of (a0, a1, b0, b1).
    """
    a, b, r = a1 - a0, b1 - b0, b0 - a0
    square_a, square_b = a.dot(a), b.dot(b)
    share = 1.0 - a.cross(b).norm_sqr() / ti.max(ti.static(PARALLEL) * square_a * square_b, 1e-30)
    result = weights
    if share > 0.0 and square_a * square_b > 0.0:
        begin, end = part_along(r, a), part_along(r + b, a)
        s = 0.5 * (begin + end)
        t = part_along(s * a - r, b)
        farther = ti.abs(normal.dot(s * a - r - t * b) - distance)
        share *= ti.max(1.0 - farther / ti.max(ti.static(AS_NEAR) * distance, 1e-30), 0.0)
        result += share * (ti.Vector([1.0 - s, s, t - 1.0, -t]) - weights)
    return result


@ti.func
def _upright(vector):
    """Some unit vector at right angles to another one, whatever its length."""
    sizes = ti.abs(vector)
    axis = ti.Vector([1.0, 0.0, 0.0])
    if sizes[0] > sizes[1]:
        axis = ti.Vector([0.0, 1.0, 0.0])
    across = vector.cross(axis)
    size = across.norm()
    result = ti.Vector([0.0, 0.0, 1.0])
    if size > 1e-30:
        result = across / size
    return result


@ti.func
def pair_geometry(is_edges, x0, x1, x2, x3, previous):
    """Closest points of a pair, and the normal between them.

    Args:
        is_edges: whether (x0, x1) and (x2, x3) are edges; else x0 is a vertex and the others are a triangle.
        x0: points [m].
        x1: likewise.
        x2: likewise.
        x3: likewise.
        previous: the normal of the pair before, or 0: where the distance is a rounding error, side a is on its side.

    Returns:
        ``weights`` of the points, signed; unit ``normal`` from side b to side a, always finite; ``distance`` [m].
    """
    weights, cross, is_inside = ti.Vector([1.0, 0.0, 0.0, 0.0]), x1, False
    spread = x1 - x0
    if is_edges:
        weights, cross, is_inside = closest_edge_edge(x0, x1, x2, x3)
    else:
        weights, cross, is_inside = closest_vertex_triangle(x0, x1, x2, x3)
        spread = x2 - x1
    # Σ w x without the size of the coordinates, since Σ w = 0
    way = weights[1] * (x1 - x0) + weights[2] * (x2 - x0) + weights[3] * (x3 - x0)
    distance = way.norm()
    size = spread.norm() + (x3 - x2).norm()
    area = cross.norm()
    normal = way / ti.max(distance, 1e-30)
    is_close = distance <= ti.static(ROUNDINGS * rounding()) * size
    if is_inside:
        # steadier than the way, and exact for the smallest distance
        normal = cross / area
        height = normal.dot(way)
        distance = ti.abs(height)
        if is_close and previous.dot(previous) > 0.0:
            height = normal.dot(previous)
        if height < 0.0:
            normal = -normal
    elif is_close or distance <= 1e-30:
        if previous.dot(previous) > 0.0:
            normal = previous
        elif area > 1e-30:
            normal = cross / area
        else:
            normal = _upright(spread)
    return ti.Struct(weights=weights, normal=normal, distance=distance)


@ti.func
def facing(normal, is_edges, way1, way2, way3):
    """Heights along the normal, relative to the first point: the lowest of side a, and the highest of side b.

    Args:
        normal: from side b to side a.
        is_edges: whether the second point is of side a.
        way1: from the first point to the second [m].
        way2: likewise.
        way3: likewise.
    """
    height = normal.dot(way1)
    lowest_a, highest_b = ti.cast(0.0, float), ti.max(normal.dot(way2), normal.dot(way3))
    if is_edges:
        lowest_a = ti.min(lowest_a, height)
    else:
        highest_b = ti.max(highest_b, height)
    return lowest_a, highest_b


@ti.func
def parting_normal(is_edges, way1, way2, way3, normal):
    """The normal of a pair, or one of the triangle, or of both edges, where that keeps the sides farther apart.

    At a rim the normal is the way between the nearest points, which rounding turns the more the nearer they are. By a
    distance of 3 µm it is turned by as much as leads 10 µm through what is 0.1 m long.

    Args:
        is_edges: whether the second point is of side a.
        way1: from the first point to the second [m].
        way2: likewise.
        way3: likewise.
        normal: from side b to side a.
    """
    cross = (way2 - way1).cross(way3 - way1)
    if is_edges:
        cross = way1.cross(way3 - way2)
    size = cross.norm()
    result = normal
    if size > 1e-30:
        lowest_a, highest_b = facing(normal, is_edges, way1, way2, way3)
        for sign in ti.static((1.0, -1.0)):
            other = sign * cross / size
            other_a, other_b = facing(other, is_edges, way1, way2, way3)
            if other_a - other_b > lowest_a - highest_b:
                result, lowest_a, highest_b = other, other_a, other_b
    return result
