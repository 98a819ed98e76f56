# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps towards a fixed point, mixed so that what is left is least (Anderson 1965; Walker & Ni 2011, alg. AA)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# steps that are remembered
_MEMORY = 20
# of the greatest: combinations of steps whose squares are less are none
_SMALLEST = 1e-15


class Acceleration:
    """Mixes a step with those before it."""

    def __init__(self) -> None:
        """No step yet."""
        self._places: list[Floats] = []
        self._steps: list[Floats] = []

    def next(self, place: Floats, step: Floats) -> Floats:
        """Where to go from a place.

        Args:
            place: any shape.
            step: that leads from there nearer to the fixed point, where nothing else moves; in that shape.
        """
        self._places = [*self._places[-_MEMORY:], place]
        self._steps = [*self._steps[-_MEMORY:], step]
        if len(self._steps) == 1:
            return place + step
        step_changes = np.stack([np.ravel(b - a) for a, b in zip(self._steps, self._steps[1:], strict=False)], axis=1)
        place_changes = np.stack(
            [np.ravel(b - a) for a, b in zip(self._places, self._places[1:], strict=False)], axis=1
        )
        # of the normal equations: a few rows, however many vertices there are
        products = step_changes.T @ step_changes
        shares = np.linalg.lstsq(products, step_changes.T @ step.ravel(), rcond=_SMALLEST)[0]
        mixed = (place_changes + step_changes) @ shares
        result: Floats = place + step - mixed.reshape(place.shape)
        return result
