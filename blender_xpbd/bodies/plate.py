# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a body bends as a plate, solved at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..constraints.bending.plate_bending import build_plate_bending
from ..constraints.constraint import ConstraintBlock
from ..geometry.cholesky import SparseRows
from ..geometry.surface.rest_curvature import RestCurvature

Floats = npt.NDArray[np.float64]

# how much harder bending of the shortest waves is than inertia, h² B/m, up to which it need not be solved for in each
# substep: between two solves springs crumple what is harder. A tenth of where strips began to flutter:
# docs/experiments.md, Bending in every other substep
HARDEST_AT_INTERVALS = 1e3


@dataclass(frozen=True)
class Plate:
    """What bends at once.

    Attributes:
        matrix: see ``Bending``, of all vertices of the mesh.
        damping_time: of the material, at most [s].
        rest: what the rest shape adds; None where it is flat.
    """

    matrix: SparseRows
    damping_time: float
    rest: RestCurvature | None = None

    def block(
        self, positions: Floats, inverse_masses: Floats, h: float, substeps: int = 1, most: int = 1
    ) -> ConstraintBlock:
        """The constraint.

        Args:
            positions: of the particles at rest [m], shape (particles, 3).
            inverse_masses: [1/kg], shape (particles,).
            h: duration of a substep [s].
            substeps: of a frame.
            most: substeps from one solve to the next, at most.
        """
        own = self.matrix.rows == self.matrix.columns
        hardness = float((inverse_masses[self.matrix.rows] * self.matrix.values)[own].max(initial=0.0))
        every = next((n for n in range(most, 1, -1) if (n * h) ** 2 * hardness <= HARDEST_AT_INTERVALS), 1)
        masses = np.divide(1.0, inverse_masses, out=np.zeros(len(positions)), where=inverse_masses > 0.0)
        block = build_plate_bending(positions, self.matrix, masses, h, self.damping_time, every, self.rest, substeps)
        return block.following("bending_stiffness")
