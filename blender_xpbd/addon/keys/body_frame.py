# SPDX-License-Identifier: GPL-3.0-or-later
"""What a frame holds of one body: what its result is made from, whatever kind that is."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class BodyFrame:
    """A body at a frame.

    Attributes:
        positions: of its vertices in the world [m], shape (vertices, 3).
        orientations: from rest into the world, unit quaternions (w, x, y, z), shape (orientations, 4).
    """

    positions: Floats
    orientations: Floats = field(default_factory=lambda: np.zeros((0, 4)))
