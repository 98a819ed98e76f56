# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the nodes and the primitives of a tree are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

# columns of a tree
FIRST_NODE, FIRST_PRIMITIVE, PRIMITIVE_COUNT, DEPTH, MEETS_ITSELF = range(5)


def level_starts(count: int, level: int) -> npt.NDArray[np.int64]:
    """First primitive of each node of a level, then their number; shape (2^level + 1,)."""
    return (count * np.arange((1 << level) + 1, dtype=np.int64)) >> level
