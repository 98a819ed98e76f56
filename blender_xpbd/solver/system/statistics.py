# SPDX-License-Identifier: GPL-3.0-or-later
"""What an artist wants to know of each frame, of all bodies."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...bodies.kinds import solver_kind
from ...bodies.measures import STATISTICS
from .contact_statistics import CONTACT_STATISTICS
from .system import System

RESIDUAL = "residual"

Floats = npt.NDArray[np.float64]


class Measure:
    """Measures frames against the rest pose.

    Attributes:
        names: of the columns; with those of contact where something may meet, and with the residual where the settings
            ask for it.
    """

    def __init__(self, system: System, *, has_contact: bool = False) -> None:
        """Take rest lengths and volumes from a system; with columns of contact or without."""
        contact = CONTACT_STATISTICS if has_contact else ()
        residual = (RESIDUAL,) if system.scene.settings.measure_residual else ()
        self.names = (*STATISTICS, *contact, *residual)
        self._starts = system.starts
        self._measures = [solver_kind(model.body).measure(model) for model in system.models]

    def __call__(
        self, positions: npt.NDArray[np.float32], residuals: Floats | None = None, contact: Floats | None = None
    ) -> Floats:
        """Statistics of a frame.

        Args:
            positions: of all particles [m], shape (particles, 3).
            residuals: of each body [m], where they are measured.
            contact: columns as in ``CONTACT_STATISTICS``, where there are such.

        Returns:
            shape (bodies, columns), columns as in ``names``.
        """
        rows = np.zeros((len(self._measures), len(self.names)))
        if residuals is not None:
            rows[:, self.names.index(RESIDUAL)] = residuals
        if contact is not None:
            rows[:, len(STATISTICS) : len(STATISTICS) + len(CONTACT_STATISTICS)] = contact
        for row, measure in enumerate(self._measures):
            rows[row, : len(STATISTICS)] = measure(positions[self._starts[row] : self._starts[row + 1]])
        return rows
