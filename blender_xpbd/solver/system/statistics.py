# SPDX-License-Identifier: GPL-3.0-or-later
"""What an artist wants to know of each frame, of all bodies."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...bodies.kinds import solver_kind
from ...bodies.measures import STATISTICS
from .system import System

RESIDUAL = "residual"


class Measure:
    """Measures frames against the rest pose.

    Attributes:
        names: of the columns; with the residual where the settings ask for it.
    """

    def __init__(self, system: System) -> None:
        """Take rest lengths and volumes from a system."""
        self.names = (*STATISTICS, RESIDUAL) if system.scene.settings.measure_residual else STATISTICS
        self._starts = system.starts
        self._measures = [solver_kind(model.body).measure(model) for model in system.models]

    def __call__(
        self, positions: npt.NDArray[np.float32], residuals: npt.NDArray[np.float64] | None = None
    ) -> npt.NDArray[np.float64]:
        """Statistics of a frame.

        Args:
            positions: of all particles [m], shape (particles, 3).
            residuals: of each body [m], where they are measured.

        Returns:
            shape (bodies, columns), columns as in ``names``: those of ``bodies.measures``, and the residual.
        """
        rows = np.zeros((len(self._measures), len(self.names)))
        if residuals is not None:
            rows[:, len(STATISTICS)] = residuals
        for row, measure in enumerate(self._measures):
            rows[row, : len(STATISTICS)] = measure(positions[self._starts[row] : self._starts[row + 1]])
        return rows
