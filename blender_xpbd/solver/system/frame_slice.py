# SPDX-License-Identifier: GPL-3.0-or-later
"""A frame in equal slices, each of which has as many substeps as a whole frame."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class FrameSlice(NamedTuple):
    """One slice of a frame.

    Attributes:
        number: of the slice, from 0.
        of: how many slices the frame has.
    """

    number: int = 0
    of: int = 1

    def times(self, substeps: int) -> Floats:
        """The boundaries of its substeps as shares of the frame, shape (substeps + 1,)."""
        times: Floats = (self.number + np.linspace(0.0, 1.0, substeps + 1)) / self.of
        return times

    def ends(self, start: Floats, end: Floats) -> tuple[Floats, Floats]:
        """Where the slice begins and ends on the straight way from one place to another.

        A whole frame has the places themselves.
        """
        first, last = self.number / self.of, (self.number + 1) / self.of
        way = end - start
        return start + first * way if first > 0.0 else start, start + last * way if last < 1.0 else end


WHOLE = FrameSlice()
