# SPDX-License-Identifier: GPL-3.0-or-later
"""Arithmetic on whole 4-vectors, whose fourth component is 0: one instruction of a processor for all four lanes.

Three components alone are taken apart into one and two, and loaded and stored in pieces. All of this is for processors,
and nothing here changes a result but by rounding.
"""

import taichi as ti

SIXTH = 1.0 / 6.0
LARGEST_PLACE = 0x3FFFFFFF


@ti.func
def edge(p, q):
    """From particle q to particle p [m]; the inverse masses in their fourth components are left out."""
    difference = p - q
    difference[3] = 0.0
    return difference


@ti.func
def cross(a, b):
    """The cross product of the first three components."""
    return ti.Vector([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0], 0.0])


@ti.func
def dot(a, b):
    """The product of the first three components."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@ti.func
def place(n):
    """A place in an array, 0 … 2³⁰ − 1, which is said to the compiler: so n + 1 is the next one.

    Without, n + 1 could wrap around, each place is computed for itself, and neighbours are never loaded together.
    """
    return n & LARGEST_PLACE
