# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a set of points, by recursive coordinate bisection (Berger & Bokhari 1987)."""

from __future__ import annotations

import numpy as np


def bisect(points: np.ndarray, part_count: int, share: float = 0.5) -> np.ndarray:
    """Cut points into compact parts: in two across the widest axis, again and again.

    Args:
        points: shape (points, 3).
        part_count: a power of 2.
        share: of the points that come into the first of two parts.

    Returns:
        The part of each point, shape (points,), int32, 0 … part_count − 1. Ties go by the order of the points.

    Raises:
        ValueError: ``part_count`` is no power of 2.
    """
    if part_count < 1 or part_count & (part_count - 1):
        raise ValueError(f"{part_count} is no power of 2")
    labels = np.zeros(len(points), np.int32)
    parts = [np.arange(len(points))]
    while len(parts) < part_count:
        parts = [half for part in parts for half in _halves(points, part, share)]
    for number, part in enumerate(parts):
        labels[part] = number
    return labels


def _halves(points: np.ndarray, part: np.ndarray, share: float) -> tuple[np.ndarray, np.ndarray]:
    if len(part) < 2:
        return part, part[:0]
    axis = int(np.argmax([np.ptp(points[part, axis]) for axis in range(3)]))
    order = part[np.argsort(points[part, axis], kind="stable")]
    middle = int(len(part) * share)
    return order[:middle], order[middle:]
