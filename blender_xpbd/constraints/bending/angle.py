# SPDX-License-Identifier: GPL-3.0-or-later
"""The angle of two numbers, as atan2 but without a call, which would put a dozen numbers aside and fetch them again.

atan is a polynomial on [0, tan π/8], all else is brought there: by y/x and x/y, and beyond tan π/8 by
atan t = π/4 + atan((t − 1)/(t + 1)). The polynomial of degree 9 in t² goes through atan at the Chebyshev points of that
interval; it is wrong by 4e-16 at most, half a unit in the last place of an angle in double precision.
"""

import math

import taichi as ti

from ..constraint import SMALL

TAN_EIGHTH = math.tan(math.pi / 8.0)
# a₀ … a₉ of atan t = t Σ aₙ t²ⁿ
A0, A1, A2, A3, A4 = (
    0.999999999999999,
    -0.3333333333322143,
    0.19999999978392663,
    -0.14285712661684793,
    0.11111048853751296,
)
A5, A6, A7, A8, A9 = (
    -0.09089529956562307,
    0.07673535428183285,
    -0.0650598296717084,
    0.05024762118940128,
    -0.025316479573776477,
)


@ti.func
def angle_of(y, x):
    """From −π to π [rad]: of the point (x, y) about the origin; 0 at the origin itself."""
    small, great = ti.min(ti.abs(x), ti.abs(y)), ti.max(ti.abs(x), ti.abs(y))
    is_steep = small > TAN_EIGHTH * great
    t = ti.select(is_steep, small - great, small) / ti.max(ti.select(is_steep, small + great, great), SMALL)
    s = t * t
    s2 = s * s
    s4 = s2 * s2
    # pairs of terms, then pairs of pairs: a chain of four steps instead of nine
    low = (A0 + A1 * s) + s2 * (A2 + A3 * s)
    high = (A4 + A5 * s) + s2 * (A6 + A7 * s)
    angle = t * (low + s4 * (high + s4 * (A8 + A9 * s))) + ti.select(is_steep, 0.25 * math.pi, 0.0)
    angle = ti.select(ti.abs(y) > ti.abs(x), 0.5 * math.pi - angle, angle)
    angle = ti.select(x < 0.0, math.pi - angle, angle)
    return ti.select(y < 0.0, -angle, angle)
