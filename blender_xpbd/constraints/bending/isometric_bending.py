# SPDX-License-Identifier: GPL-3.0-or-later
"""Isometric (quadratic) bending: C = Σ Kⱼ xⱼ [m], three rows, compliance α [m/N]; the rest state is flat.

The energy of a hinge is quadratic while the triangles keep their shape, E = ½ k xᵀQx with Q ∝ KᵀK/(A₁+A₂) and K made
of the cotangents of the angles at the hinge's edge (Bergou et al. 2006, "A quadratic bending model for inextensible
surfaces", §2). So E = |Kx|²/(2α): three linear rows instead of the usual C = √(2E), whose gradient has no direction
where the cloth is flat. For small angles |Kx| = l θ, so C is the fold's angle times its edge l, and α is l² times
the compliance of dihedral bending.

Dihedral bending knows any rest angle, and its torque grows with the angle. This one pulls towards flat only, with
the sine of the angle: most at a right angle, and not at all where the cloth is folded onto itself.
"""

import numpy as np
import numpy.typing as npt
import taichi as ti

from ..constraint import ConstraintBlock, ConstraintType
from ..scaling import compliances
from ..weighted_sum import project_weighted_sum
from .dihedral_bending import hinge_compliance

# a triangle thinner than this (twice its area over the square of its longest side) has no cotangents to speak of
THINNEST = 1e-6


@ti.func
def project_isometric_bending(particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()):
    """Project one hinge; arguments as in ``constraint``."""
    project_weighted_sum(particles, constraints, i, p, m, step, mode, 4)


def evaluate_isometric_bending(positions: npt.NDArray[np.float64], block: ConstraintBlock) -> npt.NDArray[np.float64]:
    """C of all constraints [m], shape (constraints, 3)."""
    return np.einsum("hj,hjk->hk", block.parameters[:, :4], positions[block.indices])


ISOMETRIC_BENDING = ConstraintType(
    name="isometric_bending",
    particle_count=4,
    parameters=("K of a", "K of b", "K of c", "K of d", "compliance [m/N]"),
    multiplier_count=3,
    memory=3,
    project=project_isometric_bending,
    evaluate=evaluate_isometric_bending,
    scales=(*compliances(-1.0, "bending_stiffness"), *compliances(1.0, "bending_compliance")),
    nanoseconds=10,
)


def build_isometric_bending(
    positions: npt.NDArray[np.float64], hinges: npt.NDArray[np.int32], compliance: npt.NDArray[np.float64] | float
) -> ConstraintBlock:
    """Pull hinges flat.

    Args:
        positions: rest positions [m], shape (particles, 3); only the triangles' shapes count, not their fold.
        hinges: edge and the two opposite particles (a, b, c, d), shape (constraints, 4). Those with a triangle of no
            area, and those of infinite compliance, are left out.
        compliance: [m/N], one for all or shape (constraints,); see ``isometric_compliance``.
    """
    alpha = np.broadcast_to(np.asarray(compliance, np.float64), len(hinges))
    coefficients, thickness = hinge_coefficients(positions, hinges)
    sound = (thickness > THINNEST) & np.isfinite(alpha)
    parameters = np.concatenate([coefficients, alpha[:, None]], axis=1)
    return ConstraintBlock(ISOMETRIC_BENDING, hinges[sound], parameters[sound])


def isometric_compliance(
    positions: npt.NDArray[np.float64],
    hinges: npt.NDArray[np.int32],
    bending_stiffness: npt.NDArray[np.float64] | float,
) -> npt.NDArray[np.float64]:
    """Compliance of each hinge, the dihedral one times the square of the edge [m/N].

    The source has (A₁+A₂)/(3k), which stores about three times too much: see ``dihedral_bending.hinge_compliance``.

    Args:
        positions: rest positions [m], shape (particles, 3).
        hinges: shape (hinges, 4).
        bending_stiffness: k [N·m], one for all or shape (hinges,); infinite compliance where it is 0.
    """
    squared_lengths = ((positions[hinges[:, 1]] - positions[hinges[:, 0]]) ** 2).sum(axis=1)
    compliance: npt.NDArray[np.float64] = squared_lengths * hinge_compliance(positions, hinges, bending_stiffness)
    return compliance


def hinge_coefficients(
    positions: npt.NDArray[np.float64], hinges: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """K of each hinge, shape (hinges, 4), and how thick the thinner of its triangles is, shape (hinges,).

    That is twice its area over the square of its longest side.
    """
    a, b, c, d = (positions[hinges[:, corner]] for corner in range(4))
    at_a_c, thin_c = _cotangents(a, b, c)
    at_b_c, _ = _cotangents(b, a, c)
    at_a_d, thin_d = _cotangents(a, b, d)
    at_b_d, _ = _cotangents(b, a, d)
    rows = [at_b_c + at_b_d, at_a_c + at_a_d, -at_a_c - at_b_c, -at_a_d - at_b_d]
    return np.stack(rows, axis=1), np.minimum(thin_c, thin_d)


def _cotangents(
    corner: npt.NDArray[np.float64], first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Cotangents of the angles at a corner, and twice the area over the square of the longest side."""
    u, v = first - corner, second - corner
    area = np.linalg.norm(np.cross(u, v), axis=1)
    longest = np.maximum((u**2).sum(1), np.maximum((v**2).sum(1), ((u - v) ** 2).sum(1)))
    thickness = area / np.maximum(longest, 1e-300)
    return (u * v).sum(1) / np.maximum(area, 1e-300), thickness
