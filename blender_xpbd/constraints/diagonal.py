# SPDX-License-Identifier: GPL-3.0-or-later
"""Diagonal of a quad: a distance that resists being pushed together by a tenth: C = |x₁ − x₂| − d [m], α [m/N].

A quad whose sides and diagonals are all held is rigid. A sheet of such quads folds along their sides alone. Where a
diagonal gives way under compression, its quad folds along the other one.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import taichi as ti

from .constraint import ConstraintBlock
from .distance import DISTANCE, build_distance, project_spring
from .scaling import compliances

# of what it resists under tension. Chosen by trying: docs/experiments.md, Quads that fold along a diagonal
COMPRESSION_SHARE = 0.1
SOFTNESS = 1.0 / COMPRESSION_SHARE


@ti.func
def project_diagonal(particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()):
    """Project one diagonal; arguments as in ``constraint``. In PBD mode it pushes as it pulls."""
    project_spring(particles, constraints, i, p, m, step, mode, SOFTNESS)


DIAGONAL = replace(DISTANCE, name="diagonal", project=project_diagonal, scales=compliances(-1.0, "stretch_stiffness"))


def build_diagonals(
    positions: npt.NDArray[np.float64], pairs: npt.NDArray[np.int32], compliance: npt.NDArray[np.float64] | float
) -> ConstraintBlock:
    """Hold the corners of quads at their distance; arguments as in ``build_distance``, compliance under tension."""
    return replace(build_distance(positions, pairs, compliance), type=DIAGONAL)
