# SPDX-License-Identifier: GPL-3.0-or-later
"""How the parameters of constraints follow a material value that changes over the frames.

A type declares the laws of its columns (``ConstraintType.scales``), a block which of those values its rows were built
from (``ConstraintBlock.follows``). A track of such a value multiplies the columns of the body's rows by
``Scaling.factor``, whatever else is in them, so that nothing is built anew (``solver.system.tracks``). In PBD mode the
last column is the share of one projection, which follows nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

# on a length that nothing is to hold: no motion gets there
FREE_FACTOR = 1e6


@dataclass(frozen=True)
class Scaling:
    """A column that is proportional to (v + offset)^exponent of a material value v.

    Attributes:
        value: name of the material parameter.
        column: of the constraint's parameters; −1 is the last, the compliance.
        exponent: −1 for the compliance of a stiffness.
        offset: in the unit of the value.
        free_at: the value that means that nothing is held, if there is one.
    """

    value: str
    column: int
    exponent: float
    offset: float = 0.0
    free_at: float | None = None

    def factor(self, built: float, now: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """By what the column changes when the value does, in the shape of ``now``.

        Args:
            built: the value that the constraints were built from; built + offset is not 0.
            now: what it is now, one or several. A stiffness of 0 makes an infinite compliance.
        """
        values = np.asarray(now, np.float64)
        with np.errstate(divide="ignore"):
            factor: npt.NDArray[np.float64] = ((values + self.offset) / (built + self.offset)) ** self.exponent
        return factor if self.free_at is None else np.where(values == self.free_at, FREE_FACTOR, factor)


def compliances(exponent: float, *values: str) -> tuple[Scaling, ...]:
    """Laws of the last column, one for each of the values."""
    return tuple(Scaling(value, -1, exponent) for value in values)
