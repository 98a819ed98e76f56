# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an object is between two frames."""

from __future__ import annotations

import mathutils
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def matrix_at(matrices: Floats, time: float) -> Floats:
    """The matrix at a time, shape (4, 4): of a motion that turns evenly from each frame to the next.

    Args:
        matrices: at whole times from 0 on, shape (frames or 1, 4, 4), one where nothing moves.
        time: in frames, at most that of the last.
    """
    if len(matrices) == 1:
        return matrices[0]
    before = min(int(time), len(matrices) - 1)
    share = time - before
    if share <= 0.0:
        return matrices[before]
    ends = [mathutils.Matrix(matrix.tolist()) for matrix in matrices[before : before + 2]]
    between = np.array(ends[0].lerp(ends[1], share))
    straight: Floats = (1.0 - share) * matrices[before] + share * matrices[before + 1]
    # single precision, and without shear: places go by the straight way where nothing turns
    turns = np.abs(matrices[before, :3, :3] - matrices[before + 1, :3, :3]).max() > 0.0
    return np.asarray(between, np.float64) if turns else straight
