# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion through states at given times: straight between them, with velocities of second order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# the two around a moment and their neighbours, and some more for those who ask backwards
_KEPT_STATES = 6


class StateMotion:
    """States that are read when they are asked for, in about the order of time."""

    def __init__(self, times: Sequence[float], read: Callable[[int], Floats]) -> None:
        """Nothing is read.

        Args:
            times: of the states, ascending, at least one.
            read: a state by its number, shape (vertices, 3).
        """
        self._times = times
        self._state = lru_cache(maxsize=_KEPT_STATES)(read)
        self._rate = lru_cache(maxsize=2)(self._rate_of_state)

    def at(self, time: float) -> Floats:
        """On the straight line between the two states around a time."""
        return self._mixed(time, self._state)

    def rate(self, time: float) -> Floats:
        """Change per unit of time: of parabolas through three states, mixed in between (Fornberg 1988)."""
        return self._mixed(time, self._rate)

    def _mixed(self, time: float, read: Callable[[int], Floats]) -> Floats:
        last = len(self._times) - 1
        before = min(max(bisect_right(self._times, time) - 1, 0), last)
        span = self._times[before + 1] - self._times[before] if before < last else 1.0
        share = (time - self._times[before]) / span
        if share <= 0.0 or before == last:
            return read(before)
        return (1.0 - share) * read(before) + share * read(before + 1)

    def _rate_of_state(self, number: int) -> Floats:
        count = len(self._times)
        if count == 1:
            return np.zeros_like(self._state(0))
        first = min(max(number - 1, 0), max(count - 3, 0))
        around = range(first, min(first + 3, count))
        weights = _slopes([self._times[other] for other in around], self._times[number])
        return np.asarray(sum(weight * self._state(other) for weight, other in zip(weights, around, strict=True)))


def _slopes(times: list[float], time: float) -> list[float]:
    """Weights of values at two or three times in the slope, at one of them, of the polynomial through all."""
    weights = []
    for one in times:
        others = [other for other in times if other != one]
        scale = np.prod([one - other for other in others])
        weights.append(float((1.0 if len(others) == 1 else 2.0 * time - sum(others)) / scale))
    return weights
