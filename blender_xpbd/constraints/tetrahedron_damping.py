# SPDX-License-Identifier: GPL-3.0-or-later
"""Material damping of elastic tetrahedra, in the velocities at the end of a substep: a solid of Kelvin and Voigt.

With the rate of the Green strain D = sym(Fᵀ Ḟ), linear in the velocities v, a damping time τ adds the stress τ (2μ D +
λ tr D) to the one that makes Green strains. It pulls corner i along g_i = F S qᵢ, see ``tetrahedron_element``. Rigid
motion has D = 0, F times a symmetric S gives no torque, and what rests has v = 0: its shape is that without damping.

The stress is that of the velocities which it leaves, so what is fast does not overshoot. Its impulses solve a linear
system, whose energy a sweep lowers tetrahedron by tetrahedron: shape (S) and volume (p) one after the other, each by
the exact step along what is missing of it. A single sweep carries strong damping only to the next tetrahedra. So each
begins with the impulses of the substep before: all are given again (KEPT) before any is mended (MENDED). What moves
slowly is then damped as the material says; what the impulses lag behind, by V h τ Σ w|g|² / (S : S) substeps, is
damped less.
"""

import taichi as ti

from .constraint import SMALL
from .tetrahedron_element import deformation, pulls, rest_rows

# what is kept of a tetrahedron: S by its columns 11, 22, 33, 12, 13, 23, then p [J s]
KEPT_NUMBERS = 7


@ti.func
def damp_tetrahedron(particles: ti.template(), constraints: ti.template(), i, p, m, strength, phase, shear, bulk):
    """Damp the rate of the strain of one tetrahedron.

    Args:
        particles: the pack.
        constraints: the pack.
        i: where its particles begin in the indices.
        p: where its inverse rest edges begin in the parameters.
        m: where its kept impulses begin.
        strength: h over the compliance [J s per s of damping time].
        phase: 0 to give what is kept, 1 to mend it.
        shear: 2μV times the compliance.
        bulk: λV times the compliance.
    """
    past, indices = ti.static(particles.previous_positions, constraints.indices)
    time = 0.25 * (past[indices[i]][3] + past[indices[i + 1]][3] + past[indices[i + 2]][3] + past[indices[i + 3]][3])
    if time > 0.0:
        _give(particles, constraints, i, p, m, strength * time, phase, ti.Vector([shear, bulk]))
    else:
        # a track may take it up again
        for number in ti.static(range(KEPT_NUMBERS)):
            constraints.lagrange_multipliers[m + number] = 0.0


@ti.func
def _give(particles: ti.template(), constraints: ti.template(), i, p, m, strength, phase, moduli):
    """Give or mend the impulses of a tetrahedron that is damped; ``strength`` [J s] has its damping time in it."""
    shear, bulk = moduli[0], moduli[1]
    positions, velocities = ti.static(particles.positions, particles.velocities)
    indices, kept = ti.static(constraints.indices, constraints.lagrange_multipliers)
    i0, i1, i2, i3 = indices[i], indices[i + 1], indices[i + 2], indices[i + 3]
    x0, x1, x2, x3 = positions[i0], positions[i1], positions[i2], positions[i3]
    q1, q2, q3 = rest_rows(constraints.parameters, p)
    f1, f2, f3 = deformation(x1.xyz - x0.xyz, x2.xyz - x0.xyz, x3.xyz - x0.xyz, q1, q2, q3)
    diagonal = ti.Vector([kept[m], kept[m + 1], kept[m + 2]])
    others = ti.Vector([kept[m + 3], kept[m + 4], kept[m + 5]])
    pressure = kept[m + 6]
    if phase > 0.0:
        v0, v1, v2, v3 = velocities[i0].xyz, velocities[i1].xyz, velocities[i2].xyz, velocities[i3].xyz
        r1, r2, r3 = deformation(v1 - v0, v2 - v0, v3 - v0, q1, q2, q3)
        rates = ti.Vector([f1.dot(r1), f2.dot(r2), f3.dot(r3)])
        turns = 0.5 * ti.Vector([f1.dot(r2) + f2.dot(r1), f1.dot(r3) + f3.dot(r1), f2.dot(r3) + f3.dot(r2)])
        # what is missing of S, and the step along it
        d, e = strength * shear * rates - diagonal, strength * shear * turns - others
        g1, g2, g3 = _pulls(d, e, f1, f2, f3, q1, q2, q3)
        b1, b2, b3 = pulls(f1, f2, f3, q1, q2, q3)
        g0, b0 = -(g1 + g2 + g3), -(b1 + b2 + b3)
        square = d.dot(d) + 2.0 * e.dot(e)
        weight = x0[3] * g0.dot(g0) + x1[3] * g1.dot(g1) + x2[3] * g2.dot(g2) + x3[3] * g3.dot(g3)
        both = x0[3] * g0.dot(b0) + x1[3] * g1.dot(b1) + x2[3] * g2.dot(b2) + x3[3] * g3.dot(b3)
        volume_weight = x0[3] * b0.dot(b0) + x1[3] * b1.dot(b1) + x2[3] * b2.dot(b2) + x3[3] * b3.dot(b3)
        share = square / (square + strength * shear * weight + SMALL)
        missing = strength * bulk * (rates.sum() - share * both) - pressure
        missing /= 1.0 + strength * bulk * volume_weight
        # from here on what is given
        diagonal, others = share * d, share * e
        kept[m], kept[m + 1], kept[m + 2] = kept[m] + diagonal[0], kept[m + 1] + diagonal[1], kept[m + 2] + diagonal[2]
        kept[m + 3], kept[m + 4], kept[m + 5] = (
            kept[m + 3] + others[0],
            kept[m + 4] + others[1],
            kept[m + 5] + others[2],
        )
        kept[m + 6] = pressure + missing
        pressure = missing
    diagonal += pressure
    g1, g2, g3 = _pulls(diagonal, others, f1, f2, f3, q1, q2, q3)
    _slow(velocities, i0, -x0[3] * (g1 + g2 + g3))
    _slow(velocities, i1, x1[3] * g1)
    _slow(velocities, i2, x2[3] * g2)
    _slow(velocities, i3, x3[3] * g3)


@ti.func
def _pulls(diagonal, others, f1, f2, f3, q1, q2, q3):
    """g₁, g₂, g₃ of a symmetric S."""
    return pulls(
        diagonal[0] * f1 + others[0] * f2 + others[1] * f3,
        others[0] * f1 + diagonal[1] * f2 + others[2] * f3,
        others[1] * f1 + others[2] * f2 + diagonal[2] * f3,
        q1,
        q2,
        q3,
    )


@ti.func
def _slow(velocities: ti.template(), i, change):
    v = velocities[i]
    velocities[i] = ti.Vector([v[0] - change[0], v[1] - change[1], v[2] - change[2], v[3]])
