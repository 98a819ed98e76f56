# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinates along the own axes of a body, so that what is laid over it turns with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# of a body's extent: finer differences come from the rounding of its rotation. Blender's is rounded to 24 bits
GRAIN = 2.0**-20
# what is added before cutting to whole grains: not a half, because vertices of a cage often lie at halves
ROUND_UP = 0.637


@dataclass(frozen=True)
class OwnFrame:
    """Where the world's points are along the axes of a body.

    Attributes:
        axes: in the world, as columns of a rotation, shape (3, 3).
        origin: lowest coordinates along them [m], shape (3,).
    """

    axes: Floats
    origin: Floats

    def of(self, points: Floats) -> Floats:
        """Own coordinates of points of the world [m], shape (points, 3)."""
        if self.is_world:
            return points
        own: Floats = points @ self.axes - self.origin
        return own

    def to_world(self, points: Floats) -> Floats:
        """Points of the world from own coordinates [m], shape (points, 3)."""
        if self.is_world:
            return points
        world: Floats = (points + self.origin) @ self.axes.T
        return world

    def rounded(self, points: Floats) -> Floats:
        """Own coordinates of points of the world [m], shape (points, 3): the same however the body is turned.

        Whether a vertex on the border of two cells belongs to one or the other is else decided by rounding errors.
        """
        if self.is_world:
            return points
        own = self.of(points)
        grain = GRAIN * 2.0 ** np.floor(np.log2(max(float(np.ptp(own, axis=0).max()), 1e-300)))
        rounded: Floats = np.floor(own / grain + ROUND_UP) * grain
        return rounded

    def upright(self, points: Floats) -> Floats:
        """Points of the world [m] as if the body stood upright, at the same place, shape (points, 3)."""
        if self.is_world:
            return points
        own = self.rounded(points)
        return own + (_middle(points) - _middle(own))

    @property
    def is_world(self) -> bool:
        """Whether own coordinates are those of the world, to the last bit."""
        return bool((self.axes == np.eye(3)).all())


def own_frame(points: Floats, axes: Floats) -> OwnFrame:
    """The frame of a body.

    Args:
        points: of the body [m], shape (points, 3).
        axes: as of ``scene.Body``, shape (3, 3).
    """
    return OwnFrame(axes, (points @ axes).min(axis=0))


def _middle(points: Floats) -> Floats:
    middle: Floats = 0.5 * (points.min(axis=0) + points.max(axis=0))
    return middle
