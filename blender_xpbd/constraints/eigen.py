# SPDX-License-Identifier: GPL-3.0-or-later
"""Eigenvalues and eigenvectors of symmetric matrices by Jacobi's rotations, which lose nothing where two are equal."""

import taichi as ti

# of 3×3 matrices: after four sweeps nothing is left off the diagonal in double precision (Golub & Van Loan, §8.5)
SWEEPS = 4
ROTATIONS = ((0, 1), (0, 2), (1, 2))


@ti.func
def symmetric_eigen(matrix):
    """Eigenvalues of a symmetric 3×3 matrix, in no order, and the rotation whose columns are its eigenvectors."""
    a = matrix
    vectors = ti.Matrix([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    for _ in range(SWEEPS):
        for j, k in ti.static(ROTATIONS):
            if a[j, k] != 0.0:
                middle = (a[k, k] - a[j, j]) / (2.0 * a[j, k])
                tangent = 1.0 / (ti.abs(middle) + ti.sqrt(middle * middle + 1.0))
                if middle < 0.0:
                    tangent = -tangent
                cosine = 1.0 / ti.sqrt(tangent * tangent + 1.0)
                sine = tangent * cosine
                turn = ti.Matrix([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
                turn[j, j], turn[k, k], turn[j, k], turn[k, j] = cosine, cosine, sine, -sine
                a = turn.transpose() @ a @ turn
                a[j, k], a[k, j] = 0.0, 0.0
                vectors = vectors @ turn
    return ti.Vector([a[0, 0], a[1, 1], a[2, 2]]), vectors
