# SPDX-License-Identifier: GPL-3.0-or-later
"""Distance with one compliance under tension and another under compression: C = |x₁ − x₂| − d [m], α [m/N].

Cloth gives under compression; a rope only pulls (C ≤ 0), a bumper only pushes (C ≥ 0): the inequality form of PBD
2007, §3.3, where a constraint is projected only while it is violated. In XPBD the rule is kept by the multiplier,
which may not change its sign over the iterations of a substep: a rope's λ is never positive.

One step solves the piecewise linear constraint exactly. The new multiplier is λ' = ((1+γ) w λ − C − γ Ċh)/((1+γ) w + α̃)
with w = w₁ + w₂; its sign does not depend on α̃, so the sign says which side's compliance counts. A side that is free
has the compliance −1 and λ' = 0.
"""

import numpy as np
import numpy.typing as npt
import taichi as ti

from .constraint import (
    DAMPED,
    PBD,
    REPEATED,
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
from .lanes import edge
from .scaling import Scaling

FREE = -1.0


@ti.func
def two_sided_scale(
    constraints: ti.template(), m, value, length, free_weight, sides, damping_time, step, mode: ti.template()
):
    """Δλ over the length, in one division; multiplier and memory are kept.

    Args:
        constraints: the pack.
        m: place of the multiplier.
        value: C [m].
        length: |x₁ − x₂| [m].
        free_weight: Σ w|∇C|² [1/kg].
        sides: place of the compliance under tension among the parameters, after which that under compression comes, see
            the module's text. Read by place: a branch on what is a toss-up takes as long again as the projection.
        damping_time: τ [s]; only read where DAMPED.
        step: as in ``constraint``.
        mode: as in ``constraint``.
    """
    scale, weight = 0.0, free_weight
    if ti.static(mode & PBD):
        stiffness = constraints.parameters[sides + ti.cast(value <= 0.0, ti.i32)]
        scale = -ti.max(stiffness, 0.0) * value / (weight * length + SMALL)
    else:
        multiplier = read_multiplier(constraints, m, step, mode)
        push = -value
        if ti.static(mode & DAMPED):
            gamma = damping_share(damping_time, step, mode)
            push -= gamma * (value - reached_before(constraints, m + 1, 1, value, step, mode))
            weight *= 1.0 + gamma
        if ti.static(mode & REPEATED):
            push += weight * multiplier
        compliance = constraints.parameters[sides + ti.cast(push >= 0.0, ti.i32)]
        if compliance >= 0.0:
            scale = push / ((weight + compliance * step[0]) * length + SMALL)
        if ti.static(mode & REPEATED):
            keep_multiplier(constraints, m, mode, scale * length)
            scale -= multiplier / (length + SMALL)
        if ti.static(mode & DAMPED):
            keep_reached(constraints, m + 1, 1, value + free_weight * scale * length, mode)
    return scale


@ti.func
def project_two_sided_distance(
    particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()
):
    """Project one distance; arguments as in ``constraint``."""
    positions, previous_positions = ti.static(particles.positions, particles.previous_positions)
    indices, parameters = ti.static(constraints.indices, constraints.parameters)
    first, second = indices[i], indices[i + 1]
    a, b = positions[first], positions[second]
    difference = edge(a, b)
    length = difference.norm()
    weight = a[3] + b[3]
    value = length - parameters[p]
    times = 0.0
    if ti.static(mode & DAMPED):
        times = previous_positions[first][3] + previous_positions[second][3]
    scale = two_sided_scale(constraints, m, value, length, weight, p + 1, 0.5 * times, step, mode)
    positions[first] = a + (scale * a[3]) * difference
    positions[second] = b - (scale * b[3]) * difference


def evaluate_two_sided_distance(positions: npt.NDArray[np.float64], block: ConstraintBlock) -> npt.NDArray[np.float64]:
    """C of all constraints [m], 0 on a side that is free, shape (constraints, 1)."""
    ends = positions[block.indices]
    values = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1) - block.parameters[:, 0]
    sides = np.where(values > 0.0, block.parameters[:, 1], block.parameters[:, 2])
    return np.where(sides == FREE, 0.0, values)[:, None]


