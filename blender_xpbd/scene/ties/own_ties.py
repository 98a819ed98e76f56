# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces that cross themselves at vertices alone, as grids in one mesh do that cross along their lines.

No edge goes through a triangle there, as between two bodies (``contacts/search/touching.py``). So each point is moved
by a share of rounding of its own: then edges pass, also where surfaces touch alone. These are told apart contour by
contour. A bake and a check search in different ways, so both say how.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..starts import ROUNDING, ends_clear, parting_shifts, that_go_on
from .contours import Components, Mesh, contours

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
# from where points are [m], shape (points, 3), to edge and triangle of each crossing of a surface with itself
Find = Callable[[Floats], Ints]


class _Contour(NamedTuple):
    """Where a surface may cross itself.

    Attributes:
        rows: of the crossings.
        first: points of the one side and around them, ascending.
        second: of the other.
        shifts: by which the first side is moved to see whether they touch alone [m], shape (shifts, 3).
    """

    rows: Ints
    first: Ints
    second: Ints
    shifts: Floats


def own_ties(mesh: Mesh, positions: Floats, asides: Floats, find: Find, components: Components) -> Ints:
    """What crosses itself at vertices alone: what would cross if points were moved aside by rounding.

    Args:
        mesh: what is searched; it is only asked for where something would cross.
        positions: of its points [m], shape (points, 3).
        asides: by how much each point is moved so that edges pass, see ``unlike_asides`` [m], shape (points, 3).
        find: the search.
        components: see ``contours``.

    Returns:
        edge and triangle of each crossing, shape (crossings, 2); none of what crosses by more than rounding, or touches
        alone.
    """
    found = find(positions + asides)
    left = _candidates(mesh, positions, found, components)
    for number in range(max((len(one.shifts) for one in left), default=0)):
        left = [one for one in left if number >= len(one.shifts)] + _not_freed(mesh, positions, left, number, find)
    return found[np.sort(np.concatenate([np.zeros(0, np.int32), *(one.rows for one in left)]))]


def _candidates(mesh: Mesh, positions: Floats, found: Ints, components: Components) -> list[_Contour]:
    """Contours of crossings by no more than rounding, at a vertex of which a surface goes on to both sides."""
    if len(found) == 0:
        return []
    ends, corners = mesh.edges[found[:, 0]], mesh.triangles[found[:, 1]]
    step = ROUNDING * float(np.abs(positions[np.concatenate([ends.ravel(), corners.ravel()])]).max())
    labels, signs = contours(mesh, found, components)
    are_clear = ends_clear(positions[ends], positions[corners], step)
    go_on = that_go_on(positions, ends, corners, mesh.edges, step)
    chosen = np.setdiff1d(labels[go_on], labels[are_clear | (signs == 0)])
    if len(chosen) == 0:
        return []
    beside = _Incidence(len(positions), np.concatenate([mesh.edges, mesh.edges[:, ::-1]]))
    of_triangles = _Incidence(len(positions), _corners_of(mesh.triangles))
    made = []
    for label in chosen:
        rows = np.flatnonzero(labels == label).astype(np.int32)
        one, other = (
            _around(beside, ends[rows][own], corners[rows][~own]) for own in (signs[rows] > 0, signs[rows] < 0)
        )
        near, times = np.unique(of_triangles.of(np.unique(ends[rows])), return_counts=True)
        shifts = parting_shifts(positions[np.concatenate([corners[rows], mesh.triangles[near[times > 1]]])], step)
        made.append(_Contour(rows, np.setdiff1d(one, other), np.setdiff1d(other, one), shifts))
    return made


class _Incidence:
    """What belongs to each point, as what is beside it."""

    def __init__(self, count: int, pairs: Ints) -> None:
        """Take pairs of a point and what belongs to it, shape (pairs, 2), of so many points."""
        order = np.argsort(pairs[:, 0], kind="stable")
        self._starts = np.searchsorted(pairs[order, 0], np.arange(count + 1))
        self._values = pairs[order, 1]

    def of(self, points: Ints) -> Ints:
        """What belongs to any of some points, as often as it does."""
        return self.each(points)[1]

    def each(self, points: Ints) -> tuple[npt.NDArray[np.intp], Ints]:
        """Rows of points, one for each that belongs to it, and what that is."""
        starts = self._starts[points]
        counts = self._starts[points + 1] - starts
        rows = np.arange(len(points)).repeat(counts)
        within = np.arange(len(rows)) - (np.cumsum(counts) - counts).repeat(counts)
        return rows, self._values[starts.repeat(counts) + within]


def _corners_of(triangles: Ints) -> Ints:
    """Pairs of a corner and its triangle, shape (3 triangles, 2)."""
    numbers = np.arange(len(triangles), dtype=np.int32).repeat(3)
    return np.stack([triangles.ravel(), numbers], axis=1)


def _around(beside: _Incidence, ends: Ints, corners: Ints) -> Ints:
    """Points of edges and triangles, and those beside them, ascending."""
    own = np.unique(np.concatenate([ends.ravel(), corners.ravel()]))
    return np.unique(np.concatenate([own, beside.of(own)]))


def _not_freed(mesh: Mesh, positions: Floats, left: list[_Contour], number: int, find: Find) -> list[_Contour]:
    """Contours of which something still crosses where their first sides are moved by their shift of that number."""
    moved, asked = positions.copy(), [one for one in left if number < len(one.shifts)]
    for one in asked:
        moved[one.first] = positions[one.first] + one.shifts[number]
    found = find(moved)
    # of each point, twice the number of each contour that it is of, and 1 more on the second side
    sides = [points for one in asked for points in (one.first, one.second)]
    codes = np.arange(len(sides), dtype=np.int32).repeat([len(points) for points in sides])
    codes_of = _Incidence(len(positions), np.stack([np.concatenate([*sides, codes[:0]]), codes], axis=1))
    keys = []
    for corners, other in ((mesh.edges[found[:, 0]], 0), (mesh.triangles[found[:, 1]], 1)):
        rows, own = codes_of.each(corners.ravel())
        keys.append(rows // corners.shape[1] * len(sides) + (own ^ other))
    # an edge of one side goes through a triangle of the other one
    crossed = np.unique(np.intersect1d(*keys) % max(len(sides), 1) // 2)
    return [asked[number] for number in crossed]
