# SPDX-License-Identifier: GPL-3.0-or-later
"""Co-rotated linear tetrahedra: C_shape = |F − R| and C_volume = tr(RᵀF) − 3 [1], in one projection.

With α_shape = 1/(2μV) and α_volume = 1/(λV) [1/(N·m)] they store U = V (μ |F − R|² + λ/2 tr²(RᵀF − 1)), R being the
rotation nearest to F (Müller & Gross 2004, "Interactive virtual materials"; Sifakis & Barbič 2012, ch. 3.4): the linear
law of the Lamé parameters μ and λ in the frame of R. ν = 0 leaves the as-rigid-as-possible energy. F − R counts as one
constraint whose gradient (F − R)/C_shape is that of a length, since R minimises |F − R|.

Solved like the stable neo-Hookean tetrahedra, see there: impulses 2μ (F − R) and λ tr(RᵀF − 1) R, made
conjugate by the masses, each to the minimum of the potential of one implicit step. Volume is a linear measure here: it
resists less and less as a tetrahedron is squashed, and an inverted one has two rotations to choose from.
"""

import numpy as np
import numpy.typing as npt
import taichi as ti

from .constraint import (
    PBD,
    SMALL,
    ConstraintBlock,
    ConstraintType,
    RateDamping,
    moved,
)
from .flow import FLOWING_ELEMENT
from .rotation import nearest_rotation
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
def project_corotated(particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()):
    """Project one tetrahedron; arguments as in ``constraint``."""
    positions = ti.static(particles.positions)
    indices, parameters = ti.static(constraints.indices, constraints.parameters)
    i0, i1, i2, i3 = indices[i], indices[i + 1], indices[i + 2], indices[i + 3]
    x0, x1, x2, x3 = positions[i0], positions[i1], positions[i2], positions[i3]
    q1, q2, q3 = rest_rows(parameters, p)
    ratio = parameters[p + 9]
    f1, f2, f3 = deformation(x1.xyz - x0.xyz, x2.xyz - x0.xyz, x3.xyz - x0.xyz, q1, q2, q3)
    rotation = nearest_rotation(ti.Matrix.cols([f1, f2, f3]))
    n1 = ti.Vector([rotation[0, 0], rotation[1, 0], rotation[2, 0]])
    n2 = ti.Vector([rotation[0, 1], rotation[1, 1], rotation[2, 1]])
    n3 = ti.Vector([rotation[0, 2], rotation[1, 2], rotation[2, 2]])
    # stress over 2μ: shape part, and the factor of R
    d1, d2, d3 = f1 - n1, f2 - n2, f3 - n3
    pressure = ratio * (n1.dot(d1) + n2.dot(d2) + n3.dot(d3))
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
    # the change of F along a, from which the curvature of U (without that of R, which only lowers it)
    s1, s2, s3 = deformation(m1 - m0, m2 - m0, m3 - m0, q1, q2, q3)

    alpha_tilde = SMALL
    if ti.static(not mode & PBD):
        alpha_tilde = parameters[p + 10] * step[0] + SMALL
    tiny = 1e-10 * volume_weight + SMALL
    square = s1.dot(s1) + s2.dot(s2) + s3.dot(s3) + volume_weight * tiny
    by_shape = 1.0 / (alpha_tilde + square / (shape_weight + tiny))
    by_volume = 1.0 / (alpha_tilde + (ratio + 1.0 / 3.0) * volume_weight)
    forces = ti.Vector([shape_weight, pressure])
    shares = ti.Vector([by_shape, by_volume])
    by_shape, by_volume = impulses(constraints, m, forces, shares, alpha_tilde, parameters[p + 10], step, mode)
    positions[i0] = moved(x0, by_shape * a0 + by_volume * b0)
    positions[i1] = moved(x1, by_shape * a1 + by_volume * b1)
    positions[i2] = moved(x2, by_shape * a2 + by_volume * b2)
    positions[i3] = moved(x3, by_shape * a3 + by_volume * b3)


@ti.func
def damp_corotated(particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()):
    """Damp the motion of one tetrahedron; arguments as in ``RateDamping``."""
    ratio, strength = constraints.parameters[p + 9], step[0] / constraints.parameters[p + 10]
    damp_tetrahedron(particles, constraints, i, p, m, strength, step[1], 1.0, ratio)


def evaluate_corotated(positions: npt.NDArray[np.float64], block: ConstraintBlock) -> npt.NDArray[np.float64]:
    """C_shape and C_volume of all constraints [1], shape (constraints, 2)."""
    corners = positions[block.indices]
    edges = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    gradients = edges @ block.parameters[:, :9].reshape(-1, 3, 3)
    left, _, right = np.linalg.svd(gradients)
    # a rotation, not a reflection: turn the axis of the least singular value round
    left[:, :, 2] *= np.sign(np.linalg.det(left @ right))[:, None]
    rotations = left @ right
    volume = (rotations * gradients).sum(axis=(1, 2)) - 3.0
    return np.stack([np.linalg.norm(gradients - rotations, axis=(1, 2)), volume], axis=1)


COROTATED = ConstraintType(
    name="corotated",
    particle_count=4,
    parameters=(*ELEMENT_PARAMETERS, "λ/(2μ) [1]", "compliance [1/(N·m)]"),
    multiplier_count=2,
    project=project_corotated,
    flow=FLOWING_ELEMENT,
    evaluate=evaluate_corotated,
    nanoseconds=200,
    scales=compliances(-1.0, "youngs_modulus"),
    rate_damping=RateDamping(damp_corotated, KEPT_NUMBERS),
)


def build_corotated(
    positions: npt.NDArray[np.float64],
    tetrahedra: npt.NDArray[np.int32],
    youngs_modulus: npt.ArrayLike,
    poissons_ratio: npt.ArrayLike,
    fill: npt.ArrayLike = 1.0,
) -> ConstraintBlock:
    """Make tetrahedra elastic.

    Args:
        positions: rest positions [m], shape (particles, 3).
        tetrahedra: shape (tetrahedra, 4), of any orientation; flat ones are left out.
        youngs_modulus: E [Pa], positive, one for all or shape (tetrahedra,).
        poissons_ratio: ν, 0 to 0.4999, one for all or shape (tetrahedra,); 0 is as rigid as possible.
        fill: share of each tetrahedron that is filled with material, above 0, one for all or shape (tetrahedra,).

    Raises:
        ValueError: E or ν out of range.
    """
    solid = solid_tetrahedra(positions, tetrahedra)
    inverse_edges, volumes = element_parameters(positions, tetrahedra[solid])
    mu, lame = lame_parameters(youngs_modulus, poissons_ratio)
    shares = np.maximum(np.asarray(fill, np.float64), SMALLEST_FILL)
    mu, lame, shares = (np.broadcast_to(values, solid.shape)[solid] for values in (mu, lame, shares))
    columns = (inverse_edges, lame / (2.0 * mu), 1.0 / (2.0 * mu * volumes * shares))
    return ConstraintBlock(COROTATED, tetrahedra[solid], np.column_stack(columns))
