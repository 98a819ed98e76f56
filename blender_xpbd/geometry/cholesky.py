# SPDX-License-Identifier: GPL-3.0-or-later
"""Cholesky factors of sparse matrices over points in space, by the multifrontal method and nested dissection.

Sources: George 1973, "Nested dissection of a regular finite element mesh"; Duff & Reid 1983, "The multifrontal solution
of indefinite sparse symmetric linear equations".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .ragged import ramp

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

# sets of fewer points are not cut any further; chosen by hand, for the least time
FEWEST_POINTS = 40


@dataclass(frozen=True)
class SparseRows:
    """Rows of a sparse matrix.

    Attributes:
        starts: where the entries of each row begin, shape (rows + 1,).
        columns: of the entries, shape (entries,).
        values: shape (entries,).
    """

    starts: Indices
    columns: Indices
    values: Floats

    @property
    def rows(self) -> Indices:
        """The row of each entry, shape (entries,)."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @staticmethod
    def summed(rows: Indices, columns: Indices, values: Floats, count: int) -> SparseRows:
        """From entries, of which several at one place are added up; ``count`` rows, columns ascending in each."""
        keys = rows * count + columns
        places, which = np.unique(keys, return_inverse=True)
        sums: Floats = np.bincount(which.reshape(-1), values, minlength=len(places)).astype(np.float64)
        return SparseRows(np.searchsorted(places, np.arange(count + 1) * count), places % count, sums)

    def transposed(self) -> SparseRows:
        """The transposed matrix."""
        return SparseRows.summed(self.columns, self.rows, self.values, len(self.starts) - 1)

    def first(self, count: int) -> SparseRows:
        """The first rows, of all columns."""
        end = self.starts[count]
        return SparseRows(self.starts[: count + 1], self.columns[:end], self.values[:end])

    def block(self, first: int, last: int) -> SparseRows:
        """Some rows of a matrix that have no entries in other columns, and these columns."""
        begin, end = self.starts[first], self.starts[last]
        return SparseRows(
            self.starts[first : last + 1] - begin, self.columns[begin:end] - first, self.values[begin:end]
        )

    def among(self, chosen: Indices) -> SparseRows:
        """The matrix of some rows and the same columns, in this order, with new numbers."""
        numbers = np.full(len(self.starts) - 1, -1)
        numbers[chosen] = np.arange(len(chosen))
        rows, columns = numbers[self.rows], numbers[self.columns]
        kept = (rows >= 0) & (columns >= 0)
        return SparseRows.summed(rows[kept], columns[kept], self.values[kept], len(chosen))


def factorize(matrix: SparseRows, points: Floats, least: float) -> tuple[Indices, SparseRows]:
    """The factor L of a symmetric positive definite matrix A, whose rows and columns are taken in a better order.

    Args:
        matrix: A, all of it.
        points: of the rows, by which the matrix is cut, shape (rows, dimensions).
        least: entries of L are left out where they are smaller than this share of the root of A's diagonal.

    Returns:
        The row of A in each place of the order, and L, rows of which end in the diagonal: A[order][:, order] = L Lᵀ.
    """
    order: list[Indices] = []
    parts: list[tuple[Indices, Indices, Floats]] = []
    work = _Work(np.full(len(points), -1), np.zeros(len(points), np.bool_))
    limits = least * np.sqrt(matrix.values[matrix.rows == matrix.columns])
    for own, rows, columns in _fronts(matrix, points, np.arange(len(points)), work):
        order.append(own)
        below, first = np.nonzero(
            np.tri(len(rows), len(own), dtype=np.bool_) & (np.abs(columns) > limits[rows][:, None])
        )
        parts.append((rows[below], own[first], columns[below, first]))
    placed = np.concatenate(order)
    numbers = np.empty(len(placed), np.int64)
    numbers[placed] = np.arange(len(placed))
    rows, columns = (numbers[np.concatenate([part[end] for part in parts])] for end in range(2))
    return placed, SparseRows.summed(rows, columns, np.concatenate([part[2] for part in parts]), len(placed))


@dataclass(frozen=True)
class _Work:
    """Per row of the matrix: a place in the present front, −1 outside; and whether it is eliminated."""

    places: Indices
    is_done: npt.NDArray[np.bool_]


@dataclass
class _Front:
    """What is left of eliminated rows: a dense matrix over the rows that come later."""

    rows: Indices
    matrix: Floats


def _fronts(
    matrix: SparseRows, points: Floats, mine: Indices, work: _Work, above: list[_Front] | None = None
) -> Iterator[tuple[Indices, Indices, Floats]]:
    """Of each front in the order of elimination its own rows, all its rows (own ones first), and their columns of L."""
    below: list[_Front] = []
    own = mine
    if len(mine) > FEWEST_POINTS:
        first, second, own = _dissected(matrix, points, mine, work)
        for half in (first, second):
            if len(half):
                yield from _fronts(matrix, points, half, work, below)
    if len(own) == 0:
        # two sets that do not touch
        if above is not None:
            above += below
        return
    rows, columns, rest = _eliminated(matrix, own, below, work)
    work.is_done[own] = True
    if above is not None:
        above.append(_Front(rows[len(own) :], rest))
    yield own, rows, columns


def _dissected(matrix: SparseRows, points: Floats, mine: Indices, work: _Work) -> tuple[Indices, Indices, Indices]:
    """Two halves that share no entry, and what separates them."""
    axis = int(np.argmax(np.ptp(points[mine], axis=0)))
    order = mine[np.argsort(points[mine, axis], kind="stable")]
    first, second = order[: len(order) // 2], order[len(order) // 2 :]
    work.places[second] = 0
    owners, columns, _ = _entries(matrix, first)
    touches = np.zeros(len(first), np.bool_)
    touches[owners[work.places[columns] == 0]] = True
    work.places[second] = -1
    return first[~touches], second, first[touches]


def _eliminated(matrix: SparseRows, own: Indices, below: list[_Front], work: _Work) -> tuple[Indices, Floats, Floats]:
    """Rows of a front, the own columns of L, and what is left for the rows that come later."""
    owners, columns, values = _entries(matrix, own)
    later = ~work.is_done[columns]
    owners, columns, values = owners[later], columns[later], values[later]
    everything = np.unique(np.concatenate([columns, *(front.rows for front in below)]))
    work.places[own] = 0
    others = everything[work.places[everything] < 0]
    rows = np.concatenate([own, others])
    work.places[rows] = np.arange(len(rows))
    dense = np.zeros((len(rows), len(rows)))
    dense[owners, work.places[columns]] = values
    dense[work.places[columns], owners] = values
    for front in below:
        at = work.places[front.rows]
        dense[at[:, None], at] += front.matrix
    work.places[rows] = -1
    count = len(own)
    corner = np.linalg.cholesky(dense[:count, :count])
    beside = np.linalg.solve(corner, dense[:count, count:]).T
    return rows, np.concatenate([corner, beside]), dense[count:, count:] - beside @ beside.T


def _entries(matrix: SparseRows, rows: Indices) -> tuple[Indices, Indices, Floats]:
    """Entries of some rows: the row's number among these, the column, and the value."""
    counts = matrix.starts[rows + 1] - matrix.starts[rows]
    slots = np.repeat(matrix.starts[rows], counts) + ramp(counts)
    return np.repeat(np.arange(len(rows)), counts), matrix.columns[slots], matrix.values[slots]
