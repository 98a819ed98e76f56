# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of several strands side by side: one loop over lanes does the same for all of them.

A matrix of lanes has a row per number and a column per strand. It is a variable of a kernel, which nothing else can
change, and its columns are indexed by a loop. So the compiler takes two, four or eight columns at a time, as the
processor has them; what is read from arrays it would not, for it does not know what else changes them.
"""

import taichi as ti

from ..lanes import LARGEST_PLACE
from ..pools import FIRST_EXTRA, FIRST_MEMBER, FIRST_VALUE
from .chain_tables import COUNT, LANES


@ti.func
def fetch(values: ti.template(), first, lanes: ti.template(), rows: ti.template()):
    """Rows of lanes from an array."""
    for row in ti.static(range(rows)):
        for l in range(LANES):
            lanes[row, l] = values[(first + row * LANES + l) & LARGEST_PLACE]


@ti.func
def keep(values: ti.template(), first, lanes: ti.template(), rows: ti.template()):
    """Rows of lanes to an array."""
    for row in ti.static(range(rows)):
        for l in range(LANES):
            values[(first + row * LANES + l) & LARGEST_PLACE] = lanes[row, l]


@ti.func
def clear(lanes: ti.template(), rows: ti.template()):
    """Rows of 0."""
    for row in ti.static(range(rows)):
        for l in range(LANES):
            lanes[row, l] = 0.0


@ti.func
def lane(constraints: ti.template(), i, l):
    """The strand of a lane; those that there are no strands for repeat the last one."""
    return ti.min(l, constraints.indices[constraints.indices[i + FIRST_EXTRA] + COUNT] - 1)


@ti.func
def particle(constraints: ti.template(), i, node, l):
    """The particle of a node in a lane."""
    indices = ti.static(constraints.indices)
    count = indices[indices[i + FIRST_EXTRA] + COUNT]
    return indices[indices[i + FIRST_MEMBER] + node * count + ti.min(l, count - 1)]


@ti.func
def gather(array: ti.template(), constraints: ti.template(), i, node, lanes: ti.template()):
    """The 4-vectors of a node's particles."""
    for l in range(LANES):
        p = array[particle(constraints, i, node, l)]
        for axis in ti.static(range(4)):
            lanes[axis, l] = p[axis]


@ti.func
def gather_turns(array: ti.template(), constraints: ti.template(), i, turns, lanes: ti.template()):
    """The orientations of an edge; ``turns`` is where their numbers are."""
    for l in range(LANES):
        q = array[constraints.indices[turns + lane(constraints, i, l)]]
        for axis in ti.static(range(4)):
            lanes[axis, l] = q[axis]


@ti.func
def vector(lanes: ti.template(), row: ti.template(), l):
    """Three rows of a lane."""
    return ti.Vector([lanes[row, l], lanes[row + 1, l], lanes[row + 2, l]])


@ti.func
def put(lanes: ti.template(), row: ti.template(), l, v):
    """Write three rows of a lane."""
    for axis in ti.static(range(3)):
        lanes[row + axis, l] = v[axis]


@ti.func
def symmetric(diagonal, below):
    """A symmetric matrix from its diagonal and (1, 0), (2, 0), (2, 1)."""
    return ti.Matrix(
        [
            [diagonal[0], below[0], below[1]],
            [below[0], diagonal[1], below[2]],
            [below[1], below[2], diagonal[2]],
        ]
    )


@ti.func
def diagonal_of(m):
    """The diagonal of a matrix."""
    return ti.Vector([m[0, 0], m[1, 1], m[2, 2]])


@ti.func
def below_of(m):
    """What is below the diagonal of a symmetric one."""
    return ti.Vector([m[0, 1], m[0, 2], m[1, 2]])


@ti.func
def inverted(diagonal, below):
    """The inverse of a symmetric matrix, that of ``symmetric``, as its diagonal and what is below."""
    a, b, c = diagonal[0], diagonal[1], diagonal[2]
    d, e, f = below[0], below[1], below[2]
    first = ti.Vector([b * c - f * f, e * f - c * d, d * f - b * e])
    inverse = 1.0 / (a * first[0] + d * first[1] + e * first[2])
    return (
        ti.Vector([first[0], a * c - e * e, a * b - d * d]) * inverse,
        ti.Vector([first[1], first[2], d * e - a * f]) * inverse,
    )
