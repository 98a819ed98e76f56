# SPDX-License-Identifier: GPL-3.0-or-later
"""What an artist wants to know of a body at each frame: strain, volume, inverted tetrahedra."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..geometry.edges import edge_lengths
from ..geometry.solid.tetrahedra import signed_volumes
from .body_model import BodyModel

Positions = npt.NDArray[np.floating[Any]]

STATISTICS = ("greatest_strain", "mean_strain", "volume_change", "inverted_tetrahedra")
# from the positions of a body's particles [m], shape (particles, 3), to a number for each of ``STATISTICS``: greatest
# and mean |strain| of the edges, volume change as a share of the rest volume, number of inverted tetrahedra
MeasureBody = Callable[[Positions], tuple[float, float, float, float]]


def measure_cloth(model: BodyModel) -> MeasureBody:
    """Measures the strain of a body's edges."""
    strain = _measure_strain(model)
    return lambda positions: (*strain(positions), 0.0, 0.0)


def measure_jelly(model: BodyModel) -> MeasureBody:
    """Measures the strain of a body's edges and the volume of its tetrahedra."""
    strain = _measure_strain(model)
    rest_volume = signed_volumes(model.positions, model.tetrahedra).sum()

    def measure(positions: Positions) -> tuple[float, float, float, float]:
        volumes = signed_volumes(positions, model.tetrahedra)
        return *strain(positions), volumes.sum() / rest_volume - 1.0, np.count_nonzero(volumes <= 0.0)

    return measure


def _measure_strain(model: BodyModel) -> Callable[[Positions], tuple[float, float]]:
    """Measures greatest and mean |strain|; edges without length have none.

    The mean is weighted by the rest lengths, so that a tiny face does not count for all.
    """
    lengths = edge_lengths(model.positions, model.edges)
    is_long = lengths > 0.0
    edges, lengths = (model.edges, lengths) if is_long.all() else (model.edges[is_long], lengths[is_long])

    def measure(positions: Positions) -> tuple[float, float]:
        if len(edges) == 0:
            return 0.0, 0.0
        changes = np.abs(edge_lengths(positions, edges) - lengths)
        mean = changes.sum() / lengths.sum()
        changes /= lengths
        return float(changes.max()), float(mean)

    return measure
