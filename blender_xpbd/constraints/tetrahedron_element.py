# SPDX-License-Identifier: GPL-3.0-or-later
"""What the elastic tetrahedra share: deformation gradient, impulses of a stress, and their measures.

F = D_s D_m⁻¹ with the edges from the first corner as columns. A stress P (3×3, by its columns) pulls corner i
along g_i = P qᵢ, where q₁…q₃ are the rows of D_m⁻¹ and q₀ = −(q₁+q₂+q₃) (Sifakis & Barbič 2012, ch. 4), so Σ g_i = 0;
and Σ x_i × g_i = 0 when P Fᵀ is symmetric, which holds for F, cof F and the rotation of F. Nothing else is used.
"""

import numpy as np
import numpy.typing as npt
import taichi as ti

from .constraint import ACCUMULATE, PBD, SMALL, keep_multiplier, read_multiplier

GREATEST_POISSONS_RATIO = 0.4999
# keeps compliances of nearly empty cells finite in single precision; chosen by hand
SMALLEST_FILL = 1e-4
ELEMENT_PARAMETERS = tuple(f"inverse rest edges {row}{column} [1/m]" for row in range(3) for column in range(3))


@ti.func
def rest_rows(parameters: ti.template(), p):
    """q₁, q₂, q₃ [1/m]."""
    return (
        ti.Vector([parameters[p], parameters[p + 1], parameters[p + 2]]),
        ti.Vector([parameters[p + 3], parameters[p + 4], parameters[p + 5]]),
        ti.Vector([parameters[p + 6], parameters[p + 7], parameters[p + 8]]),
    )


@ti.func
def deformation(d1, d2, d3, q1, q2, q3):
    """Columns of the gradient [1] of edges (or displacements relative to the first corner) d₁, d₂, d₃ [m]."""
    return (
        d1 * q1[0] + d2 * q2[0] + d3 * q3[0],
        d1 * q1[1] + d2 * q2[1] + d3 * q3[1],
        d1 * q1[2] + d2 * q2[2] + d3 * q3[2],
    )


@ti.func
def pulls(p1, p2, p3, q1, q2, q3):
    """g₁, g₂, g₃ of the stress with columns p₁, p₂, p₃; g₀ is minus their sum."""
    return (
        p1 * q1[0] + p2 * q1[1] + p3 * q1[2],
        p1 * q2[0] + p2 * q2[1] + p3 * q2[2],
        p1 * q3[0] + p2 * q3[1] + p3 * q3[2],
    )


@ti.func
def impulses(constraints: ti.template(), m, forces, shares, alpha_tilde, stiffness, step, mode: ti.template()):
    """Factors of the pulls along shape and volume, conjugate by the masses; their multipliers are kept.

    Args:
        constraints: the pack.
        m: place of the first of the two multipliers.
        forces: Σ w|a|² of the pulls a along the shape, and the pressure.
        shares: of the compliance and the curvature along each direction, the inverse of their sum.
        alpha_tilde: α/h².
        stiffness: k, the share of the step that is taken; only read where PBD.
        step: as in ``constraint``.
        mode: as in ``constraint``.
    """
    by_shape, by_volume, pressure = shares[0], shares[1], forces[1]
    if ti.static(mode & PBD):
        by_shape *= -stiffness
        by_volume *= -stiffness * pressure
    elif ti.static(mode & ACCUMULATE):
        norm = ti.sqrt(forces[0] + SMALL)
        shape = read_multiplier(constraints, m, step, mode)
        volume = read_multiplier(constraints, m + 1, step, mode)
        by_shape *= -(norm + alpha_tilde * shape)
        by_volume *= -(pressure + alpha_tilde * volume)
        keep_multiplier(constraints, m, mode, shape + by_shape)
        keep_multiplier(constraints, m + 1, mode, volume + by_volume)
        by_shape /= norm
    else:
        by_shape *= -1.0
        by_volume *= -pressure
    return by_shape, by_volume


def solid_tetrahedra(positions: npt.NDArray[np.float64], tetrahedra: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Which tetrahedra are not flat, so that they have a D_m⁻¹ in single precision.

    Args:
        positions: rest positions [m], shape (particles, 3).
        tetrahedra: shape (tetrahedra, 4).
    """
    corners = positions[tetrahedra]
    edges = corners[:, 1:] - corners[:, :1]
    longest = np.linalg.norm(edges, axis=2).max(axis=1, initial=0.0)
    solid: npt.NDArray[np.bool_] = np.abs(np.linalg.det(edges)) > 1e-6 * longest**3
    return solid


def element_parameters(
    positions: npt.NDArray[np.float64], tetrahedra: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Inverse rest edges, and rest volumes.

    Args:
        positions: rest positions [m], shape (particles, 3).
        tetrahedra: shape (tetrahedra, 4), of any orientation, none of them flat.

    Returns:
        D_m⁻¹ [1/m] row by row, shape (tetrahedra, 9), and volumes [m³], positive, shape (tetrahedra,).
    """
    corners = positions[tetrahedra]
    edges = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    return np.linalg.inv(edges).reshape(-1, 9), np.abs(np.linalg.det(edges)) / 6.0


def lame_parameters(
    youngs_modulus: npt.ArrayLike, poissons_ratio: npt.ArrayLike
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Shear modulus μ = E / (2 (1 + ν)) and λ = E ν / ((1 + ν)(1 − 2ν)) [Pa] of linear elasticity.

    Raises:
        ValueError: ν outside 0 … 0.4999, or a modulus that is not positive.
    """
    modulus, nu = np.asarray(youngs_modulus, np.float64), np.asarray(poissons_ratio, np.float64)
    if not ((nu >= 0.0) & (nu <= GREATEST_POISSONS_RATIO)).all():
        raise ValueError(f"Poisson's ratio must be between 0 and {GREATEST_POISSONS_RATIO}")
    if not (modulus > 0.0).all():
        raise ValueError("Young's modulus must be positive")
    return modulus / (2.0 * (1.0 + nu)), modulus * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))
