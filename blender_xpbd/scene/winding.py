# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a point is inside a surface, which may have holes and overlap."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def winds_around(point: Floats, corners: Floats) -> bool:
    """Whether a surface winds around a point.

    Source: van Oosterom & Strackee 1983, "The solid angle of a plane triangle".

    Args:
        point: shape (3,) [m].
        corners: of its triangles, shape (triangles, 3, 3) [m].
    """
    a, b, c = np.moveaxis(corners - point, 1, 0)
    la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
    volume = (a * np.cross(b, c)).sum(axis=1)
    flat = la * lb * lc + (a * b).sum(axis=1) * lc + (b * c).sum(axis=1) * la + (c * a).sum(axis=1) * lb
    return bool(abs(2.0 * np.arctan2(volume, flat).sum()) > 2.0 * np.pi)
