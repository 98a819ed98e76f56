# SPDX-License-Identifier: GPL-3.0-or-later
"""The projection of C = Σ cⱼ xⱼ [m], three rows, with coefficients that sum to 0: what several constraints are.

∇ⱼC of row r is cⱼ times the axis r, so the gradients of the rows are orthogonal, Σ w|∇C|² = Σ wⱼ cⱼ² is the same for
all three, and they are solved at once. C is linear: one projection is exact.
"""

import taichi as ti

from .constraint import (
    DAMPED,
    PBD,
    REPEATED,
    SMALL,
    damping_share,
    keep_multiplier,
    keep_reached,
    reached_before,
    read_multiplier,
)


@ti.func
def solve_rows(constraints: ti.template(), m, value, weight, compliance, damping_time, step, mode: ti.template()):
    """The steps of the three multipliers [m kg], which are kept.

    Args:
        constraints: the pack.
        m: place of the first multiplier, three before the memory.
        value: C [m], a 4-vector that ends in 0.
        weight: Σ w|∇C|² of each row [1/kg].
        compliance: α [m/N].
        damping_time: τ [s]; only read where DAMPED.
        step: as in ``constraint``.
        mode: as in ``constraint``, not PBD.
    """
    alpha_tilde = compliance * step[0]
    force, size = value, weight
    if ti.static(mode & REPEATED):
        for row in ti.static(range(3)):
            force[row] += alpha_tilde * read_multiplier(constraints, m + row, step, mode)
    if ti.static(mode & DAMPED):
        gamma = damping_share(damping_time, step, mode)
        for row in ti.static(range(3)):
            before = reached_before(constraints, m + 3 + row, 3, value[row], step, mode)
            force[row] += gamma * (value[row] - before)
        size *= 1.0 + gamma
    # the gradients of the rows are orthogonal, so the rows are solved at once
    delta = -1.0 / (size + alpha_tilde + SMALL) * force
    for row in ti.static(range(3)):
        multiplier = read_multiplier(constraints, m + row, step, mode)
        keep_multiplier(constraints, m + row, mode, multiplier + delta[row])
        if ti.static(mode & DAMPED):
            keep_reached(constraints, m + 3 + row, 3, value[row] + weight * delta[row], mode)
    return delta


@ti.func
def project_weighted_sum(
    particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template(), count: ti.template()
):
    """Project one sum over ``count`` particles; further arguments as in ``constraint``.

    Parameters are the coefficients, then the compliance. Only the first particle may come again, with the
    coefficient 0.
    """
    positions, previous_positions = ti.static(particles.positions, particles.previous_positions)
    indices, parameters = ti.static(constraints.indices, constraints.parameters)
    # relative to one particle: coefficients rounded to float32 do not quite sum to 0
    first = positions[indices[i]]
    value = ti.Vector([0.0, 0.0, 0.0, 0.0])
    weight = 0.0
    for k in ti.static(range(count)):
        c, x = parameters[p + k], positions[indices[i + k]]
        value += c * (x - first)
        weight += c * c * x[3]
    value[3] = 0.0
    delta = ti.Vector([0.0, 0.0, 0.0, 0.0])
    if ti.static(mode & PBD):
        delta = -parameters[p + count] / (weight + SMALL) * value
    else:
        damping_time = 0.0
        if ti.static(mode & DAMPED):
            for k in ti.static(range(count)):
                damping_time += previous_positions[indices[i + k]][3] / count
        delta = solve_rows(constraints, m, value, weight, parameters[p + count], damping_time, step, mode)
    moved = ti.Matrix.zero(float, count, 4)
    for k in ti.static(range(count)):
        x = positions[indices[i + k]]
        share = parameters[p + k] * x[3]
        for lane in ti.static(range(4)):
            moved[k, lane] = x[lane] + share * delta[lane]
    # all are read before one is written, and the first is written last, since others may repeat it
    for k in ti.static(range(count)):
        last = ti.static(count - 1 - k)
        positions[indices[i + last]] = ti.Vector([moved[last, 0], moved[last, 1], moved[last, 2], moved[last, 3]])
