# SPDX-License-Identifier: GPL-3.0-or-later
"""Distance constraint: C = |x₁ − x₂| − d [m], compliance α [m/N] (XPBD 2016, §5; PBD 2007, eq. 8)."""

import numpy as np
import numpy.typing as npt
import taichi as ti

from .constraint import (
    DAMPED,
    PBD,
    SMALL,
    ConstraintBlock,
    ConstraintType,
    damping_share,
    keep_multiplier,
    keep_reached,
    reached_before,
    read_multiplier,
)
from .flow import FLOWING_LENGTH
from .scaling import compliances


@ti.func
def project_spring(
    particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template(), softness: ti.template()
):
    """Project one distance; arguments as in ``constraint``.

    While it is shorter than at rest, its compliance is ``softness`` times as great. Where a multiplier is left of the
    other side, as other constraints have pushed it across, the next projection mends what this one has too much.
    """
    positions, previous_positions = ti.static(particles.positions, particles.previous_positions)
    indices, parameters = ti.static(constraints.indices, constraints.parameters)
    first, second = indices[i], indices[i + 1]
    a, b = positions[first], positions[second]
    # whole 4-vectors: one instruction for four lanes
    difference = a - b
    difference[3] = 0.0
    length = difference.norm()
    weight = a[3] + b[3]
    # Δλ / |x₁ − x₂| in one division, because this is the hottest line of a cloth
    scale = 0.0
    if ti.static(mode & PBD):
        scale = -parameters[p + 1] * (length - parameters[p]) / (weight * length + SMALL)
    else:
        alpha_tilde = parameters[p + 1] * step[0]
        if ti.static(softness != 1.0):
            # by the squares, so that nothing waits for the root
            is_short = difference.norm_sqr() < parameters[p] * parameters[p]
            alpha_tilde = ti.select(is_short, softness * alpha_tilde, alpha_tilde)
        multiplier = read_multiplier(constraints, m, step, mode)
        force = length - parameters[p] + alpha_tilde * multiplier
        if ti.static(mode & DAMPED):
            times = previous_positions[first][3] + previous_positions[second][3]
            gamma = damping_share(0.5 * times, step, mode)
            value = length - parameters[p]
            force += gamma * (value - reached_before(constraints, m + 1, 1, value, step, mode))
            weight *= 1.0 + gamma
        scale = -force / ((weight + alpha_tilde) * length + SMALL)
        keep_multiplier(constraints, m, mode, multiplier + scale * length)
        if ti.static(mode & DAMPED):
            reached = length - parameters[p] + (a[3] + b[3]) * scale * length
            keep_reached(constraints, m + 1, 1, reached, mode)
    positions[first] = a + (scale * a[3]) * difference
    positions[second] = b - (scale * b[3]) * difference


@ti.func
def project_distance(particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()):
    """Project one distance that pushes as it pulls; arguments as in ``constraint``."""
    project_spring(particles, constraints, i, p, m, step, mode, 1.0)


def evaluate_distance(positions: npt.NDArray[np.float64], block: ConstraintBlock) -> npt.NDArray[np.float64]:
    """C of all constraints [m], shape (constraints, 1)."""
    ends = positions[block.indices]
    return (np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1) - block.parameters[:, 0])[:, None]


DISTANCE = ConstraintType(
    name="distance",
    particle_count=2,
    parameters=("rest length [m]", "compliance [m/N]"),
    multiplier_count=1,
    project=project_distance,
    flow=FLOWING_LENGTH,
    evaluate=evaluate_distance,
    nanoseconds=6,
    memory=1,
    scales=(
        *compliances(-1.0, "stretch_stiffness", "youngs_modulus", "bending_stiffness"),
        *compliances(1.0, "stretch_compliance", "bending_compliance"),
    ),
    is_swept=True,
)


def build_distance(
    positions: npt.NDArray[np.float64], pairs: npt.NDArray[np.int32], compliance: npt.NDArray[np.float64] | float
) -> ConstraintBlock:
    """Hold pairs of particles at their distance.

    Args:
        positions: rest positions [m], shape (particles, 3).
        pairs: shape (constraints, 2). Pairs at the same place have no direction and are left out.
        compliance: [m/N], one for all or shape (constraints,).
    """
    rest_lengths = np.linalg.norm(positions[pairs[:, 0]] - positions[pairs[:, 1]], axis=1)
    alpha = np.broadcast_to(np.asarray(compliance, np.float64), rest_lengths.shape)
    solid = rest_lengths > 0.0
    return ConstraintBlock(DISTANCE, pairs[solid], np.stack([rest_lengths[solid], alpha[solid]], axis=1))


def network_compliance(
    rest_lengths: npt.NDArray[np.float64], shares: npt.NDArray[np.float64], modulus: float, dimensions: int
) -> npt.NDArray[np.float64]:
    """Compliance of each edge so that the network of springs has the modulus of the material.

    A spring of stiffness k and length L along n stores ½ k L² (nᵀεn)². With k L² = γ E V_e, where V_e is
    the volume (area) that the edge stands for, and directions spread evenly, the strain energy is that of an
    isotropic solid with λ = μ = γE/15 (γE/8 in the plane). Its modulus is E for γ = 6 (3), its Poisson's ratio
    1/4 (1/3).

    Args:
        rest_lengths: [m], shape (edges,).
        shares: volume [m³] or area [m²] that each edge stands for; they sum up to the body's.
        modulus: Young's modulus E [Pa], or [N/m] in the plane.
        dimensions: 2 or 3.

    Returns:
        compliance [m/N], shape (edges,).
    """
    gamma = 6.0 if dimensions == 3 else 3.0
    return rest_lengths**2 / (gamma * modulus * np.maximum(shares, 1e-300))
