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


def sums_by_label(labels: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    """Sums of the values of equal labels, shape (count, …).

    Args:
        labels: 0 … count−1, shape (values,).
        values: shape (values, …).
        count: of the labels.
    """
    columns = values.reshape(len(values), -1)
    sums = np.stack([np.bincount(labels, column, minlength=count) for column in columns.T], axis=1)
    return sums.reshape(count, *values.shape[1:])
