# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a body turns by itself: segments of rods, grains that are not balls. Most bodies have none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Orientations:
    """Orientations with their inertia, which is the same about all axes (Kugelstadt & Schömer 2016, §4).

    Attributes:
        rotations: from rest into the world, unit quaternions (w, x, y, z), shape (orientations, 4).
        inverse_inertias: [1/(kg m²)], shape (orientations,); 0 where nothing turns one.
        angular_velocities: at first, in the world [rad/s], shape (orientations, 3).
    """

    rotations: Floats = field(default_factory=lambda: np.zeros((0, 4)))
    inverse_inertias: Floats = field(default_factory=lambda: np.zeros(0))
    angular_velocities: Floats = field(default_factory=lambda: np.zeros((0, 3)))

    def __len__(self) -> int:
        return len(self.rotations)

    @classmethod
    def joined(cls, parts: Iterable[Orientations]) -> Orientations:
        """Those of several bodies, one after the other."""
        every = [cls(), *parts]
        return cls(
            np.concatenate([part.rotations for part in every]),
            np.concatenate([part.inverse_inertias for part in every]),
            np.concatenate([part.angular_velocities for part in every]),
        )
