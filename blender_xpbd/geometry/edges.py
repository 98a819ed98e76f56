# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths of edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .chunks import chunks, coordinates


def edge_lengths(
    positions: npt.NDArray[np.floating[Any]], edges: npt.NDArray[np.integer[Any]]
) -> npt.NDArray[np.floating[Any]]:
    """Lengths of edges [m], shape (edges,), in the precision of the positions.

    Args:
        positions: [m], shape (vertices, 3).
        edges: shape (edges, 2).
    """
    axes = np.ascontiguousarray(positions.T)
    lengths = np.empty(len(edges), positions.dtype)
    for part in chunks(len(edges)):
        dx, dy, dz = (ends[0] - ends[1] for ends in coordinates(axes, edges[part]))
        lengths[part] = np.sqrt(dx * dx + dy * dy + dz * dz)
    return lengths
