# SPDX-License-Identifier: GPL-3.0-or-later
"""Stable neo-Hookean tetrahedra projected once per substep: half the work of ``neo_hookean``, the same solid.

Where a substep has a single iteration nothing need be found but one good impulse. It is derived from the implicit step
of one tetrahedron in the space of its F: an impulse −β P qᵢ on every corner, β = μ V h², moves F by −β P A with
A = Σ wᵢ qᵢ qᵢᵀ over the four corners, so the stress at the end of the step (over μ, to first order) is

    P = (1 + β A H)⁻¹ P₀,    P₀ = F + (r s − 1) n,    n = cof F,  s = det F − 1,  r = λ̂/μ

with the Hessian H = 1 + r n⊗n + (r s − 1) ∂n/∂F. Two approximations make that scalar:

- A ≈ a = tr A / 3, exact for a regular tetrahedron of equal masses;
- H has one curvature along n and one across it. Along n, r n·n and the rest's (1 − 2) at F = 1, spread as −n·n/3,
  and as det F departs from 1 up to |r s| |∂n/∂F|. Across n, 1 + |r s − 1| |∂n/∂F|, with the r s that the step along n
  leaves, and never below that of rest, which is 2. The eigenvalues of ∂n/∂F are as large as the stretches, √(F:F/3);
  those of either sign count as positive, so steps rather stop short of the minimum.

So P₀ is split into the part along n and the part across it, and each is divided by 1 + β a κ. Both are combinations
of F and cof F, hence free of torque. At rest both vanish, so a body without load has its volume at every substep; and
for a small strain of a regular tetrahedron this is the whole implicit step, as in ``neo_hookean``. That one finds
besides the curvature along the very impulse, which a single iteration does not need.

The pull of a vanishing element fades and the damping is that of Kelvin and Voigt, see ``neo_hookean``.
"""

import taichi as ti

from .constraint import DAMPED, SMALL, moved
from .tetrahedron_element import damping_stress, deformation, pulls, rest_rows

# share of (F:F)² − 3 n·n ≥ 0, which is 0 for equal stretches, that keeps the split defined for an element like a line
LINE_SHARE = 1e-3


@ti.func
def project_neo_hookean_once(
    positions: ti.template(),
    previous_positions: ti.template(),
    indices: ti.template(),
    parameters: ti.template(),
    i,
    p,
    step,
    mode: ti.template(),
):
    """Project one tetrahedron of ``NEO_HOOKEAN`` in XPBD mode; arguments as in ``constraint``."""
    i0, i1, i2, i3 = indices[i], indices[i + 1], indices[i + 2], indices[i + 3]
    x0, x1, x2, x3 = positions[i0], positions[i1], positions[i2], positions[i3]
    q1, q2, q3 = rest_rows(parameters, p)
    ratio = parameters[p + 9]
    f1, f2, f3 = deformation(x1.xyz - x0.xyz, x2.xyz - x0.xyz, x3.xyz - x0.xyz, q1, q2, q3)
    n1, n2, n3 = f2.cross(f3), f3.cross(f1), f1.cross(f2)
    swelling = f1.dot(n1) - 1.0
    squares = f1.dot(f1) + f2.dot(f2) + f3.dot(f3)
    area = n1.dot(n1) + n2.dot(n2) + n3.dot(n3)
    split = area + LINE_SHARE * ti.max(squares * squares - 3.0 * area, 0.0) + SMALL
    fading = ti.min(squares, 1.0)
    d1, d2, d3 = fading * f1, fading * f2, fading * f3
    along = fading * 3.0 * (swelling + 1.0)
    pressure = ratio * swelling - 1.0
    gamma = 0.0
    if ti.static(mode & DAMPED):
        p0, p1, p2, p3 = previous_positions[i0], previous_positions[i1], previous_positions[i2], previous_positions[i3]
        gamma = 0.25 * (p0[3] + p1[3] + p2[3] + p3[3]) * step[2]
        e1, e2, e3 = deformation(p1.xyz - p0.xyz, p2.xyz - p0.xyz, p3.xyz - p0.xyz, q1, q2, q3)
        r1, r2, r3 = damping_stress(f1, f2, f3, e1, e2, e3)
        d1, d2, d3 = d1 + gamma * r1, d2 + gamma * r2, d3 + gamma * r3
        along += gamma * (r1.dot(n1) + r2.dot(n2) + r3.dot(n3))
        pressure += gamma * (ratio - 1.0) * (swelling + 1.0 - e1.dot(e2.cross(e3)))
    along /= split
    pressure += along
    q0 = q1 + q2 + q3
    mobility = (x0[3] * q0.dot(q0) + x1[3] * q1.dot(q1) + x2[3] * q2.dot(q2) + x3[3] * q3.dot(q3)) / 3.0
    alpha_tilde = parameters[p + 10] * step[0] + SMALL
    stretch = ti.sqrt(squares / 3.0)
    curvature = (ratio - 1.0 / 3.0) * (1.0 + gamma) * area + ratio * ti.abs(swelling) * stretch
    by_volume = 1.0 / (alpha_tilde + mobility * curvature)
    left = ti.abs(ratio * swelling * alpha_tilde * by_volume - 1.0)
    curvature = 1.0 + 2.0 * gamma * ti.max(squares / 3.0, 1.0) + stretch * ti.max(left, 1.0)
    by_shape = 1.0 / (alpha_tilde + mobility * curvature)
    by_volume = by_volume * pressure - by_shape * along
    d1, d2, d3 = by_shape * d1 + by_volume * n1, by_shape * d2 + by_volume * n2, by_shape * d3 + by_volume * n3
    g1, g2, g3 = pulls(d1, d2, d3, q1, q2, q3)
    positions[i0] = moved(x0, g1 + g2 + g3)
    positions[i1] = moved(x1, -g1)
    positions[i2] = moved(x2, -g2)
    positions[i3] = moved(x3, -g3)
