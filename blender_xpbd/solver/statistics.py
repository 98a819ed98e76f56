# SPDX-License-Identifier: GPL-3.0-or-later
"""What an artist wants to know of each frame: strain, volume, inverted tetrahedra."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..geometry.edges import edge_lengths
from ..geometry.tetrahedra import signed_volumes
from .system import System

STATISTICS = ("greatest_strain", "mean_strain", "volume_change", "inverted_tetrahedra")
RESIDUAL = "residual"


class Measure:
    """Measures frames against the rest pose.

    Attributes:
        names: of the columns; with the residual where the settings ask for it.
    """

    def __init__(self, system: System) -> None:
        """Take rest lengths and volumes from a system."""
        self.names = (*STATISTICS, RESIDUAL) if system.scene.settings.measure_residual else STATISTICS
        self._models = system.models
        self._starts = system.starts
        self._edges, self._rest_lengths = [], []
        for model in system.models:
            edges, lengths = model.edges, edge_lengths(model.positions, model.edges)
            # edges without length have no strain
            if not (long := lengths > 0.0).all():
                edges, lengths = edges[long], lengths[long]
            self._edges.append(edges)
            self._rest_lengths.append(lengths)
        self._rest_volumes = [signed_volumes(model.positions, model.tetrahedra).sum() for model in system.models]

    def __call__(
        self, positions: npt.NDArray[np.float32], residuals: npt.NDArray[np.float64] | None = None
    ) -> npt.NDArray[np.float64]:
        """Statistics of a frame.

        Args:
            positions: of all particles [m], shape (particles, 3).
            residuals: of each body [m], where they are measured.

        Returns:
            shape (bodies, columns), columns as in ``names``: greatest |strain| of the edges and its mean, weighted by
            their rest lengths so that a tiny face does not count for all; volume change as a share of the rest
            volume, number of inverted tetrahedra, and the residual.
        """
        rows = np.zeros((len(self._models), len(self.names)))
        if residuals is not None:
            rows[:, len(STATISTICS)] = residuals
        for row, model in enumerate(self._models):
            mine = positions[self._starts[row] : self._starts[row + 1]]
            if len(self._edges[row]):
                rest_lengths = self._rest_lengths[row]
                changes = np.abs(edge_lengths(mine, self._edges[row]) - rest_lengths)
                rows[row, 1] = changes.sum() / rest_lengths.sum()
                changes /= rest_lengths
                rows[row, 0] = changes.max()
            if len(model.tetrahedra):
                volumes = signed_volumes(mine, model.tetrahedra)
                rows[row, 2] = volumes.sum() / self._rest_volumes[row] - 1.0
                rows[row, 3] = np.count_nonzero(volumes <= 0.0)
        return rows
