# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies inside a solid: no edge goes through a triangle, and still they overlap."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ...geometry.search.surfaces import Surfaces
from ...scene.starts import winds_around

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def swallowed(surfaces: Surfaces, positions: Floats, solids: Bools) -> list[tuple[int, int]]:
    """Pairs of solids that see each other, of which one lies inside the other; the lower number comes first.

    Arguments as of ``enclosed``.
    """
    inner = np.flatnonzero(solids)
    if len(inner) < 2:
        return []
    return [(min(pair), max(pair)) for pair in enclosed(surfaces, positions, solids, inner)]


def enclosed(
    surfaces: Surfaces, positions: Floats, solids: Bools, inner: npt.NDArray[np.integer[Any]]
) -> list[tuple[int, int]]:
    """Which objects lie inside a solid that they see: each and that solid.

    Args:
        surfaces: of all objects.
        positions: of the surface points [m], shape (points, 3).
        solids: which objects fill the space inside their surface, shape (objects,).
        inner: numbers of those that are asked for; one of which no point takes part, as of what is attached as a whole,
            is inside nothing. Shape (n,).
    """
    starts, outer = surfaces.point_starts, np.flatnonzero(solids)
    inner = np.array([n for n in inner if surfaces.takes_part[starts[n] : starts[n + 1]].any()], np.int64)
    if len(inner) == 0 or len(outer) == 0:
        return []
    (lows, highs), (lowest, highest) = (_boxes(positions, starts, numbers) for numbers in (inner, outer))
    fits = (lows[:, None] >= lowest[None]).all(axis=2) & (highs[:, None] <= highest[None]).all(axis=2)
    fits &= surfaces.sees[np.ix_(inner, outer)]
    return [
        (int(a), int(b))
        for a, b in zip(inner[np.nonzero(fits)[0]], outer[np.nonzero(fits)[1]], strict=True)
        if a != b and winds_around(positions[starts[a]], _corners(surfaces, positions, b))
    ]


def _boxes(positions: Floats, starts: npt.NDArray[np.int32], numbers: npt.NDArray[Any]) -> tuple[Floats, Floats]:
    """The least and the greatest coordinates of some objects [m], shape (n, 3) each."""
    points = [positions[starts[n] : starts[n + 1]] for n in numbers]
    return np.array([mine.min(axis=0) for mine in points]), np.array([mine.max(axis=0) for mine in points])


def _corners(surfaces: Surfaces, positions: Floats, number: int) -> Floats:
    triangles = surfaces.triangles[surfaces.triangle_starts[number] : surfaces.triangle_starts[number + 1]]
    corners: Floats = positions[triangles]
    return corners
