# SPDX-License-Identifier: GPL-3.0-or-later
"""What keys have to reproduce, and how far they are from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Coordinates = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]
Stop = Callable[[], bool]


class ReductionStoppedError(Exception):
    """Whoever asked for a reduction does not want it any more."""


@dataclass(frozen=True)
class Motion:
    """The simulated frames of one object.

    Attributes:
        frames: their numbers, ascending.
        coordinates: local ones at each frame, in Blender units, shape (frames, vertices, 3), float32.
        reference: those of the key that relative keys are relative to, shape (vertices, 3), float32.
        to_world: from local coordinates in Blender units to the world [m], shape (frames or 1, 3, 3).
        times: evaluation time of each frame, where an absolute key of it stands.
    """

    frames: tuple[int, ...]
    coordinates: Coordinates
    reference: Coordinates
    to_world: Floats
    times: tuple[float, ...]

    @property
    def vertex_count(self) -> int:
        """Vertices of the object."""
        return len(self.reference)

    def distance(self, index: int, played: Coordinates) -> float:
        """How far coordinates, shape (vertices, 3), are from those of a frame: the greatest of all vertices [m]."""
        return float(np.sqrt(self._squares(index, played).max()))

    def distances(self, index: int, played: Coordinates) -> Coordinates:
        """How far each vertex is from where it is at a frame [m], shape (vertices,)."""
        distances: Coordinates = np.sqrt(self._squares(index, played))
        return distances

    def _squares(self, index: int, played: Coordinates) -> Coordinates:
        linear = self.to_world[index if len(self.to_world) > 1 else 0].astype(np.float32)
        world = (played - self.coordinates[index]) @ linear.T
        squares: Coordinates = np.einsum("ij,ij->i", world, world)
        return squares

    def rounding(self) -> float:
        """What float32 may add to a distance [m]: four units in the last place of the greatest coordinate."""
        farthest = max(float(np.abs(self.coordinates).max()), float(np.abs(self.reference).max()))
        return 4.0 * float(np.spacing(np.float32(farthest))) * float(np.linalg.norm(self.to_world, axis=(1, 2)).max())
