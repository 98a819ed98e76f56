# SPDX-License-Identifier: GPL-3.0-or-later
"""Points that are near to each other, found in cells of space."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from .ragged import ramp

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def cells_of(positions: Floats, width: float) -> Ints:
    """The cell of each point, from 0 on; rows of cells that are empty count as one.

    So numbers stay small however far points are apart.

    Args:
        positions: shape (points, 3).
        width: of a cell, above 0.

    Returns:
        Shape (points, 3). What is nearer than the width lies in the same cell or in one beside it.
    """
    cells = np.floor((positions - positions.min(axis=0)) / width).astype(np.int64)
    for axis in range(3):
        used, places = np.unique(cells[:, axis], return_inverse=True)
        cells[:, axis] = np.r_[0, np.minimum(np.diff(used), 2).cumsum()][places]
    return cells


def points_near(positions: Floats, cells: Ints, centres: Ints, radius: float) -> tuple[Ints, Ints]:
    """Find what is near to some of the points.

    Args:
        positions: shape (points, 3).
        cells: of all, as wide as the radius at least, see ``cells_of``.
        centres: points around which is looked, shape (centres,).
        radius: up to which a point is near.

    Returns:
        Numbers among the centres, and points near to them, the centre itself too; both of shape (pairs,).
    """
    owners, members = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    order, ranges = _neighbour_ranges(cells, centres)
    for inside, begin, end in ranges:
        owner = np.repeat(inside, end - begin)
        member = order[np.repeat(begin, end - begin) + ramp(end - begin)]
        near = ((positions[member] - positions[centres[owner]]) ** 2).sum(axis=1) <= radius**2 * (1.0 + 1e-9)
        owners.append(owner[near])
        members.append(member[near])
    return np.concatenate(owners), np.concatenate(members)


def parts_of(cells: Ints, centres: Ints, most: int) -> Iterator[Ints]:
    """Centres in parts, in their order, around which no more than so many points are compared at once.

    A centre that has more around itself is a part of its own.

    Args:
        cells: of all points, see ``cells_of``.
        centres: points around which is looked, shape (centres,).
        most: points in the cells around those of a part, each as often as it is met.
    """
    around = np.zeros(len(centres), np.int64)
    for inside, begin, end in _neighbour_ranges(cells, centres)[1]:
        around[inside] += end - begin
    until, first = np.cumsum(around), 0
    while first < len(centres):
        before = int(until[first - 1]) if first else 0
        last = max(int(np.searchsorted(until, before + most, side="right")), first + 1)
        yield centres[first:last]
        first = last


def _neighbour_ranges(cells: Ints, centres: Ints) -> tuple[Ints, Iterator[tuple[Ints, Ints, Ints]]]:
    """Points in the order of their cells; and for each of the 27 cells around, the centres that have it and its range.

    Args:
        cells: of all points, see ``cells_of``.
        centres: points around which is looked, shape (centres,).

    Returns:
        The order, shape (points,), and numbers among the centres, first and end of a range in that order, of one shape.
    """
    shape = cells.max(axis=0) + 1
    keys = np.ravel_multi_index(tuple(cells.T), tuple(shape))
    order = np.argsort(keys, kind="stable")
    return order, _ranges(cells[centres], shape, keys[order])


def _ranges(middles: Ints, shape: Ints, ordered: Ints) -> Iterator[tuple[Ints, Ints, Ints]]:
    """As ``_neighbour_ranges``, for the cells of centres, shape (centres, 3), and the sorted keys of all points."""
    for offset in np.stack(np.meshgrid(*[np.arange(-1, 2)] * 3, indexing="ij"), axis=-1).reshape(-1, 3):
        neighbours = middles + offset
        inside = np.flatnonzero(((neighbours >= 0) & (neighbours < shape)).all(axis=1))
        wanted = np.ravel_multi_index(tuple(neighbours[inside].T), tuple(shape))
        yield inside, np.searchsorted(ordered, wanted), np.searchsorted(ordered, wanted, side="right")
