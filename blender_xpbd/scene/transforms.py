# SPDX-License-Identifier: GPL-3.0-or-later
"""Points after a transform, and what is given for one frame or for all."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def transformed(matrix: Floats, points: Floats) -> Floats:
    """Points, shape (n, 3), after a transform, shape (4, 4)."""
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def at_frame(rows: Floats, frame_index: int) -> Floats:
    """The row of a frame, counted from the start, of rows for one or all frames; the last one counts for what follows.

    Args:
        rows: shape (frames or 1, …).
        frame_index: at least 0.
    """
    row: Floats = rows[min(frame_index, len(rows) - 1)]
    return row
