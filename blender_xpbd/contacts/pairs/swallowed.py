# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids that lie inside another one: no edge goes through a triangle, and still they overlap."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...geometry.search.surfaces import Surfaces

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def swallowed(surfaces: Surfaces, positions: Floats, solids: Bools) -> list[tuple[int, int]]:
    """Pairs of objects that see each other, of which one lies inside the other; the lower number comes first.

    Args:
        surfaces: of all objects.
        positions: of the surface points [m], shape (points, 3).
        solids: which objects fill the space inside their surface, shape (objects,).
    """
    numbers = np.flatnonzero(solids)
    if len(numbers) < 2:
        return []
    starts = surfaces.point_starts
    lows = np.array([positions[starts[n] : starts[n + 1]].min(axis=0) for n in numbers])
    highs = np.array([positions[starts[n] : starts[n + 1]].max(axis=0) for n in numbers])
    fits = (lows[:, None] >= lows[None]).all(axis=2) & (highs[:, None] <= highs[None]).all(axis=2)
    inner, outer = numbers[np.argwhere(fits & surfaces.sees[np.ix_(numbers, numbers)]).T]
    return [
        (int(min(a, b)), int(max(a, b)))
        for a, b in zip(inner, outer, strict=True)
        if a != b and _is_inside(positions[starts[a]], _corners(surfaces, positions, b))
    ]


def _corners(surfaces: Surfaces, positions: Floats, number: int) -> Floats:
    triangles = surfaces.triangles[surfaces.triangle_starts[number] : surfaces.triangle_starts[number + 1]]
    corners: Floats = positions[triangles]
    return corners


def _is_inside(point: Floats, corners: Floats) -> bool:
    """Whether a surface winds around a point.

    Source: van Oosterom & Strackee 1983, "The solid angle of a plane triangle".
    """
    a, b, c = np.moveaxis(corners - point, 1, 0)
    la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
    volume = (a * np.cross(b, c)).sum(axis=1)
    flat = la * lb * lc + (a * b).sum(axis=1) * lc + (b * c).sum(axis=1) * la + (c * a).sum(axis=1) * lb
    return bool(abs(2.0 * np.arctan2(volume, flat).sum()) > 2.0 * np.pi)
