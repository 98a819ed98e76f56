# SPDX-License-Identifier: GPL-3.0-or-later
"""Stable neo-Hookean tetrahedra: C_D = √tr(FᵀF), C_H = det F − 1 − μ/λ̂ (Macklin & Müller 2021).

With α_D = 1/(μV) and α_H = 1/(λ̂V) [1/(N·m) = 1/J] they store U = V (μ/2 tr(FᵀF) + λ̂/2 (det F − 1 − μ/λ̂)²). For
F = 1 + ε that is V (μ ε:ε + (λ̂ − μ)/2 tr²ε) to second order, so λ̂ = λ + μ gives the Lamé parameters of the
material. (Their ν without this correction is too small.)

C_D is not 0 at rest: two large stresses balance there. Projected one after the other they do not, so the body
shrinks or swells, and more so with longer substeps; projected together by their 2×2 system they do, but C_D knows
shear only to second order, so shear overshoots when the substep is long for the material. Hence both together, and
not as rows but as the plane of impulses that they span, pulls along F − cof F (shape, 0 at rest) and cof F (volume):

    impulse = −V h² (μ (F − cof F) + λ̂ (det F − 1) cof F) D_m⁻ᵀ     as the substep goes to 0, and

along each of two directions in that plane that are conjugate by the masses, the minimum of the potential of an
implicit step, ½ Δxᵀ M Δx + h² U, with the curvature of U along it (of C_H² by Gauss-Newton, and never below that of
tr(FᵀF)). For a small strain of a tetrahedron that is equally easy to move in every direction this is the whole implicit
step, so the static strain does not depend on h; otherwise the error goes with h².

C_D also has a minimum where the element is a point or nearly so: there |F| pulls, and cof F pushes less. So below
tr(FᵀF) = 1, a third of that at rest, the pull μ F becomes μ tr(FᵀF) F, and no squashed shape is an equilibrium.

Both pulls are torque-free. Stored multipliers are those of the two directions, so further iterations go on to
the equilibrium C_shape + α̃ λ_shape = 0, C_volume + α̃ λ_volume = 0 with α̃ = 1/(μVh²). In PBD mode the step is to the
minimum of U (the limit of a stiff material), and k is the share of it that is taken.

Where a substep has one iteration, ``neo_hookean_single`` does the same at half the price.
"""

import numpy as np
import numpy.typing as npt
import taichi as ti

from .constraint import (
    ACCUMULATE,
    PBD,
    SMALL,
    ConstraintBlock,
    ConstraintType,
    Flow,
    RateDamping,
    moved,
)
from .eigen import symmetric_eigen
from .flow import ELEMENT_COLUMNS, flow_element
from .neo_hookean_single import (
    COMPLIANCE,
    MOBILITY,
    RATIO,
    SIDE_BY_SIDE,
    STILL_RATE,
    WARM_START,
    least_mobility,
    project_neo_hookean_once,
    with_mobilities,
)
from .scaling import compliances
from .tetrahedron_damping import KEPT_NUMBERS, damp_tetrahedron
from .tetrahedron_element import (
    ELEMENT_PARAMETERS,
    SMALLEST_FILL,
    deformation,
    element_parameters,
    impulses,
    lame_parameters,
    pulls,
    rest_rows,
    solid_tetrahedra,
)


@ti.func
def project_neo_hookean(particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()):
    """Project one tetrahedron, by the cheaper way where it is projected once; arguments as in ``constraint``."""
    if ti.static(mode & (PBD | ACCUMULATE)):
        _project_repeatedly(particles, constraints, i, p, m, step, mode)
    else:
        # cold: without WARM nothing is kept for the next substep
        project_neo_hookean_once(particles, constraints, i, p, m, step, 0)


