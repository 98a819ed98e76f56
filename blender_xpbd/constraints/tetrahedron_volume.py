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
    damping_share,
    keep_multiplier,
    keep_reached,
    reached_before,
    read_multiplier,
    solve_multiplier,
)
from .lanes import SIXTH, cross, dot, edge
from .scaling import compliances


@ti.func
def project_tetrahedron_volume(
    particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()
):
    """Project one tetrahedron; arguments as in ``constraint``."""
    positions, previous_positions = ti.static(particles.positions, particles.previous_positions)
    indices, parameters = ti.static(constraints.indices, constraints.parameters)
    i0, i1, i2, i3 = indices[i], indices[i + 1], indices[i + 2], indices[i + 3]
    x0, x1, x2, x3 = positions[i0], positions[i1], positions[i2], positions[i3]
    # C and its gradient times six
    a, b, c = edge(x1, x0), edge(x2, x0), edge(x3, x0)
    g1, g2, g3 = cross(b, c), cross(c, a), cross(a, b)
    g0 = g1 + g2 + g3
    weight = x0[3] * dot(g0, g0) + x1[3] * dot(g1, g1) + x2[3] * dot(g2, g2) + x3[3] * dot(g3, g3)
    value = SIXTH * dot(a, g1) - parameters[p]
    multiplier = read_multiplier(constraints, m, step, mode)
    rate, gamma = 0.0, 0.0
    if ti.static(mode & DAMPED):
        p0, p1, p2, p3 = previous_positions[i0], previous_positions[i1], previous_positions[i2], previous_positions[i3]
        rate = value - reached_before(constraints, m + 1, 1, value, step, mode)
        gamma = damping_share(0.25 * (p0[3] + p1[3] + p2[3] + p3[3]), step, mode)
    weight *= SIXTH * SIXTH
    delta = solve_multiplier(value, weight, parameters[p + 1], multiplier, rate, gamma, step, mode)
    keep_multiplier(constraints, m, mode, multiplier + delta)
    if ti.static(mode & DAMPED):
        keep_reached(constraints, m + 1, 1, value + weight * delta, mode)
    delta *= SIXTH
    positions[i0] = x0 - (x0[3] * delta) * g0
    positions[i1] = x1 + (x1[3] * delta) * g1
    positions[i2] = x2 + (x2[3] * delta) * g2
    positions[i3] = x3 + (x3[3] * delta) * g3


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
    scales=(*compliances(-1.0, "youngs_modulus"), *compliances(1.0, "volume_compliance")),
    nanoseconds=15,
    memory=1,
    is_swept=True,
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
