# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an edge goes through a triangle, by the signs of volumes in double precision.

A volume that may be a rounding error counts as 0 (the filter of Shewchuk 1997, "Adaptive precision floating-point
arithmetic and fast robust geometric predicates"). Ties:

- An end of the edge in the plane of the triangle: they touch, and do not cross.
- The edge meets the border of the triangle: each side of a triangle has one fixed side for ties, given by the order of
  its points, so that of two triangles with that side just one is crossed.
"""

import taichi as ti

from ...geometry.search.primitives import CORNERS, EDGES, TRIANGLE
from .packs import DOUBLES, INT_SIXES, INT_TABLE, INTS

# of orient3d on rounded differences: (7 + 56 ε) ε with ε = 2⁻⁵³
ORIENTATION_ERROR = 7.7715611723761027e-16


@ti.func
def orientation(a, b, c, d):
    """The sign of the volume of (a, b, c, d): 1 where d sees a, b and c clockwise; 0 where rounding could decide."""
    x, y, z = a - d, b - d, c - d
    first, second, third = y[0] * z[1], z[0] * x[1], x[0] * y[1]
    other_first, other_second, other_third = z[0] * y[1], x[0] * z[1], y[0] * x[1]
    volume = x[2] * (first - other_first) + y[2] * (second - other_second) + z[2] * (third - other_third)
    size = ti.abs(x[2]) * (ti.abs(first) + ti.abs(other_first)) + ti.abs(y[2]) * (ti.abs(second) + ti.abs(other_second))
    size += ti.abs(z[2]) * (ti.abs(third) + ti.abs(other_third))
    sign = 0
    if volume > ORIENTATION_ERROR * size:
        sign = 1
    elif volume < -ORIENTATION_ERROR * size:
        sign = -1
    return sign


@ti.func
def place(places: ti.template(), i):
    """Where a point is."""
    return ti.Vector([places[i, 0], places[i, 1], places[i, 2]], ti.f64)


@ti.func
def side_of_line(places: ti.template(), p, q, i, j):
    """On which side of the line p → q the side i → j of a triangle passes, 1 or −1; ties by the numbers of i and j."""
    low, high = ti.min(i, j), ti.max(i, j)
    sign = orientation(p, q, place(places, low), place(places, high))
    if sign == 0:
        sign = 1
    if low != i:
        sign = -sign
    return sign


@ti.func
def crosses(places: ti.template(), i, j, a, b, c):
    """Whether edge (i, j) goes through triangle (a, b, c); all are numbers of points."""
    p, q = place(places, i), place(places, j)
    first, second, third = place(places, a), place(places, b), place(places, c)
    before, behind = orientation(first, second, third, p), orientation(first, second, third, q)
    result = False
    if before * behind < 0:
        one, two = side_of_line(places, p, q, a, b), side_of_line(places, p, q, b, c)
        result = (one == two) & (two == side_of_line(places, p, q, c, a))
    return result


@ti.kernel
def cross_candidates(
    found: INT_SIXES, primitives: INT_TABLE, places: DOUBLES, crossings: INT_TABLE, total: INTS, candidates: ti.i32
):
    """Edge and triangle of each crossing among pairs of primitives; counted on where there is no room."""
    ti.loop_config(serialize=True)
    for _ in range(1):
        count = 0
        for n in range(2 * candidates):
            row = found[n // 2]
            a, b = row[n % 2], row[1 - n % 2]
            one, two, three = primitives[b, CORNERS], primitives[b, CORNERS + 1], primitives[b, CORNERS + 2]
            for k in range(3 if primitives[b, TRIANGLE] >= 0 else 0):
                c, d = primitives[a, CORNERS + k], primitives[a, CORNERS + (k + 1) % 3]
                is_apart = (c != one) & (c != two) & (c != three) & (d != one) & (d != two) & (d != three)
                if primitives[a, EDGES + k] >= 0 and is_apart:
                    if crosses(places, c, d, one, two, three):
                        if count < crossings.shape[0]:
                            crossings[count, 0], crossings[count, 1] = primitives[a, EDGES + k], primitives[b, TRIANGLE]
                        count += 1
        total[0] = count
