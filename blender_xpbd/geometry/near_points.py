# SPDX-License-Identifier: GPL-3.0-or-later
"""Points that are near to each other, found in cells of space."""

from __future__ import annotations

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
    shape = cells.max(axis=0) + 1
    keys = np.ravel_multi_index(tuple(cells.T), tuple(shape))
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    owners, members = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for offset in np.stack(np.meshgrid(*[np.arange(-1, 2)] * 3, indexing="ij"), axis=-1).reshape(-1, 3):
        neighbours = cells[centres] + offset
        inside = np.flatnonzero(((neighbours >= 0) & (neighbours < shape)).all(axis=1))
        wanted = np.ravel_multi_index(tuple(neighbours[inside].T), tuple(shape))
        begin, end = np.searchsorted(ordered, wanted), np.searchsorted(ordered, wanted, side="right")
        owner = np.repeat(inside, end - begin)
        member = order[np.repeat(begin, end - begin) + ramp(end - begin)]
        near = ((positions[member] - positions[centres[owner]]) ** 2).sum(axis=1) <= radius**2 * (1.0 + 1e-9)
        owners.append(owner[near])
        members.append(member[near])
    return np.concatenate(owners), np.concatenate(members)
