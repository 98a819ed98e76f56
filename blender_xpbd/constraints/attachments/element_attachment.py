# SPDX-License-Identifier: GPL-3.0-or-later
"""Attachment of a point to a point: C = Σ aⱼ xⱼ − Σ bⱼ xⱼ [m], three rows, compliance α [m/N].

Each point is a weighted sum of up to four particles: a particle, a place on an edge, in a triangle or in a tetrahedron,
of the same body or of two. Both sides move, each particle by its weight and its inverse mass, so momentum is kept. With
compliance 0 it is a weld. Rows and solve as in the attachment to a moving point (XPBD 2016, eq. 18).
"""

import numpy as np
import numpy.typing as npt
import taichi as ti

from ..constraint import ConstraintBlock, ConstraintType
from ..scaling import compliances
from ..weighted_sum import project_weighted_sum


@ti.func
def project_element_attachment(
    particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()
):
    """Project one attachment; arguments as in ``constraint``."""
    project_weighted_sum(particles, constraints, i, p, m, step, mode, 8)


def evaluate_element_attachment(positions: npt.NDArray[np.float64], block: ConstraintBlock) -> npt.NDArray[np.float64]:
    """C of all constraints [m], shape (constraints, 3)."""
    return np.einsum("cj,cjk->ck", block.parameters[:, :8], positions[block.indices])


ELEMENT_ATTACHMENT = ConstraintType(
    name="element_attachment",
    particle_count=8,
    parameters=(
        *(f"weight {j} of the first point" for j in range(4)),
        *(f"minus weight {j} of the second point" for j in range(4)),
        "compliance [m/N]",
    ),
    multiplier_count=3,
    project=project_element_attachment,
    evaluate=evaluate_element_attachment,
    scales=compliances(-2.0, "pin_frequency"),
    nanoseconds=20,
    memory=3,
    is_swept=True,
)


def build_element_attachment(
    first_elements: npt.NDArray[np.int32],
    first_weights: npt.NDArray[np.float64],
    second_elements: npt.NDArray[np.int32],
    second_weights: npt.NDArray[np.float64],
    compliance: npt.NDArray[np.float64] | float,
) -> ConstraintBlock:
    """Attach points of elements to points of elements.

    Args:
        first_elements: particles, shape (constraints, 4); one that has the weight 0 may repeat another.
        first_weights: sum to 1, shape (constraints, 4).
        second_elements: particles, shape (constraints, 4).
        second_weights: sum to 1, shape (constraints, 4).
        compliance: [m/N], one for all or shape (constraints,); constraints of infinite compliance are left out.
    """
    indices = np.concatenate([first_elements, second_elements], axis=1).astype(np.int32)
    coefficients = np.concatenate([first_weights, -np.asarray(second_weights, np.float64)], axis=1)
    alpha = np.broadcast_to(np.asarray(compliance, np.float64), len(indices))
    used = np.isfinite(alpha)
    indices, coefficients = without_repeats(indices, coefficients)
    return ConstraintBlock(
        ELEMENT_ATTACHMENT, indices[used], np.concatenate([coefficients, alpha[:, None]], axis=1)[used]
    )


def build_weld(pairs: npt.NDArray[np.int32], compliance: npt.NDArray[np.float64] | float = 0.0) -> ConstraintBlock:
    """Hold pairs of particles in one place.

    Args:
        pairs: shape (constraints, 2).
        compliance: [m/N], one for all or shape (constraints,).
    """
    single = np.tile([1.0, 0.0, 0.0, 0.0], (len(pairs), 1))
    elements = [np.repeat(pairs[:, [side]], 4, axis=1) for side in range(2)]
    return build_element_attachment(elements[0], single, elements[1], single, compliance)


def without_repeats(
    indices: npt.NDArray[np.int32], coefficients: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """The same sums with the whole coefficient of a particle where it first comes in its row.

    A particle of coefficient 0 becomes the row's first, so that it ties no other constraint's colour.
    """
    coefficients = coefficients.copy()
    for later in range(1, indices.shape[1]):
        for earlier in range(later):
            same = indices[:, earlier] == indices[:, later]
            coefficients[same, earlier] += coefficients[same, later]
            coefficients[same, later] = 0.0
    return np.where(coefficients == 0.0, indices[:, :1], indices), coefficients