@ti.func
def _project_repeatedly(particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()):
    """Project one tetrahedron in PBD mode, or as one of several iterations."""
    positions = ti.static(particles.positions)
    indices, parameters = ti.static(constraints.indices, constraints.parameters)
    i0, i1, i2, i3 = indices[i], indices[i + 1], indices[i + 2], indices[i + 3]
    x0, x1, x2, x3 = positions[i0], positions[i1], positions[i2], positions[i3]
    q1, q2, q3 = rest_rows(parameters, p)
    ratio = parameters[p + RATIO]
    f1, f2, f3 = deformation(x1.xyz - x0.xyz, x2.xyz - x0.xyz, x3.xyz - x0.xyz, q1, q2, q3)
    n1, n2, n3 = f2.cross(f3), f3.cross(f1), f1.cross(f2)
    swelling = f1.dot(n1) - 1.0
    # stress over μ: shape part, and the factor of cof F; the first fades where the element all but vanishes
    fading = ti.min(f1.dot(f1) + f2.dot(f2) + f3.dot(f3), 1.0)
    d1, d2, d3 = fading * f1 - n1, fading * f2 - n2, fading * f3 - n3
    pressure = ratio * swelling
    # pulls b along the volume, and a along what of the shape is conjugate to it
    b1, b2, b3 = pulls(n1, n2, n3, q1, q2, q3)
    b0 = -(b1 + b2 + b3)
    a1, a2, a3 = pulls(d1, d2, d3, q1, q2, q3)
    a0 = -(a1 + a2 + a3)
    volume_weight = x0[3] * b0.dot(b0) + x1[3] * b1.dot(b1) + x2[3] * b2.dot(b2) + x3[3] * b3.dot(b3)
    turn = x0[3] * a0.dot(b0) + x1[3] * a1.dot(b1) + x2[3] * a2.dot(b2) + x3[3] * a3.dot(b3)
    turn /= volume_weight + SMALL
    a0, a1, a2, a3 = a0 - turn * b0, a1 - turn * b1, a2 - turn * b2, a3 - turn * b3
    pressure += turn
    m0, m1, m2, m3 = x0[3] * a0, x1[3] * a1, x2[3] * a2, x3[3] * a3
    shape_weight = m0.dot(a0) + m1.dot(a1) + m2.dot(a2) + m3.dot(a3)
    # the change of F along a, from which the curvature of U
    s1, s2, s3 = deformation(m1 - m0, m2 - m0, m3 - m0, q1, q2, q3)
    square = s1.dot(s1) + s2.dot(s2) + s3.dot(s3)
    bend = f1.dot(s2.cross(s3)) + f2.dot(s3.cross(s1)) + f3.dot(s1.cross(s2))

    alpha_tilde = SMALL
    if ti.static(not mode & PBD):
        alpha_tilde = parameters[p + COMPLIANCE] * step[0] + SMALL
    size = (x0[3] + x1[3] + x2[3] + x3[3]) * (q1.dot(q1) + q2.dot(q2) + q3.dot(q3))
    # near a line cof F vanishes but its change does not: without the last term the step would be unbounded
    stiffness = (ratio - 1.0 / 3.0) * volume_weight + ratio * ti.abs(swelling) * size / 9.0
    by_volume = 1.0 / (alpha_tilde + stiffness)
    left = ratio * swelling * (1.0 - ratio * volume_weight * by_volume) - 1.0
    tiny = 1e-10 * size + SMALL
    stiffness = square + ti.max(2.0 * left * bend, 0.0) + size * tiny + SMALL
    by_shape = (shape_weight + tiny) / (alpha_tilde * (shape_weight + tiny) + stiffness)
    forces = ti.Vector([shape_weight, pressure])
    shares = ti.Vector([by_shape, by_volume])
    by_shape, by_volume = impulses(constraints, m, forces, shares, alpha_tilde, parameters[p + COMPLIANCE], step, mode)
    positions[i0] = moved(x0, by_shape * a0 + by_volume * b0)
    positions[i1] = moved(x1, by_shape * a1 + by_volume * b1)
    positions[i2] = moved(x2, by_shape * a2 + by_volume * b2)
    positions[i3] = moved(x3, by_shape * a3 + by_volume * b3)


@ti.func
def damp_neo_hookean(particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()):
    """Damp the motion of one tetrahedron; arguments as in ``RateDamping``."""
    ratio, strength = constraints.parameters[p + RATIO], step[0] / constraints.parameters[p + COMPLIANCE]
    damp_tetrahedron(particles, constraints, i, p, m, strength, step[1], 2.0, ratio - 1.0)


