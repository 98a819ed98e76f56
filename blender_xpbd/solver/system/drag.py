# SPDX-License-Identifier: GPL-3.0-or-later
"""What drag does in a substep: functions of z = k h, with the rate k of the drag [1/s], exact and good for any z."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# of z, below which differences of exponentials are too rough
_LEAST = 1e-4


def mean(z: Floats) -> Floats:
    """(1 − e⁻ᶻ)/z, the mean of a velocity over a substep that begins with 1 and has only drag."""
    return np.where(z > 0.0, -np.expm1(-z) / _not_zero(z), 1.0)


def fall(z: Floats) -> Floats:
    """(1 − (1 − e⁻ᶻ)/z)/z, the mean of a velocity over h g, for a substep that begins at rest; ½ without drag."""
    return np.where(z < _LEAST, 0.5 - z / 6.0, (1.0 - mean(z)) / _not_zero(z))


def kept(z: Floats) -> Floats:
    """z/(eᶻ − 1), the velocity at the end of a substep over its mean, with drag alone."""
    with np.errstate(over="ignore"):
        return np.where(z < _LEAST, 1.0 - 0.5 * z, z / np.where(z > 0.0, np.expm1(z), 1.0))


def reached(z: Floats) -> Floats:
    """(1 − z/(eᶻ − 1))/z, the velocity over h g at the end of a substep whose mean is 0; ½ without drag."""
    return np.where(z < _LEAST, 0.5 - z / 12.0, (1.0 - kept(z)) / _not_zero(z))


def response(z: Floats, *, is_bdf2: bool) -> Floats:
    """By what share an impulse changes the velocity after a substep in which it acts evenly.

    Gravity and constraints alike: masses are divided by this, so that drag changes nothing of what rests.
    """
    own = mean(z)
    return own * (2.0 - np.expm1(-z)) / 2.0 if is_bdf2 else own


def _not_zero(z: Floats) -> Floats:
    return np.where(z > 0.0, z, 1.0)
