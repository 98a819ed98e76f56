# SPDX-License-Identifier: GPL-3.0-or-later
"""Attachment of a particle to a moving point: C = x₁ − x₂ [m], three rows, compliance α [m/N] (XPBD 2016, eq. 18).

The moving point is a particle of its own with inverse mass 0, so that nothing else in the solver knows of it.

Euler's step takes ω² h/2 per time from a swing of the frequency ω, for it feels forces as they are at the end of the
substep h. Most of what is attached is drawn to a goal, swings about it for seconds, and would swing half as far as it
should. So the force is that of C − L ΔC, with the change ΔC of C in the substep: as it was L h before the end, by which
(1 − L) ω² h/2 are taken. A swing of α̃ = 1/(ω h)² with such a force is stable for any ω h up to L = ½, and beyond that
for (ω h)² < 4/(2 L − 1). What damps it, γ, lags as well. So L is a *lag* where the force is soft for the substep, and
less, lag/(1 + (1 + γ) (ω h)²), where it is hard. At rest nothing changes.
"""

import numpy as np
import numpy.typing as npt
import taichi as ti

from ..constraint import BDF2, DAMPED, PBD, SMALL, ConstraintBlock, ConstraintType, damping_share
from ..lanes import edge
from ..scaling import compliances
from ..weighted_sum import solve_rows

# of the force behind the end of the substep, where it is soft [substeps]; chosen by hand: docs/experiments.md, What
# jiggles
LAG = 0.95


@ti.func
def project_attachment(particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()):
    """Project one attachment; arguments as in ``constraint``."""
    positions, previous_positions = ti.static(particles.positions, particles.previous_positions)
    indices, parameters = ti.static(constraints.indices, constraints.parameters)
    first, second = indices[i], indices[i + 1]
    a, b = positions[first], positions[second]
    difference = edge(a, b)
    weight = a[3] + b[3]
    delta = ti.Vector([0.0, 0.0, 0.0, 0.0])
    if ti.static(mode & PBD):
        delta = -parameters[p + 1] / (weight + SMALL) * difference
    else:
        damping_time = 0.0
        if ti.static(mode & DAMPED):
            damping_time = 0.5 * (previous_positions[first][3] + previous_positions[second][3])
        if ti.static(not mode & BDF2):
            hardness = (1.0 + damping_share(damping_time, step, mode)) * weight / (parameters[p + 1] * step[0] + SMALL)
            lag = parameters[p] / (1.0 + hardness)
            difference -= lag * (difference - edge(previous_positions[first], previous_positions[second]))
            weight *= 1.0 - lag
        delta = solve_rows(constraints, m, difference, weight, parameters[p + 1], damping_time, step, mode)
    positions[first] = a + a[3] * delta
    positions[second] = b - b[3] * delta


def evaluate_attachment(positions: npt.NDArray[np.float64], block: ConstraintBlock) -> npt.NDArray[np.float64]:
    """C of all constraints [m], shape (constraints, 3)."""
    ends = positions[block.indices]
    difference: npt.NDArray[np.float64] = ends[:, 0] - ends[:, 1]
    return difference


ATTACHMENT = ConstraintType(
    name="attachment",
    particle_count=2,
    parameters=("lag [substeps]", "compliance [m/N]"),
    multiplier_count=3,
    project=project_attachment,
    evaluate=evaluate_attachment,
    scales=compliances(-2.0, "pin_frequency", "goal_frequency"),
    nanoseconds=3,
    memory=3,
    is_swept=True,
)


def build_attachment(
    pairs: npt.NDArray[np.int32], compliance: npt.NDArray[np.float64], lag: float = LAG
) -> ConstraintBlock:
    """Attach particles to points.

    Args:
        pairs: particle and point, shape (constraints, 2).
        compliance: [m/N], shape (constraints,).
        lag: of the force behind the end of the substep, where it is soft [substeps], 0 to 1.
    """
    alpha = np.asarray(compliance, np.float64)
    return ConstraintBlock(ATTACHMENT, pairs, np.column_stack([np.full(len(alpha), lag), alpha]))


def pin_compliance(
    weights: npt.NDArray[np.float32], masses: npt.NDArray[np.float64], frequency: float
) -> npt.NDArray[np.float64]:
    """Compliance of soft pins, α = (1 − w) / (w m (2πf)²) [m/N]: rigid at weight 1, gone at 0.

    Given by a frequency, a pin pulls with the same acceleration whatever the mass of its particle, so the
    look does not change with the resolution.

    Args:
        weights: above 0 and at most 1, shape (pins,).
        masses: of the pinned particles [kg], shape (pins,).
        frequency: of a particle pinned with weight 0.5 [Hz].
    """
    share = weights.astype(np.float64)
    return (1.0 - share) / (share * masses * (2.0 * np.pi * frequency) ** 2)
