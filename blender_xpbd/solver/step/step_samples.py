# SPDX-License-Identifier: GPL-3.0-or-later
"""What the state is after every substep of a frame, for who follows it, and a chance to change it there."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from ..system.frame_slice import FrameSlice
from .frame_samples import FrameSamples

Floats = npt.NDArray[np.floating[Any]]
StepState = Mapping[str, Floats]


class StepSamples(FrameSamples):
    """As ``FrameSamples``; a launch ends after each substep, and the state is kept then.

    A frame may be simulated several times, in slices too. What was noted in each pass is kept in the order in which it
    was, so that another solver, which takes the same way, finds what there was at the same point of it.

    Attributes:
        read_state: gives what is kept of the state; None for nothing.
        after_step: called after each substep of a slice, before anything is noted, with the slice and the substeps
            that were simulated of it; None for nothing.
    """

    def __init__(self, count: int, substeps: int) -> None:
        """Arguments and errors as of ``FrameSamples``."""
        super().__init__(count, substeps)
        self.read_state: Callable[[], StepState] | None = None
        self.after_step: Callable[[FrameSlice, int], None] | None = None
        self._before: StepState = {}
        self._tape: list[tuple[tuple[FrameSlice, int], StepState]] = []
        self._mark = 0

    def begin(self, before: StepState) -> None:
        """Forget the frame before; this one begins in a state."""
        self._before, self._tape, self._mark = before, [], 0

    def mark(self) -> None:
        """What is noted from here on may be done again."""
        self._mark = len(self._tape)

    def rewind(self) -> None:
        """What was noted since the mark is done again."""
        del self._tape[self._mark :]

    def fill(self, states: Mapping[int, StepState]) -> None:
        """Keep states that come from elsewhere, by the number of substeps that the frame has had then."""
        for number, state in sorted(states.items()):
            self._tape.append(((FrameSlice(), number), state))

    def stops(self, frame_slice: FrameSlice) -> list[int]:
        """After every substep, whatever the slice."""
        del frame_slice
        return list(range(1, self.substeps + 1))

    def note(self, frame_slice: FrameSlice, substeps: int, read: Callable[[], npt.NDArray[np.floating[Any]]]) -> None:
        """As of ``FrameSamples``; with the state."""
        if self.after_step is not None:
            self.after_step(frame_slice, substeps)
        super().note(frame_slice, substeps, read)
        if self.read_state is not None:
            self._tape.append(((frame_slice, substeps), self.read_state()))

    def find(self, frame_slice: FrameSlice, substeps: int, first: int) -> tuple[int, StepState] | None:
        """The state that was noted at a point of the way, and its number among all notes.

        Args:
            frame_slice: of the frame.
            substeps: that were simulated of it.
            first: the number from which on it is looked for.

        Returns:
            None where the way has not led there.
        """
        for number in range(first, len(self._tape)):
            point, state = self._tape[number]
            if point == (frame_slice, substeps):
                return number, state
        return None

    def at(self, time: Fraction) -> StepState:
        """The state at a part of the frame, straight and even between substeps of the last pass.

        Args:
            time: from 0 to 1.
        """
        last = {Fraction(0): self._before}
        for (frame_slice, substeps), state in self._tape:
            last[Fraction(frame_slice.number * self.substeps + substeps, frame_slice.of * self.substeps)] = state
        if time in last:
            return last[time]
        times = sorted(last)
        after = bisect_left(times, time)
        begin, end = times[after - 1], times[after]
        share = float((time - begin) / (end - begin))
        return {name: array + share * (last[end][name] - array) for name, array in last[begin].items()}
