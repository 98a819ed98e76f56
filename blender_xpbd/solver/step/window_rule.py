# SPDX-License-Identifier: GPL-3.0-or-later
"""Where particles are expected to go in a window of substeps with contact.

A search lists pairs for where particles will be; where one goes elsewhere, the window ends and another search is due.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def expected_fall(velocities: npt.NDArray[np.floating[Any]], gravity: Floats, duration: float) -> Floats:
    """The share of gravity by which particles are expected to be accelerated, from 0 to 1.

    What lies or hangs has no speed and keeps none, for something holds it. What falls or flies goes up or down faster
    than gravity makes it in a frame. The speed alone tells, so a frame depends on nothing but its state.

    Args:
        velocities: [m/s], shape (particles, 3).
        gravity: [m/s²], shape (3,).
        duration: of a frame [s].

    Returns:
        Shape (particles,).
    """
    full = float(gravity @ gravity) * duration
    if full == 0.0:
        return np.zeros(len(velocities))
    return np.minimum(np.abs(velocities @ gravity) / full, 1.0)
