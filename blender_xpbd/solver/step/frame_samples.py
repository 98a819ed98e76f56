# SPDX-License-Identifier: GPL-3.0-or-later
"""Where particles are at even times within a frame, each after a whole substep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..system.frame_slice import FrameSlice

Floats = npt.NDArray[np.floating[Any]]


class FrameSamples:
    """Notes places while a frame is simulated. A frame, or a slice, that is done again overwrites what it has noted.

    Attributes:
        substeps: of a frame.
        places: of the particles by the number of the sample, from 1, shape (particles, 3) [m].
    """

    def __init__(self, count: int, substeps: int) -> None:
        """Nothing is noted.

        Args:
            count: samples within a frame.
            substeps: of a frame.

        Raises:
            ValueError: where samples do not fall on substeps.
        """
        if substeps % (count + 1):
            raise ValueError(f"{count} samples do not fall on {substeps} substeps")
        self._every, self.substeps, self._count = substeps // (count + 1), substeps, count
        self.places: dict[int, Floats] = {}

    def stops(self, frame_slice: FrameSlice) -> list[int]:
        """After which substeps of a slice a launch has to end, ascending; the last one is among them."""
        within = range(1, self.substeps)
        return [*(stop for stop in within if self._number(frame_slice, stop)), self.substeps]

    def note(self, frame_slice: FrameSlice, substeps: int, read: Callable[[], npt.NDArray[np.floating[Any]]]) -> None:
        """Keep the places after so many substeps of a slice, where a sample is due then.

        Args:
            frame_slice: of the frame.
            substeps: that were simulated of it.
            read: gives the places of all particles, three columns or more.
        """
        if number := self._number(frame_slice, substeps):
            self.places[number] = np.array(read()[:, :3])

    def _number(self, frame_slice: FrameSlice, substeps: int) -> int:
        """The number of the sample that is due, or 0."""
        done = frame_slice.number * self.substeps + substeps
        number, rest = divmod(done, frame_slice.of * self._every)
        return number if rest == 0 and number <= self._count else 0


def whole_samples(substeps: int, count: int) -> int:
    """The fewest substeps, at least as many as given, of which so many samples within a frame fall on whole ones."""
    return -(-substeps // (count + 1)) * (count + 1)
