# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames that are keys, and what they hold as far as fewer keys are wanted."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ...scene.errors import XpbdError
from ..reduction.motion import Coordinates, Motion
from .key_target import Floats, KeyTarget


class WrittenFrames:
    """The frames of one object, in ascending order.

    Attributes:
        numbers: of the frames.
        times: where an absolute key of each stands.
    """

    def __init__(self, target: KeyTarget) -> None:
        """No frame.

        Args:
            target: that they are written to.
        """
        self._target = target
        self.clear()

    def clear(self) -> None:
        """Forget all of them.

        Raises:
            XpbdError: E_MEMORY, where what fewer keys need cannot be held.
        """
        target = self._target
        self.numbers: list[int] = []
        self.times: list[float] = []
        # memory that is not written to costs nothing
        rows = (target.end - target.start) // target.step + 2 if target.key_tolerance > 0.0 else 0
        try:
            self._coordinates: Coordinates = np.empty((rows, *target.mixed_shape.shape), np.float32)
        except MemoryError as fault:
            text = "There is too little memory to look for fewer keys: bake with a key tolerance of 0."
            raise XpbdError("E_MEMORY", text, target.name) from fault

    def add(self, frame: int, time: float, local: Floats) -> None:
        """Take a frame: when its key is played, and its local coordinates, shape (vertices, 3)."""
        if len(self._coordinates):
            self._coordinates[len(self.numbers)] = local
        self.numbers.append(frame)
        self.times.append(time)

    def replace(self, frame: int, local: Floats) -> None:
        """Take other coordinates of a frame that is there."""
        if len(self._coordinates):
            self._coordinates[self.numbers.index(frame)] = local

    def keep(self, frames: Collection[int]) -> bool:
        """Forget all others; whether there were any."""
        kept = [index for index, frame in enumerate(self.numbers) if frame in frames]
        if len(kept) == len(self.numbers):
            return False
        if len(self._coordinates):
            self._coordinates[: len(kept)] = self._coordinates[kept]
        self.numbers = [self.numbers[index] for index in kept]
        self.times = [self.times[index] for index in kept]
        return True

    def motion(self) -> Motion | None:
        """What fewer keys would have to reproduce; None where none are wanted or no frame is there."""
        target, count = self._target, len(self.numbers)
        if not count or not len(self._coordinates):
            return None
        rows = [frame - target.start if len(target.matrices) > 1 else 0 for frame in self.numbers]
        return Motion(
            tuple(self.numbers),
            self._coordinates[:count],
            target.mixed_shape.astype(np.float32),
            target.matrices[rows, :3, :3] * target.unit_scale,
            tuple(self.times),
        )
