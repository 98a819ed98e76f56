# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of several strands side by side: one loop over lanes does the same for all of them.

Rows of lanes lie one after the other in a variable of a kernel, a number per strand in each. Nothing else can change
it, and a loop over lanes indexes it. So the compiler takes two, four or eight lanes at a time, as the processor has
them. Arrays it would not, for it does not know which of them are the same.
"""

import taichi as ti

from ..lanes import LARGEST_PLACE
from ..pools import FIRST_EXTRA, FIRST_MEMBER, FIRST_VALUE
from .chain_tables import COUNT, LANES


@ti.func
def fetch(values: ti.template(), first, lanes: ti.template(), rows: ti.template()):
    """Rows of lanes from an array."""
    for n in range(ti.static(rows * LANES)):
        lanes[n] = values[(first + n) & LARGEST_PLACE]


@ti.func
def keep(values: ti.template(), first, lanes: ti.template(), rows: ti.template()):
    """Rows of lanes to an array."""
    for n in range(ti.static(rows * LANES)):
        values[(first + n) & LARGEST_PLACE] = lanes[n]


@ti.func
def clear(lanes: ti.template(), rows: ti.template()):
    """Rows of 0."""
    for n in range(ti.static(rows * LANES)):
        lanes[n] = 0.0


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
        put_four(lanes, 0, l, array[particle(constraints, i, node, l)])


@ti.func
def gather_turns(array: ti.template(), constraints: ti.template(), i, turns, lanes: ti.template()):
    """The orientations of an edge; ``turns`` is where their numbers are."""
    for l in range(LANES):
        put_four(lanes, 0, l, array[constraints.indices[turns + lane(constraints, i, l)]])


@ti.func
def number(lanes: ti.template(), row: ti.template(), l):
    """A row of a lane."""
    return lanes[row * LANES + l]


@ti.func
def vector(lanes: ti.template(), row: ti.template(), l):
    """Three rows of a lane."""
    return ti.Vector([lanes[row * LANES + l], lanes[(row + 1) * LANES + l], lanes[(row + 2) * LANES + l]])


@ti.func
def four(lanes: ti.template(), row: ti.template(), l):
    """Four rows of a lane."""
    v = vector(lanes, row, l)
    return ti.Vector([v[0], v[1], v[2], lanes[(row + 3) * LANES + l]])


@ti.func
def put(lanes: ti.template(), row: ti.template(), l, v):
    """Write three rows of a lane."""
    for axis in ti.static(range(3)):
        lanes[(row + axis) * LANES + l] = v[axis]


@ti.func
def put_four(lanes: ti.template(), row: ti.template(), l, v):
    """Write four rows of a lane."""
    for axis in ti.static(range(4)):
        lanes[(row + axis) * LANES + l] = v[axis]


@ti.func
def matrix(lanes: ti.template(), row: ti.template(), l):
    """Nine rows of a lane: those of a matrix one after the other."""
    a, b, c = vector(lanes, row, l), vector(lanes, row + 3, l), vector(lanes, row + 6, l)
    return ti.Matrix([[a[0], a[1], a[2]], [b[0], b[1], b[2]], [c[0], c[1], c[2]]])


@ti.func
def put_matrix(lanes: ti.template(), row: ti.template(), l, m):
    """Write them."""
    for r in ti.static(range(3)):
        for c in ti.static(range(3)):
            lanes[(row + 3 * r + c) * LANES + l] = m[r, c]


@ti.func
def put_symmetric(lanes: ti.template(), row: ti.template(), l, m):
    """Write six rows of a lane: the diagonal of a symmetric matrix, and what is below it."""
    put(lanes, row, l, ti.Vector([m[0, 0], m[1, 1], m[2, 2]]))
    put(lanes, row + 3, l, ti.Vector([m[0, 1], m[0, 2], m[1, 2]]))


@ti.func
def symmetric_at(lanes: ti.template(), row: ti.template(), l):
    """A symmetric matrix from six rows of a lane."""
    return symmetric(vector(lanes, row, l), vector(lanes, row + 3, l))


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
def inverse_of(m):
    """The inverse of a symmetric matrix."""
    a, b, c, d, e, f = m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]
    first = ti.Vector([b * c - f * f, e * f - c * d, d * f - b * e])
    share = 1.0 / (a * first[0] + d * first[1] + e * first[2])
    diagonal = ti.Vector([first[0], a * c - e * e, a * b - d * d])
    return symmetric(diagonal * share, ti.Vector([first[1], first[2], d * e - a * f]) * share)
