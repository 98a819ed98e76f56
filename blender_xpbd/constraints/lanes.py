# SPDX-License-Identifier: GPL-3.0-or-later
"""Arithmetic on whole 4-vectors, whose fourth component is 0: one instruction of a processor for all four lanes.

Three components alone are taken apart into one and two, and loaded and stored in pieces.
"""

import taichi as ti

SIXTH = 1.0 / 6.0


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
