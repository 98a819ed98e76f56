# SPDX-License-Identifier: GPL-3.0-or-later
"""Do the triangles of a surface agree which side is outside?"""

from __future__ import annotations

import numpy as np

from ..components import connected_components


def disagreeing_triangles(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Find the triangles that are the wrong way round in the patch that they belong to.

    A patch hangs together by edges of exactly two triangles; the larger area decides. A patch that cannot be oriented
    (a Möbius strip) stays as it is. Patches are not compared with each other.

    Args:
        points: vertices, shape (vertices, 3).
        triangles: shape (triangles, 3).

    Returns:
        Which triangles to turn over, shape (triangles,), bool.
    """
    count = len(triangles)
    # Every triangle is two nodes, itself and itself turned over; neighbours are linked in the ways that agree.
    first, second, agree = _neighbours(triangles)
    turned = np.where(agree, 0, count)
    links = np.concatenate(
        [
            np.stack([first, second + turned], axis=1),
            np.stack([first + count, (second + turned + count) % (2 * count)], axis=1),
        ]
    )
    side = connected_components(2 * count, links)
    as_is, over = side[:count], side[count:]
    a, b, c = (points[triangles[:, i]] for i in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    weight = np.bincount(as_is, areas, minlength=2 * count)
    flip = (weight[over] > weight[as_is]) | ((weight[over] == weight[as_is]) & (over < as_is))
    return flip & (as_is != over)


def _neighbours(triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of triangles on the two sides of an edge, and whether they run along it in opposite directions."""
    start = triangles.reshape(-1).astype(np.int64)
    end = np.roll(triangles, -1, axis=1).reshape(-1).astype(np.int64)
    keys = (np.minimum(start, end) << 32) | np.maximum(start, end)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    begins = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    begins = begins[np.diff(np.r_[begins, len(ordered)]) == 2]
    first, second = order[begins], order[begins + 1]
    return first // 3, second // 3, start[first] != start[second]
