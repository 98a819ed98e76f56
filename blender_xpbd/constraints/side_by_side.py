# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of several constraints, or strands, side by side: one loop over lanes does the same for all of them.

Rows of lanes lie one after the other in a variable of a kernel, a number per lane in each. Nothing else can change
it, and a loop over lanes indexes it. So the compiler takes two, four or eight lanes at a time, as the processor has
them. Arrays it would not, for it does not know which of them are the same.
"""

import taichi as ti

from .lanes import LARGEST_PLACE

# what is solved side by side; a processor takes two, four or eight numbers at a time
LANES = 8


@ti.func
def fetch(values: ti.template(), first, lanes: ti.template(), rows: ti.template()):
    """Rows of lanes from an array."""
    fetch_after(values, first, lanes, 0, rows)


@ti.func
def fetch_after(values: ti.template(), first, lanes: ti.template(), begin: ti.template(), rows: ti.template()):
    """The first rows of lanes from an array, but for those before ``begin``."""
    for row in range(ti.static(begin), ti.static(rows)):
        start = (first + row * LANES) & LARGEST_PLACE
        found = ti.Vector([values[start + lane] for lane in ti.static(range(LANES))])
        for lane in ti.static(range(LANES)):
            lanes[row * LANES + lane] = found[lane]


@ti.func
def keep(values: ti.template(), first, lanes: ti.template(), rows: ti.template()):
    """Rows of lanes to an array."""
    keep_after(values, first, lanes, 0, rows)


@ti.func
def keep_after(values: ti.template(), first, lanes: ti.template(), begin: ti.template(), rows: ti.template()):
    """The first rows of lanes to an array, but for those before ``begin``."""
    for row in range(ti.static(begin), ti.static(rows)):
        start = (first + row * LANES) & LARGEST_PLACE
        found = ti.Vector([lanes[row * LANES + lane] for lane in ti.static(range(LANES))])
        for lane in ti.static(range(LANES)):
            values[start + lane] = found[lane]


@ti.func
def clear(lanes: ti.template(), rows: ti.template()):
    """Rows of 0."""
    for n in range(ti.static(rows * LANES)):
        lanes[n] = 0.0


@ti.func
def gather(array: ti.template(), indices: ti.template(), first, count, lanes: ti.template(), row: ti.template()):
    """4-vectors of ``count`` strands by their numbers from ``first`` on; lanes without a strand repeat the last one."""
    found = ti.Matrix.rows([array[indices[first + ti.min(lane, count - 1)]] for lane in ti.static(range(LANES))])
    # lane by lane they would be written number by number, and what reads a row as a whole would wait for all of them
    for axis, lane in ti.static(ti.ndrange(4, LANES)):
        lanes[(row + axis) * LANES + lane] = found[lane, axis]


@ti.func
def scatter(array: ti.template(), indices: ti.template(), first, count, lanes: ti.template()):
    """Write them."""
    for lane in range(count):
        array[indices[first + lane]] = four(lanes, 0, lane)


@ti.func
def number(lanes: ti.template(), row: ti.template(), lane):
    """A row of a lane."""
    return lanes[row * LANES + lane]


@ti.func
def vector(lanes: ti.template(), row: ti.template(), lane):
    """Three rows of a lane."""
    return ti.Vector([lanes[row * LANES + lane], lanes[(row + 1) * LANES + lane], lanes[(row + 2) * LANES + lane]])


@ti.func
def four(lanes: ti.template(), row: ti.template(), lane):
    """Four rows of a lane."""
    v = vector(lanes, row, lane)
    return ti.Vector([v[0], v[1], v[2], lanes[(row + 3) * LANES + lane]])


@ti.func
def put(lanes: ti.template(), row: ti.template(), lane, v):
    """Write three rows of a lane."""
    for axis in ti.static(range(3)):
        lanes[(row + axis) * LANES + lane] = v[axis]


@ti.func
def put_four(lanes: ti.template(), row: ti.template(), lane, v):
    """Write four rows of a lane."""
    for axis in ti.static(range(4)):
        lanes[(row + axis) * LANES + lane] = v[axis]


@ti.func
def matrix(lanes: ti.template(), row: ti.template(), lane):
    """Nine rows of a lane: those of a matrix one after the other."""
    a, b, c = vector(lanes, row, lane), vector(lanes, row + 3, lane), vector(lanes, row + 6, lane)
    return ti.Matrix([[a[0], a[1], a[2]], [b[0], b[1], b[2]], [c[0], c[1], c[2]]])


@ti.func
def put_matrix(lanes: ti.template(), row: ti.template(), lane, m):
    """Write them."""
    for r in ti.static(range(3)):
        for c in ti.static(range(3)):
            lanes[(row + 3 * r + c) * LANES + lane] = m[r, c]


@ti.func
def put_symmetric(lanes: ti.template(), row: ti.template(), lane, m):
    """Write six rows of a lane: the diagonal of a symmetric matrix, and what is below it."""
    put(lanes, row, lane, ti.Vector([m[0, 0], m[1, 1], m[2, 2]]))
    put(lanes, row + 3, lane, ti.Vector([m[0, 1], m[0, 2], m[1, 2]]))


@ti.func
def symmetric_at(lanes: ti.template(), row: ti.template(), lane):
    """A symmetric matrix from six rows of a lane."""
    return symmetric(vector(lanes, row, lane), vector(lanes, row + 3, lane))


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
def times(a, b):
    """A @ b, of which Taichi begins each number with a zero that is computed and added."""
    result = ti.Matrix.zero(float, 3, 3)
    for r, c in ti.static(ti.ndrange(3, 3)):
        result[r, c] = a[r, 0] * b[0, c] + a[r, 1] * b[1, c] + a[r, 2] * b[2, c]
    return result


@ti.func
def applied(a, v):
    """A @ v, likewise."""
    return ti.Vector([a[n, 0] * v[0] + a[n, 1] * v[1] + a[n, 2] * v[2] for n in ti.static(range(3))])


@ti.func
def squared(v, share):
    """The symmetric matrix share v vᵀ, each of its six numbers computed once."""
    w = share * v
    return symmetric(
        ti.Vector([v[0] * w[0], v[1] * w[1], v[2] * w[2]]), ti.Vector([v[0] * w[1], v[0] * w[2], v[1] * w[2]])
    )


@ti.func
def below_of(a, b):
    """A bᵀ where that, or the sum that it is a part of, is symmetric: of what is beside its diagonal only one half."""
    diagonal, below = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
    for n in ti.static(range(3)):
        r, c = ti.static(((0, 1), (0, 2), (1, 2))[n])
        diagonal[n] = a[n, 0] * b[n, 0] + a[n, 1] * b[n, 1] + a[n, 2] * b[n, 2]
        below[n] = a[r, 0] * b[c, 0] + a[r, 1] * b[c, 1] + a[r, 2] * b[c, 2]
    return symmetric(diagonal, below)


@ti.func
def with_diagonal(m, number):
    """A matrix to whose diagonal a number is added: times the identity, zeros would be multiplied and added, too."""
    result = m
    for n in ti.static(range(3)):
        result[n, n] += number
    return result


@ti.func
def inverse_of(m):
    """The inverse of a symmetric matrix."""
    a, b, c, d, e, f = m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]
    first = ti.Vector([b * c - f * f, e * f - c * d, d * f - b * e])
    share = 1.0 / (a * first[0] + d * first[1] + e * first[2])
    diagonal = ti.Vector([first[0], a * c - e * e, a * b - d * d])
    return symmetric(diagonal * share, ti.Vector([first[1], first[2], d * e - a * f]) * share)
