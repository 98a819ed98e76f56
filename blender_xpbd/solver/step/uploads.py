# SPDX-License-Identifier: GPL-3.0-or-later
"""What is copied to the device from frame to frame: only what differs from the last one."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from ...device.arrays import require_finite, write_array
from .state import State


class Uploads:
    """Copies tables to a state; most pins, colliders and parameters stand still."""

    def __init__(self, state: State) -> None:
        """Nothing has been copied yet."""
        self._state = state
        self._uploaded: dict[str, npt.NDArray[Any]] = {}

    def write(self, name: str, values: npt.NDArray[Any]) -> None:
        """Copy to an array of the state where it differs from what was copied there last.

        Args:
            name: of pack and array, as "targets.starts".
            values: in the shape of the array, or with no numbers, which are not copied.

        Raises:
            XpbdError: E_NONFINITE.
        """
        if values.size and not np.array_equal(self._uploaded.get(name, ()), values):
            array = operator.attrgetter(name)(self._state)
            require_finite(values, array.dtype)
            write_array(array, values)
            self._uploaded[name] = values