TWO_SIDED_DISTANCE = ConstraintType(
    name="two_sided_distance",
    particle_count=2,
    parameters=("rest length [m]", "stretch compliance [m/N]", "compression compliance [m/N]"),
    multiplier_count=1,
    project=project_two_sided_distance,
    flow=FLOWING_LENGTH,
    evaluate=evaluate_two_sided_distance,
    nanoseconds=7,
    memory=1,
    scales=(
        Scaling("stretch_stiffness", 1, -1.0),
        Scaling("stretch_stiffness", 2, -1.0),
        Scaling("stretch_compliance", 1, 1.0),
        Scaling("stretch_compliance", 2, 1.0),
        Scaling("compression_share", 2, -1.0),
        Scaling("tether_slack", 0, 1.0),
        Scaling("greatest_stretch", 0, 1.0, 100.0, free_at=0.0),
    ),
    is_swept=True,
)


def build_two_sided_distance(
    positions: npt.NDArray[np.float64],
    pairs: npt.NDArray[np.int32],
    stretch_compliance: npt.NDArray[np.float64] | float,
    compression_compliance: npt.NDArray[np.float64] | float,
    rest_lengths: npt.NDArray[np.float64] | None = None,
) -> ConstraintBlock:
    """Hold pairs of particles at their distance, more or less on either side.

    Args:
        positions: rest positions [m], shape (particles, 3).
        pairs: shape (constraints, 2).
        stretch_compliance: of pairs farther apart than at rest [m/N], one for all or shape (constraints,). Infinite
            where nothing holds them. In PBD mode the share of one projection.
        compression_compliance: of pairs closer than at rest, likewise.
        rest_lengths: the mesh's own (None), or given [m], shape (constraints,).

    Pairs at the same place have no direction to push in and are left out where they would have to, as are pairs
    that are free on both sides.
    """
    if rest_lengths is None:
        rest_lengths = np.linalg.norm(positions[pairs[:, 0]] - positions[pairs[:, 1]], axis=1)
    lengths = np.asarray(rest_lengths, np.float64)
    stretch, compression = (
        np.broadcast_to(np.asarray(side, np.float64), lengths.shape)
        for side in (stretch_compliance, compression_compliance)
    )
    parameters = np.stack([lengths, given_side(stretch), given_side(compression)], axis=1)
    used = np.isfinite(stretch) | (np.isfinite(compression) & (lengths > 0.0))
    return ConstraintBlock(TWO_SIDED_DISTANCE, pairs[used], parameters[used])


def build_rope(
    positions: npt.NDArray[np.float64],
    pairs: npt.NDArray[np.int32],
    compliance: npt.NDArray[np.float64] | float,
    lengths: npt.NDArray[np.float64] | None = None,
) -> ConstraintBlock:
    """Keep pairs of particles from moving apart: C ≤ 0; arguments as in ``build_two_sided_distance``."""
    return build_two_sided_distance(positions, pairs, compliance, np.inf, lengths)


def build_bumper(
    positions: npt.NDArray[np.float64],
    pairs: npt.NDArray[np.int32],
    compliance: npt.NDArray[np.float64] | float,
    lengths: npt.NDArray[np.float64] | None = None,
) -> ConstraintBlock:
    """Keep pairs of particles from coming closer: C ≥ 0; arguments as in ``build_two_sided_distance``."""
    return build_two_sided_distance(positions, pairs, np.inf, compliance, lengths)


def build_tethers(
    pairs: npt.NDArray[np.int32],
    lengths: npt.NDArray[np.float64],
    slack: float = 1.0,
    compliance: npt.NDArray[np.float64] | float = 0.0,
) -> ConstraintBlock:
    """Long-range attachments: no particle gets farther from a pin than the cloth between them is long.

    Kim, Chentanez & Müller 2012, "Long range attachments", §3; pairs and lengths from ``geometry.levels.tethers``.

    Args:
        pairs: particle and pin, shape (tethers, 2).
        lengths: along the surface [m], shape (tethers,).
        slack: factor on the lengths, 1 or a little more so that the cloth itself bears its load.
        compliance: [m/N], one for all or shape (tethers,).
    """
    return build_rope(np.zeros((0, 3)), pairs, compliance, np.asarray(lengths, np.float64) * slack)


def given_side(compliance: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The compliance of a side as a parameter: ``FREE`` where it is infinite."""
    return np.where(np.isfinite(compliance), compliance, FREE)
