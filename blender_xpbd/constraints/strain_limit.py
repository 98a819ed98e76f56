# SPDX-License-Identifier: GPL-3.0-or-later
"""Strain limiting: C = |x₁ − x₂| − (1 + s) d ≤ 0 [m], edges that give up to a strain s and no further.

Provot 1995, "Deformation constraints in a mass-spring model", as an inequality of PBD 2007, §3.3: a rope of the
greatest length, projected only where it is exceeded and without compliance.
"""

import numpy as np
import numpy.typing as npt

from .constraint import ConstraintBlock
from .two_sided_distance import build_rope


def build_strain_limit(
    positions: npt.NDArray[np.float64],
    edges: npt.NDArray[np.int32],
    greatest_strain: npt.ArrayLike,
    compliance: npt.NDArray[np.float64] | float = 0.0,
) -> ConstraintBlock:
    """Let no edge get longer than a share of its length.

    Args:
        positions: rest positions [m], shape (particles, 3).
        edges: shape (edges, 2).
        greatest_strain: s [1], 0.1 for 10 %, not negative, one for all or shape (edges,).
        compliance: beyond the limit [m/N], one for all or shape (edges,). In PBD mode the share of one projection.

    Raises:
        ValueError: the strain is negative.
    """
    strain = np.asarray(greatest_strain, np.float64)
    if not (strain >= 0.0).all():
        raise ValueError("the greatest strain must not be negative")
    lengths = np.linalg.norm(positions[edges[:, 0]] - positions[edges[:, 1]], axis=1)
    return build_rope(positions, edges, compliance, lengths * (1.0 + strain))
