# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a body bends as a plate, solved at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..constraints.constraint import ConstraintBlock
from ..constraints.plate_bending import build_plate_bending
from ..geometry.cholesky import SparseRows

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Plate:
    """What bends at once.

    Attributes:
        matrix: see ``plate_matrix``, of all vertices of the mesh.
        damping_time: of the material, at most [s].
    """

    matrix: SparseRows
    damping_time: float

    def block(self, positions: Floats, inverse_masses: Floats, h: float, every: int) -> ConstraintBlock:
        """The constraint, for particles of these inverse masses [1/kg] and every so many substeps of h [s]."""
        masses = np.divide(1.0, inverse_masses, out=np.zeros(len(positions)), where=inverse_masses > 0.0)
        block = build_plate_bending(positions, self.matrix, masses, h, self.damping_time, every)
        return block.following("bending_stiffness")
