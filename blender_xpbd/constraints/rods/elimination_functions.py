# SPDX-License-Identifier: GPL-3.0-or-later
"""A sparse symmetric positive definite system, factorized and solved by one thread; see ``geometry.elimination``.

``indices`` holds starts, rows and targets of the elimination one after the other from ``pattern`` on, ``values`` the
diagonal and the entries below it from ``first`` on, which become D and L.

One thread does all of it, so nothing is written ``a[i] -= b``, of which Taichi makes atomic instructions.
"""

import taichi as ti


@ti.func
def factorize(indices: ti.template(), values: ti.template(), pattern, count, first):
    """L D Lᵀ in place of the matrix; each D is kept as its inverse."""
    rows = pattern + count + 1
    target = rows + indices[pattern + count]
    entries = first + count
    for k in range(count):
        inverse = 1.0 / values[first + k]
        values[first + k] = inverse
        begin, end = indices[pattern + k], indices[pattern + k + 1]
        for n in range(begin, end):
            entry = values[entries + n]
            share = entry * inverse
            values[entries + n] = share
            # the entries before this one are shares by now, this one and those after it are still the matrix's
            place = first + indices[target]
            values[place] = values[place] - share * entry
            target += 1
            for other in range(n + 1, end):
                place = first + indices[target]
                values[place] = values[place] - share * values[entries + other]
                target += 1


@ti.func
def substitute(indices: ti.template(), values: ti.template(), pattern, count, first, side, width: ti.template()):
    """The solution in place of the right hand sides, ``width`` of them for each row, from ``side`` on."""
    rows = pattern + count + 1
    entries = first + count
    for k in range(count):
        for n in range(indices[pattern + k], indices[pattern + k + 1]):
            row = indices[rows + n]
            for axis in ti.static(range(width)):
                place = side + width * row + axis
                values[place] = values[place] - values[entries + n] * values[side + width * k + axis]
    for reverse in range(count):
        k = count - 1 - reverse
        total = ti.Vector([0.0] * width)
        for axis in ti.static(range(width)):
            total[axis] = values[first + k] * values[side + width * k + axis]
        for n in range(indices[pattern + k], indices[pattern + k + 1]):
            row = indices[rows + n]
            for axis in ti.static(range(width)):
                total[axis] -= values[entries + n] * values[side + width * row + axis]
        for axis in ti.static(range(width)):
            values[side + width * k + axis] = total[axis]
