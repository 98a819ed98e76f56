# SPDX-License-Identifier: GPL-3.0-or-later
"""The rotation nearest to a matrix, for any matrix: singular, inverted, zero.

The unit quaternion q that maximises tr(RᵀA) is the eigenvector of the greatest eigenvalue of a symmetric, traceless
4 × 4 matrix (Horn 1987, "Closed-form solution of absolute orientation using unit quaternions", §4.C). Shifted so that
no eigenvalue is negative, the matrix is squared until one eigenvector is left. That needs no starting guess, so a
bake that goes on from a checkpoint finds the same rotation, and it is always a rotation, never a reflection. Where
several are equally near (a point, a line, a mirrored shape) one of them comes out, the same every time.
"""

import taichi as ti

from .constraint import SMALL

# of a matrix of trace 1: by how much its square's trace misses 1 when a single eigenvector is left;
# and squarings at most, where several are as great. Chosen by hand
PURE = 1e-6
GREATEST_SQUARINGS = 24


@ti.func
def nearest_rotation(a):
    """The rotation R that maximises tr(RᵀA), for a 3 × 3 matrix A."""
    # A is of the order of a mass times a squared length: scaled, so that nothing under- or overflows
    size = 0.0
    for row, column in ti.static(ti.ndrange(3, 3)):
        size = ti.max(size, ti.abs(a[row, column]))
    q = ti.Vector([1.0, 0.0, 0.0, 0.0])
    if size > SMALL:
        s = (1.0 / size) * a
        xx, yy, zz = s[0, 0], s[1, 1], s[2, 2]
        wx, wy, wz = s[2, 1] - s[1, 2], s[0, 2] - s[2, 0], s[1, 0] - s[0, 1]
        xy, xz, yz = s[0, 1] + s[1, 0], s[0, 2] + s[2, 0], s[1, 2] + s[2, 1]
        # no eigenvalue is below −√3 |A|
        shift = 1.7320508 * ti.sqrt((s * s).sum())
        # the columns of the matrix, whose trace is four times the shift
        scale = 0.25 / shift
        c0 = scale * ti.Vector([xx + yy + zz + shift, wx, wy, wz])
        c1 = scale * ti.Vector([wx, xx - yy - zz + shift, xy, xz])
        c2 = scale * ti.Vector([wy, xy, yy - xx - zz + shift, yz])
        c3 = scale * ti.Vector([wz, xz, yz, zz - xx - yy + shift])
        squarings = 0
        purity = 0.0
        while squarings < GREATEST_SQUARINGS and purity < 1.0 - PURE:
            d0 = c0[0] * c0 + c0[1] * c1 + c0[2] * c2 + c0[3] * c3
            d1 = c1[0] * c0 + c1[1] * c1 + c1[2] * c2 + c1[3] * c3
            d2 = c2[0] * c0 + c2[1] * c1 + c2[2] * c2 + c2[3] * c3
            d3 = c3[0] * c0 + c3[1] * c1 + c3[2] * c2 + c3[3] * c3
            purity = d0[0] + d1[1] + d2[2] + d3[3]
            scale = 1.0 / purity
            c0, c1, c2, c3 = scale * d0, scale * d1, scale * d2, scale * d3
            squarings += 1
        q = c0
        best = c0[0]
        if c1[1] > best:
            q, best = c1, c1[1]
        if c2[2] > best:
            q, best = c2, c2[2]
        if c3[3] > best:
            q = c3
        q = (1.0 / q.norm()) * q
    w, x, y, z = q[0], q[1], q[2], q[3]
    return ti.Matrix(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )
