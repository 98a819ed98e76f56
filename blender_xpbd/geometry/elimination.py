# SPDX-License-Identifier: GPL-3.0-or-later
"""What a factor L D Lᵀ of a sparse symmetric matrix touches, worked out once.

Rows are eliminated in their order. The matrix of a tree whose leaves come first hardly fills up: that of a chain not at
all, and each closed loop adds an entry or two per row.

Source: Liu 1990, "The role of elimination trees in sparse factorization".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Elimination:
    """Entries of L below the diagonal, column by column, rows ascending in each.

    Attributes:
        starts: first entry of each column, then the end of the last, shape (rows + 1,).
        rows: of the entries.
        targets: which numbers the elimination of a column changes, for all pairs of its entries, the first with all
            from it on, then the second …: the diagonal of row i is number i, entry n is number rows + n.
    """

    starts: Ints
    rows: Ints
    targets: Ints
    places: dict[tuple[int, int], int]

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.starts) - 1

    @property
    def number_count(self) -> int:
        """Numbers of the factor: the diagonal, then the entries."""
        return self.count + len(self.rows)

    def place(self, first: int, second: int) -> int:
        """The number of the matrix at a row and a column, in any order; −1 where one of them is −1."""
        if min(first, second) < 0:
            return -1
        return first if first == second else self.count + self.places[min(first, second), max(first, second)]


def eliminate(count: int, pairs: Iterable[tuple[int, int]]) -> Elimination:
    """Work out the factor of a matrix.

    Args:
        count: rows.
        pairs: row and column of what is not 0 beside the diagonal; −1 for a row that there is not.
    """
    below: list[set[int]] = [set() for _ in range(count)]
    for a, b in pairs:
        if min(a, b) >= 0 and a != b:
            below[min(a, b)].add(max(a, b))
    columns = []
    for column in range(count):
        rows = sorted(below[column])
        columns.append(rows)
        if rows:
            below[rows[0]].update(rows[1:])
    starts = np.cumsum([0, *(len(rows) for rows in columns)])
    places = {(k, row): int(starts[k]) + n for k, rows in enumerate(columns) for n, row in enumerate(rows)}
    targets = [
        row if row == other else count + places[row, other]
        for rows in columns
        for n, row in enumerate(rows)
        for other in rows[n:]
    ]
    return Elimination(
        starts.astype(np.int32),
        np.array([row for rows in columns for row in rows], np.int32),
        np.array(targets, np.int32),
        places,
    )
