# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of one solver as another one of the same bodies can go on from it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_OF_PARTICLES = ("positions", "velocities", "older_positions", "older_velocities", "corrections")


def fitted_state(
    name: str, array: npt.NDArray[np.generic], mine: npt.NDArray[np.generic], count: int
) -> npt.NDArray[np.generic] | None:
    """An array of another solver's state as this one has it; None where it does not fit.

    Of arrays of particles those of the bodies count, which come first; what is held by other anchors has others here.
    """
    if name == "anchors" or array.shape == mine.shape:
        return array
    if name not in _OF_PARTICLES or array.shape[1:] != mine.shape[1:] or min(len(array), len(mine)) < count:
        return None
    fitted = mine.copy()
    fitted[:count] = array[:count]
    return fitted
