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
Bools = npt.NDArray[np.bool_]
# from where points are [m], shape (points, 3), to edge and triangle of each crossing of a surface with itself
Find = Callable[[Floats], Ints]


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
    made = []
    for label in chosen:
        rows = np.flatnonzero(labels == label).astype(np.int32)
        one, other = (
            _around(mesh, len(positions), ends[rows][own], corners[rows][~own]) for own in _sides(signs[rows])
        )
        touched = mesh.triangles[np.isin(mesh.triangles, np.unique(ends[rows])).sum(axis=1) > 1]
        shifts = parting_shifts(positions[np.concatenate([corners[rows], touched])], step)
        made.append(_Contour(rows, one & ~other, other & ~one, shifts))
    return made


def _sides(signs: Ints) -> tuple[Bools, Bools]:
    return signs > 0, signs < 0


def _around(mesh: Mesh, count: int, ends: Ints, corners: Ints) -> Bools:
    """Points of edges and triangles, and those beside them, shape (points,)."""
    mask = np.zeros(count, np.bool_)
    mask[ends], mask[corners] = True, True
    edges = mesh.edges
    beside = mask[edges]
    mask[edges[beside[:, 0], 1]], mask[edges[beside[:, 1], 0]] = True, True
    return mask


def _not_freed(mesh: Mesh, positions: Floats, left: list[_Contour], number: int, find: Find) -> list[_Contour]:
    """Contours of which something still crosses where their first sides are moved by their shift of that number."""
    moved, asked = positions.copy(), [one for one in left if number < len(one.shifts)]
    for one in asked:
        moved[one.first] = positions[one.first] + one.shifts[number]
    found = find(moved)
    ends, corners = mesh.edges[found[:, 0]], mesh.triangles[found[:, 1]]
    crossed = []
    for one in asked:
        through = one.first[ends].any(axis=1) & one.second[corners].any(axis=1)
        back = one.second[ends].any(axis=1) & one.first[corners].any(axis=1)
        if (through | back).any():
            crossed.append(one)
    return crossed
