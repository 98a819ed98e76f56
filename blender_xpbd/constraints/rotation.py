# SPDX-License-Identifier: GPL-3.0-or-later
"""The rotation nearest to a matrix, for any matrix: singular, inverted, zero.

The unit quaternion q that maximises tr(RᵀA) is the eigenvector of the greatest eigenvalue of a symmetric, traceless
4 × 4 matrix (Horn 1987, "Closed-form solution of absolute orientation using unit quaternions", §4.C). Shifted so that
no eigenvalue is negative, the matrix is squared until one eigenvector is left. That needs no starting guess, so a
bake that goes on from a checkpoint finds the same rotation, and it is always a rotation, never a reflection. Where
several are equally near (a point, a line, a mirrored shape) one of them comes out, the same every time.
"""

import taichi as ti

# of a matrix of trace 1: by how much its square's trace misses 1 when a single eigenvector is left
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
    if size > 0.0:
        s = a / size
        xx, yy, zz = s[0, 0], s[1, 1], s[2, 2]
        wx, wy, wz = s[2, 1] - s[1, 2], s[0, 2] - s[2, 0], s[1, 0] - s[0, 1]
        xy, xz, yz = s[0, 1] + s[1, 0], s[0, 2] + s[2, 0], s[1, 2] + s[2, 1]
        # no eigenvalue is below −√3 |A|
        shift = 1.7320508 * ti.sqrt((s * s).sum())
        k = ti.Matrix(
            [
                [xx + yy + zz + shift, wx, wy, wz],
                [wx, xx - yy - zz + shift, xy, xz],
                [wy, xy, yy - xx - zz + shift, yz],
                [wz, xz, yz, zz - xx - yy + shift],
            ]
        )
        k /= k.trace()
        squarings = 0
        purity = 0.0
        while squarings < GREATEST_SQUARINGS and purity < 1.0 - PURE:
            k = k @ k
            purity = k.trace()
            k /= purity
            squarings += 1
        best = 0.0
        for column in ti.static(range(4)):
            if k[column, column] > best:
                best = k[column, column]
                q = ti.Vector([k[0, column], k[1, column], k[2, column], k[3, column]])
        q = q.normalized()
    w, x, y, z = q[0], q[1], q[2], q[3]
    return ti.Matrix(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )
