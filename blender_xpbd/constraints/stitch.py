# SPDX-License-Identifier: GPL-3.0-or-later
"""Stitch: C = |x₁ − x₂| − max(0, |p₁ − p₂| − v h) ≤ 0 [m], a thread that is pulled in, compliance α [m/N].

An inequality (PBD 2007, §3.3): the thread never pushes. Its rest length in a substep is the distance at the substep's
start less what a closing speed v [m/s] takes in the time h, so seams shrink to nothing at a rate that the artist sets,
whatever the substeps, and nothing has to be remembered from one substep to the next. The thread's force is at most F
[N]: λ ≥ −F h² (λ/h² is the force), so a seam waits where something holds the cloth. In PBD mode there are no forces,
and no greatest one.
"""

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
    solve_multiplier,
)
from .lanes import edge


@ti.func
def project_stitch(particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()):
    """Project one stitch; arguments as in ``constraint``."""
    positions, previous_positions = ti.static(particles.positions, particles.previous_positions)
    indices, parameters = ti.static(constraints.indices, constraints.parameters)
    first, second = indices[i], indices[i + 1]
    a, b = positions[first], positions[second]
    pa, pb = previous_positions[first], previous_positions[second]
    difference, before = edge(a, b), edge(pa, pb)
    length = difference.norm()
    h = 1.0 / step[2]
    thread = ti.max(before.norm() - parameters[p] * h, 0.0)
    rate, gamma = 0.0, 0.0
    if ti.static(mode & DAMPED):
        # of the length: the thread is pulled in
        gamma = damping_share(0.5 * (pa[3] + pb[3]), step, mode)
        rate = length - reached_before(constraints, m + 1, 1, length, step, mode)
    multiplier = read_multiplier(constraints, m, step, mode)
    delta = solve_multiplier(length - thread, a[3] + b[3], parameters[p + 2], multiplier, rate, gamma, step, mode)
    if ti.static(mode & PBD):
        delta = ti.min(delta, 0.0)
    else:
        reached = ti.max(ti.min(multiplier + delta, 0.0), -parameters[p + 1] * (h * h))
        delta = reached - multiplier
        keep_multiplier(constraints, m, mode, reached)
        if ti.static(mode & DAMPED):
            keep_reached(constraints, m + 1, 1, length + (a[3] + b[3]) * delta, mode)
    scale = delta / (length + SMALL)
    positions[first] = a + (scale * a[3]) * difference
    positions[second] = b - (scale * b[3]) * difference


def evaluate_stitch(positions: npt.NDArray[np.float64], block: ConstraintBlock) -> npt.NDArray[np.float64]:
    """What is left to close [m], which is C once the thread is pulled in, shape (constraints, 1)."""
    ends = positions[block.indices]
    return np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)[:, None]


STITCH = ConstraintType(
    name="stitch",
    particle_count=2,
    parameters=("closing speed [m/s]", "greatest force [N]", "compliance [m/N]"),
    multiplier_count=1,
    project=project_stitch,
    evaluate=evaluate_stitch,
    nanoseconds=7,
    memory=1,
    is_swept=True,
)


def build_stitch(
    pairs: npt.NDArray[np.int32],
    closing_speed: float,
    greatest_force: npt.NDArray[np.float64] | float = 1e6,
    compliance: float = 0.0,
) -> ConstraintBlock:
    """Pull pairs of particles together.

    Args:
        pairs: shape (constraints, 2).
        closing_speed: v [m/s], not negative.
        greatest_force: F [N], one for all or shape (constraints,).
        compliance: of the thread [m/N].
    """
    parameters = np.empty((len(pairs), 3))
    parameters[:, 0], parameters[:, 1], parameters[:, 2] = closing_speed, greatest_force, compliance
    return ConstraintBlock(STITCH, pairs, parameters)
