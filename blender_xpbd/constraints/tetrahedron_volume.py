# SPDX-License-Identifier: GPL-3.0-or-later
"""Volume of a tetrahedron: C = (x₁−x₀)·((x₂−x₀)×(x₃−x₀))/6 − V₀ [m³], compliance α [m³/Pa].

PBD 2007, eq. 14 gives C times six. U = C²/(2α) is an energy [J] when α is in m⁶/J = m³/Pa.
"""

import numpy as np
import numpy.typing as npt
import taichi as ti

from .constraint import (
    DAMPED,
    ConstraintBlock,
    ConstraintType,
    keep_multiplier,
    moved,
    read_multiplier,
    solve_multiplier,
)


@ti.func
def project_tetrahedron_volume(
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
):
    """Project one tetrahedron; arguments as in ``constraint``."""
    i0, i1, i2, i3 = indices[i], indices[i + 1], indices[i + 2], indices[i + 3]
    x0, x1, x2, x3 = positions[i0], positions[i1], positions[i2], positions[i3]
    a, b, c = x1.xyz - x0.xyz, x2.xyz - x0.xyz, x3.xyz - x0.xyz
    g1, g2, g3 = b.cross(c) / 6.0, c.cross(a) / 6.0, a.cross(b) / 6.0
    g0 = -(g1 + g2 + g3)
    weight = x0[3] * g0.dot(g0) + x1[3] * g1.dot(g1) + x2[3] * g2.dot(g2) + x3[3] * g3.dot(g3)
    value = a.dot(g1) - parameters[p]
    multiplier = read_multiplier(lagrange_multipliers, m, step, mode)
    rate, gamma = 0.0, 0.0
    if ti.static(mode & DAMPED):
        p0, p1, p2, p3 = previous_positions[i0], previous_positions[i1], previous_positions[i2], previous_positions[i3]
        rate = g0.dot((x0 - p0).xyz) + g1.dot((x1 - p1).xyz) + g2.dot((x2 - p2).xyz) + g3.dot((x3 - p3).xyz)
        gamma = 0.25 * (p0[3] + p1[3] + p2[3] + p3[3]) * step[2]
    delta = solve_multiplier(value, weight, parameters[p + 1], multiplier, rate, gamma, step, mode)
    keep_multiplier(lagrange_multipliers, m, mode, multiplier + delta)
    positions[i0] = moved(x0, delta * g0)
    positions[i1] = moved(x1, delta * g1)
    positions[i2] = moved(x2, delta * g2)
    positions[i3] = moved(x3, delta * g3)


def evaluate_tetrahedron_volume(positions: npt.NDArray[np.float64], block: ConstraintBlock) -> npt.NDArray[np.float64]:
    """C of all constraints [m³], shape (constraints, 1)."""
    corners = positions[block.indices]
    volumes = np.linalg.det(corners[:, 1:] - corners[:, :1]) / 6.0
    return (volumes - block.parameters[:, 0])[:, None]


TETRAHEDRON_VOLUME = ConstraintType(
    name="tetrahedron_volume",
    particle_count=4,
    parameters=("rest volume [m³]", "compliance [m³/Pa]"),
    multiplier_count=1,
    project=project_tetrahedron_volume,
    evaluate=evaluate_tetrahedron_volume,
    nanoseconds=25,
)


def build_tetrahedron_volume(
    positions: npt.NDArray[np.float64], tetrahedra: npt.NDArray[np.int32], compliance: npt.NDArray[np.float64] | float
) -> ConstraintBlock:
    """Hold the volume of tetrahedra.

    Args:
        positions: rest positions [m], shape (particles, 3).
        tetrahedra: shape (constraints, 4).
        compliance: [m³/Pa], one for all or shape (constraints,).
    """
    corners = positions[tetrahedra]
    rest_volumes = np.linalg.det(corners[:, 1:] - corners[:, :1]) / 6.0
    alpha = np.broadcast_to(np.asarray(compliance, np.float64), rest_volumes.shape)
    return ConstraintBlock(TETRAHEDRON_VOLUME, tetrahedra, np.stack([rest_volumes, alpha], axis=1))