@ti.func
def flow_neo_hookean(particles: ti.template(), constraints: ti.template(), i, p, given):
    """Let a tetrahedron have another rest shape, and the mobilities that follow; arguments as in ``Flow``."""
    indices, parameters = ti.static(constraints.indices, constraints.parameters)
    if flow_element(particles, constraints, i, p, given):
        q1, q2, q3 = rest_rows(parameters, p)
        q0 = -(q1 + q2 + q3)
        squares = particles.positions[indices[i]][3] * q0.outer_product(q0)
        squares += particles.positions[indices[i + 1]][3] * q1.outer_product(q1)
        squares += particles.positions[indices[i + 2]][3] * q2.outer_product(q2)
        squares += particles.positions[indices[i + 3]][3] * q3.outer_product(q3)
        mobilities, _ = symmetric_eigen(squares)
        mean, greatest = mobilities.sum() / 3.0, mobilities.max()
        parameters[p + MOBILITY] = ti.select(mean > 0.0, mean, 1.0)
        parameters[p + MOBILITY + 1] = least_mobility(mean, greatest, parameters[p + RATIO])


def evaluate_neo_hookean(positions: npt.NDArray[np.float64], block: ConstraintBlock) -> npt.NDArray[np.float64]:
    """Strains that vanish at rest: |F − cof F| (shape) and det F − 1 (volume) [1], shape (constraints, 2)."""
    corners = positions[block.indices]
    edges = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    gradients = edges @ block.parameters[:, :9].reshape(-1, 3, 3)
    first, second, third = gradients[:, :, 0], gradients[:, :, 1], gradients[:, :, 2]
    cofactors = np.stack([np.cross(second, third), np.cross(third, first), np.cross(first, second)], axis=2)
    volume = (first * cofactors[:, :, 0]).sum(axis=1) - 1.0
    return np.stack([np.linalg.norm(gradients - cofactors, axis=(1, 2)), volume], axis=1)


NEO_HOOKEAN = ConstraintType(
    name="neo_hookean",
    particle_count=4,
    parameters=(
        *ELEMENT_PARAMETERS,
        "λ̂/μ [1]",
        "mobility [1/(kg·m²)]",
        "least mobility",
        "still rate [1/s]",
        "compliance [1/(N·m)]",
    ),
    multiplier_count=2,
    project=project_neo_hookean,
    flow=Flow(flow_neo_hookean, (*ELEMENT_COLUMNS, MOBILITY, MOBILITY + 1)),
    evaluate=evaluate_neo_hookean,
    nanoseconds=50,
    warm_start=WARM_START,
    side_by_side=SIDE_BY_SIDE,
    prepare=with_mobilities,
    scales=compliances(-1.0, "youngs_modulus"),
    rate_damping=RateDamping(damp_neo_hookean, KEPT_NUMBERS),
)


def build_neo_hookean(
    positions: npt.NDArray[np.float64],
    tetrahedra: npt.NDArray[np.int32],
    youngs_modulus: npt.ArrayLike,
    poissons_ratio: npt.ArrayLike,
    fill: npt.ArrayLike = 1.0,
    still_rate: npt.ArrayLike = STILL_RATE,
) -> ConstraintBlock:
    """Make tetrahedra elastic.

    Args:
        positions: rest positions [m], shape (particles, 3).
        tetrahedra: shape (tetrahedra, 4), of any orientation; flat ones are left out.
        youngs_modulus: E [Pa], positive, one for all or shape (tetrahedra,).
        poissons_ratio: ν, 0 to 0.4999, one for all or shape (tetrahedra,).
        fill: share of each tetrahedron that is filled with material, above 0, one for all or shape (tetrahedra,).
        still_rate: of strain up to which a warm start gives no force later [1/s], one for all or shape (tetrahedra,).

    Raises:
        ValueError: E or ν out of range.
    """
    solid = solid_tetrahedra(positions, tetrahedra)
    inverse_edges, volumes = element_parameters(positions, tetrahedra[solid])
    mu, lame = lame_parameters(youngs_modulus, poissons_ratio)
    shares = np.maximum(np.asarray(fill, np.float64), SMALLEST_FILL)
    rates = np.asarray(still_rate, np.float64)
    mu, lame, shares, rates = (np.broadcast_to(values, solid.shape)[solid] for values in (mu, lame, shares, rates))
    unprepared = np.full((len(volumes), 2), np.nan)
    columns = (inverse_edges, (lame + mu) / mu, unprepared, rates, 1.0 / (mu * volumes * shares))
    return ConstraintBlock(NEO_HOOKEAN, tetrahedra[solid], np.column_stack(columns))
