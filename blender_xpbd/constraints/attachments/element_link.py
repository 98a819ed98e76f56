# SPDX-License-Identifier: GPL-3.0-or-later
"""Distance of a point from a point: C = |Σ aⱼ xⱼ − Σ bⱼ xⱼ| − d [m], with a compliance for each side, α [m/N].

Each point is a weighted sum of up to four particles, as in ``element_attachment``. The sides are those of
``two_sided_distance``: a rope only pulls, a bumper only pushes. ∇ⱼC = cⱼ n with the coefficients c = (a, −b) and the
direction n, so Σ w|∇C|² = Σ wⱼ cⱼ².
"""

import numpy as np
import numpy.typing as npt
import taichi as ti

from ..constraint import DAMPED, ConstraintBlock, ConstraintType
from ..two_sided_distance import FREE, given_side, two_sided_scale
from .element_attachment import without_repeats

# particles of both points
COUNT = 8


@ti.func
def project_element_link(particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()):
    """Project one link; arguments as in ``constraint``."""
    positions, previous_positions = ti.static(particles.positions, particles.previous_positions)
    indices, parameters = ti.static(constraints.indices, constraints.parameters)
    # relative to one particle: coefficients rounded to float32 do not quite sum to 0
    first = positions[indices[i]]
    difference = ti.Vector([0.0, 0.0, 0.0, 0.0])
    weight, damping_time = 0.0, 0.0
    for k in ti.static(range(COUNT)):
        c, x = parameters[p + k], positions[indices[i + k]]
        difference += c * (x - first)
        weight += c * c * x[3]
        if ti.static(mode & DAMPED):
            damping_time += previous_positions[indices[i + k]][3] / COUNT
    difference[3] = 0.0
    length = difference.norm()
    value = length - parameters[p + COUNT]
    scale = two_sided_scale(constraints, m, value, length, weight, p + COUNT + 1, damping_time, step, mode)
    moved = ti.Matrix.zero(float, COUNT, 4)
    for k in ti.static(range(COUNT)):
        x = positions[indices[i + k]]
        share = scale * parameters[p + k] * x[3]
        for lane in ti.static(range(4)):
            moved[k, lane] = x[lane] + share * difference[lane]
    # all are read before one is written, and the first is written last, since others may repeat it
    for k in ti.static(range(COUNT)):
        last = ti.static(COUNT - 1 - k)
        positions[indices[i + last]] = ti.Vector([moved[last, 0], moved[last, 1], moved[last, 2], moved[last, 3]])


def evaluate_element_link(positions: npt.NDArray[np.float64], block: ConstraintBlock) -> npt.NDArray[np.float64]:
    """C of all constraints [m], 0 on a side that is free, shape (constraints, 1)."""
    ways = np.einsum("cj,cjk->ck", block.parameters[:, :COUNT], positions[block.indices])
    values = np.linalg.norm(ways, axis=1) - block.parameters[:, COUNT]
    sides = np.where(values > 0.0, block.parameters[:, COUNT + 1], block.parameters[:, COUNT + 2])
    return np.where(sides == FREE, 0.0, values)[:, None]


ELEMENT_LINK = ConstraintType(
    name="element_link",
    particle_count=COUNT,
    parameters=(
        *(f"weight {j} of the first point" for j in range(4)),
        *(f"minus weight {j} of the second point" for j in range(4)),
        "rest length [m]",
        "stretch compliance [m/N]",
        "compression compliance [m/N]",
    ),
    multiplier_count=1,
    project=project_element_link,
    evaluate=evaluate_element_link,
    nanoseconds=20,
    memory=1,
    is_swept=True,
)


def build_element_link(
    positions: npt.NDArray[np.float64],
    first_elements: npt.NDArray[np.int32],
    first_weights: npt.NDArray[np.float64],
    second_elements: npt.NDArray[np.int32],
    second_weights: npt.NDArray[np.float64],
    lengths: npt.NDArray[np.float64] | None,
    stretch_compliance: npt.NDArray[np.float64] | float,
    compression_compliance: npt.NDArray[np.float64] | float,
) -> ConstraintBlock:
    """Hold points of elements at a distance.

    Args:
        positions: rest positions [m], shape (particles, 3).
        first_elements: particles, shape (constraints, 4); one that has the weight 0 may repeat another.
        first_weights: sum to 1, shape (constraints, 4).
        second_elements: particles, shape (constraints, 4).
        second_weights: sum to 1, shape (constraints, 4).
        lengths: at rest [m], shape (constraints,); None for as at rest.
        stretch_compliance: under tension [m/N], infinite for none; one for all or shape (constraints,).
        compression_compliance: under compression, likewise.
    """
    indices = np.concatenate([first_elements, second_elements], axis=1).astype(np.int32)
    coefficients = np.concatenate([first_weights, -np.asarray(second_weights, np.float64)], axis=1)
    indices, coefficients = without_repeats(indices, coefficients)
    if lengths is None:
        lengths = np.linalg.norm(np.einsum("cj,cjk->ck", coefficients, positions[indices]), axis=1)
    sides = [
        given_side(np.broadcast_to(np.asarray(side, np.float64), lengths.shape))
        for side in (stretch_compliance, compression_compliance)
    ]
    return ConstraintBlock(ELEMENT_LINK, indices, np.column_stack([coefficients, lengths, *sides]))
