# SPDX-License-Identifier: GPL-3.0-or-later
"""Where vertices of an object would be at each frame without a simulation: what pins and goals follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...scene.body import Pins
from ...scene.transforms import at_frame, transformed
from .deformed_motion import DeformedMotion

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# of the size of a mesh: armatures at rest round
_REST_TOLERANCE = 1e-6


@dataclass(frozen=True)
class BodyMotion:
    """The given motion of one object.

    Attributes:
        rest_shape: local coordinates of what is simulated, shape (vertices, 3).
        matrices: local to world in Blender units, shape (frames or 1, 4, 4).
        unit_scale: metres per Blender unit.
        deformed: the mesh as its deformers show it; None where vertices go with the object.
    """

    rest_shape: Floats
    matrices: Floats
    unit_scale: float
    deformed: DeformedMotion | None

    def pins(self, vertices: Ints, weights: npt.NDArray[np.float32]) -> Pins:
        """Vertices that follow it.

        Args:
            vertices: indices, shape (pins,).
            weights: shape (pins,).
        """
        if not len(vertices):
            return Pins()
        if self.deformed is None:
            return Pins.following(vertices, weights, motion_from_rest(self.matrices, self.unit_scale))
        return Pins(vertices, weights, still_once(self.places(vertices)))

    def places(self, vertices: Ints) -> Floats:
        """Of some vertices in the world [m], shape (frames or 1, vertices, 3)."""
        if self.deformed is None:
            shapes: list[npt.NDArray[np.floating]] = [self.rest_shape]
        else:
            shapes = [*self.deformed.shapes]
        count = max(len(shapes), len(self.matrices))
        rows = [
            transformed(
                at_frame(self.matrices, index), shapes[min(index, len(shapes) - 1)][vertices].astype(np.float64)
            )
            for index in range(count)
        ]
        return np.stack(rows) * self.unit_scale

    def start(self) -> Floats:
        """All vertices at the first frame in the world [m], where that is not at rest; else shape (0, 3)."""
        if self.deformed is None:
            return np.zeros((0, 3))
        shape = self.deformed.shapes[0].astype(np.float64)
        if np.abs(shape - self.rest_shape).max() <= _REST_TOLERANCE * np.ptp(self.rest_shape, axis=0).max():
            return np.zeros((0, 3))
        return transformed(self.matrices[0], shape) * self.unit_scale


def still_once(rows: Floats) -> Floats:
    """One row where nothing moves."""
    return rows[:1] if (rows == rows[0]).all() else rows


def motion_from_rest(matrices: Floats, unit_scale: float) -> Floats:
    """What takes the world at the first frame to each frame [m], shape (frames or 1, 4, 4); at the first one exactly 1.

    Args:
        matrices: local to world in Blender units, shape (frames or 1, 4, 4).
        unit_scale: metres per Blender unit.
    """
    motion: Floats = matrices @ np.linalg.inv(matrices[0])
    motion[0] = np.eye(4)
    motion[:, 3] = (0.0, 0.0, 0.0, 1.0)
    motion[:, :3, 3] *= unit_scale
    return motion
