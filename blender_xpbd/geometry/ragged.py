# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of lists as flat arrays."""

from __future__ import annotations

import numpy as np


def ramp(counts: np.ndarray) -> np.ndarray:
    """0 … n−1 for every n of counts, one after another; shape (sum of counts,), int64.

    Args:
        counts: shape (lists,), not negative.
    """
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
