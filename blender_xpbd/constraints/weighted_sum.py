# SPDX-License-Identifier: GPL-3.0-or-later
"""The projection of C = Σ cⱼ xⱼ [m], three rows, with coefficients that sum to 0: what several constraints are.

∇ⱼC of row r is cⱼ times the axis r, so the gradients of the rows are orthogonal, Σ w|∇C|² = Σ wⱼ cⱼ² is the same for
all three, and they are solved at once. C is linear: one projection is exact.
"""

import taichi as ti

from .constraint import DAMPED, PBD, SMALL, keep_multiplier, moved, read_multiplier


@ti.func
def project_weighted_sum(
    positions: ti.template(),
    previous_positions: ti.template(),
    indices: ti.template(),
    parameters: ti.template(),
    lagrange_multipliers: ti.template(),
    i,
    p,
    m,
    step,
    mode: ti.template(),
    count: ti.template(),
):
    """Project one sum over ``count`` particles; further arguments as in ``constraint``.

    Parameters are the coefficients, then the compliance. A particle that comes twice may have one coefficient
    other than 0.
    """
    # relative to one particle: coefficients rounded to float32 do not quite sum to 0
    first = positions[indices[i]]
    value = ti.Vector([0.0, 0.0, 0.0])
    weight = 0.0
    for k in ti.static(range(count)):
        c, x = parameters[p + k], positions[indices[i + k]]
        value += c * (x - first).xyz
        weight += c * c * x[3]
    delta = ti.Vector([0.0, 0.0, 0.0])
    if ti.static(mode & PBD):
        delta = -parameters[p + count] * value / (weight + SMALL)
    else:
        alpha_tilde = parameters[p + count] * step[0]
        multiplier = ti.Vector([0.0, 0.0, 0.0])
        for row in ti.static(range(3)):
            multiplier[row] = read_multiplier(lagrange_multipliers, m + row, step, mode)
        force = value + alpha_tilde * multiplier
        if ti.static(mode & DAMPED):
            rate = ti.Vector([0.0, 0.0, 0.0])
            damping_time = 0.0
            for k in ti.static(range(count)):
                before = previous_positions[indices[i + k]]
                rate += parameters[p + k] * (positions[indices[i + k]] - before).xyz
                damping_time += before[3] / count
            gamma = damping_time * step[2]
            force += gamma * rate
            weight *= 1.0 + gamma
        delta = -force / (weight + alpha_tilde + SMALL)
        for row in ti.static(range(3)):
            keep_multiplier(lagrange_multipliers, m + row, mode, multiplier[row] + delta[row])
    for k in ti.static(range(count)):
        positions[indices[i + k]] = moved(positions[indices[i + k]], parameters[p + k] * delta)
