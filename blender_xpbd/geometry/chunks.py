# SPDX-License-Identifier: GPL-3.0-or-later
"""Long arrays piece by piece: what is computed on the way then takes no memory, and stays in the processor's cache."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

# rows of some tens of bytes: a few of such arrays fit into a cache of a megabyte
CHUNK = 16384


def chunks(count: int, size: int = CHUNK) -> Iterator[slice]:
    """Slices of at most ``size`` that cover 0 … count − 1 in order.

    Args:
        count: rows.
        size: rows of a slice, positive.
    """
    for first in range(0, count, size):
        yield slice(first, min(first + size, count))


def coordinates(axes: np.ndarray, elements: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x, y and z of the corners of some elements, each of shape (corners, elements).

    Args:
        axes: x, y and z of all vertices, shape (3, vertices), in one piece.
        elements: vertices that there are, shape (elements, corners).
    """
    vertices = np.ascontiguousarray(elements.T, dtype=np.intp)
    # "clip" is the quick mode: it looks after no errors
    x, y, z = (np.take(axis, vertices, mode="clip") for axis in axes)
    return x, y, z
