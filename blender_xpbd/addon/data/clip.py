# SPDX-License-Identifier: GPL-3.0-or-later
"""Which frames of a bake are shown, when, and how fast."""

from __future__ import annotations

import math
from dataclasses import dataclass

SLOWEST, FASTEST = 0.01, 50.0


def is_speed(speed: float) -> bool:
    """Whether a bake can be shown so fast."""
    # a property of Blender has single precision: its own minimum may come out below
    return SLOWEST * (1.0 - 1e-6) <= speed <= FASTEST


@dataclass(frozen=True)
class Clip:
    """What is shown of a bake; before and after it the first and the last state stand still.

    Attributes:
        first, last: the frames of the bake that are shown.
        start: the frame of the scene at which the first is shown.
        speed: frames of the bake per frame of the scene.
    """

    first: int
    last: int
    start: int
    speed: float = 1.0

    @property
    def end(self) -> int:
        """The frame of the scene at which the last is shown, or the next one after that."""
        # a ten-thousandth of a frame is what rounding may have added
        return self.start + math.ceil((self.last - self.first) / self.speed - 1e-4)

    @property
    def is_whole(self) -> bool:
        """Whether frames are shown when they were simulated; some may be cut off."""
        return self.start == self.first and self.speed == 1.0

    def baked_frame(self, frame: float) -> float:
        """The frame of the bake that a frame of the scene shows."""
        return min(max(self.first + (frame - self.start) * self.speed, self.first), self.last)

    def scene_frame(self, baked: float) -> float:
        """When a frame of the bake would be shown, were nothing cut off."""
        return self.start + (baked - self.first) / self.speed
