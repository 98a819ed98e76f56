# SPDX-License-Identifier: GPL-3.0-or-later
"""Where particles are after every substep of a frame, for who follows them, and a chance to act before each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..system.frame_slice import FrameSlice
from .frame_samples import FrameSamples

Floats = npt.NDArray[np.floating[Any]]


class StepSamples(FrameSamples):
    """As ``FrameSamples``; a launch ends after each substep.

    Attributes:
        particles: of so many, the first ones, places are kept; None for all.
        steps: places of the particles by the number of substeps that the frame has had, shape (particles, 3) [m].
        before_step: called before each substep of a slice but its first, with the slice and the substep; None for
            nothing.
    """

    def __init__(self, count: int, substeps: int) -> None:
        """Arguments and errors as of ``FrameSamples``."""
        super().__init__(count, substeps)
        self.particles: int | None = None
        self.steps: dict[int, Floats] = {}
        self.before_step: Callable[[FrameSlice, int], None] | None = None

    def stops(self, frame_slice: FrameSlice) -> list[int]:
        """After every substep, whatever the slice."""
        del frame_slice
        return list(range(1, self.substeps + 1))

    def note(self, frame_slice: FrameSlice, substeps: int, read: Callable[[], npt.NDArray[np.floating[Any]]]) -> None:
        """As of ``FrameSamples``; of a frame in slices every whole substep is kept."""
        super().note(frame_slice, substeps, read)
        number, rest = divmod(frame_slice.number * self.substeps + substeps, frame_slice.of)
        if not rest:
            self.steps[number] = np.array(read()[: self.particles, :3])
        if self.before_step is not None and substeps < self.substeps:
            self.before_step(frame_slice, substeps)

    def at(self, time: float) -> Floats:
        """Where particles are at a part of the frame, straight and even between substeps, shape (particles, 3) [m].

        Args:
            time: above 0, at most 1.
        """
        place = time * self.substeps
        # times of another number of substeps may be rounded
        after = max(int(np.ceil(place - 1e-9)), 1)
        share = place - (after - 1)
        if share > 1.0 - 1e-9:
            return self.steps[after]
        between: Floats = self.steps[after - 1] + share * (self.steps[after] - self.steps[after - 1])
        return between
