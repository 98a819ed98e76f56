# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces that cross themselves at vertices alone, as grids in one mesh do that cross along their lines.

No edge goes through a triangle there, as between two bodies (``touching``). So each point is moved by a share of
rounding of its own: then edges pass, also where surfaces touch alone. These are told apart contour by contour.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...geometry.search.surfaces import Surfaces
from ...scene.starts import ROUNDING, ends_clear, parting_shifts, that_go_on, unlike_asides
from ..pairs.contours import contours
from .crossings import CrossingSearch

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]


class _Contour(NamedTuple):
    """Where a surface may cross itself.

    Attributes:
        rows: of the crossings.
        first: points of the one side and around them.
        second: of the other.
        shifts: by which the first side is moved to see whether they touch alone [m], shape (shifts, 3).
    """

    rows: Ints
    first: Bools
    second: Bools
    shifts: Floats


def own_ties(search: CrossingSearch, surfaces: Surfaces, positions: Floats) -> Ints:
    """What crosses itself at vertices alone: what would cross if points were moved by ``own_asides``.

    Args:
        search: of the surfaces.
        surfaces: of all objects.
        positions: of the surface points [m], shape (points, 3).

    Returns:
        edge and triangle of each crossing, shape (crossings, 2); none of what crosses by more than rounding, or touches
        alone.
    """
    if not surfaces.sees.diagonal().any():
        return np.zeros((0, 2), np.int32)
    found = _own(surfaces, search.find(positions + own_asides(surfaces, positions)))
    left = _candidates(surfaces, positions, found)
    for number in range(max((len(one.shifts) for one in left), default=0)):
        left = [one for one in left if number >= len(one.shifts)] + _not_freed(
            search, surfaces, positions, left, number
        )
    return found[np.sort(np.concatenate([np.zeros(0, np.int32), *(one.rows for one in left)]))]


def own_asides(surfaces: Surfaces, positions: Floats) -> Floats:
    """By how much each point is moved so that edges pass, shape (points, 3) [m]."""
    starts = surfaces.point_starts
    own = (unlike_asides(positions[first:last]) for first, last in itertools.pairwise(starts))
    return np.concatenate([np.zeros((0, 3)), *own])


def _own(surfaces: Surfaces, found: Ints) -> Ints:
    """Those crossings of an object with itself."""
    owners = surfaces.point_objects
    return found[owners[surfaces.edges[found[:, 0], 0]] == owners[surfaces.triangles[found[:, 1], 0]]]


def _candidates(surfaces: Surfaces, positions: Floats, found: Ints) -> list[_Contour]:
    """Contours of crossings by no more than rounding, at a vertex of which a surface goes on to both sides."""
    if len(found) == 0:
        return []
    ends, corners = surfaces.edges[found[:, 0]], surfaces.triangles[found[:, 1]]
    step = ROUNDING * float(np.abs(positions[np.concatenate([ends.ravel(), corners.ravel()])]).max())
    labels, signs = contours(surfaces, found)
    are_clear = ends_clear(positions[ends], positions[corners], step)
    go_on = that_go_on(positions, ends, corners, surfaces.edges, step)
    chosen = np.setdiff1d(labels[go_on], labels[are_clear | (signs == 0)])
    made = []
    for label in chosen:
        rows = np.flatnonzero(labels == label).astype(np.int32)
        one, other = (_around(surfaces, ends[rows][own], corners[rows][~own]) for own in _sides(signs[rows]))
        touched = surfaces.triangles[np.isin(surfaces.triangles, np.unique(ends[rows])).sum(axis=1) > 1]
        shifts = parting_shifts(positions[np.concatenate([corners[rows], touched])], step)
        made.append(_Contour(rows, one & ~other, other & ~one, shifts))
    return made


def _sides(signs: Ints) -> tuple[Bools, Bools]:
    return signs > 0, signs < 0


def _around(surfaces: Surfaces, ends: Ints, corners: Ints) -> Bools:
    """Points of edges and triangles, and those beside them, shape (points,)."""
    mask = np.zeros(len(surfaces.rest), np.bool_)
    mask[ends], mask[corners] = True, True
    edges = surfaces.edges
    beside = mask[edges]
    mask[edges[beside[:, 0], 1]], mask[edges[beside[:, 1], 0]] = True, True
    return mask


def _not_freed(
    search: CrossingSearch, surfaces: Surfaces, positions: Floats, left: list[_Contour], number: int
) -> list[_Contour]:
    """Contours of which something still crosses where their first sides are moved by their shift of that number."""
    moved, asked = positions.copy(), [one for one in left if number < len(one.shifts)]
    for one in asked:
        moved[one.first] = positions[one.first] + one.shifts[number]
    found = _own(surfaces, search.find(moved))
    ends, corners = surfaces.edges[found[:, 0]], surfaces.triangles[found[:, 1]]
    crossed = []
    for one in asked:
        through = one.first[ends].any(axis=1) & one.second[corners].any(axis=1)
        back = one.second[ends].any(axis=1) & one.first[corners].any(axis=1)
        if (through | back).any():
            crossed.append(one)
    return crossed
