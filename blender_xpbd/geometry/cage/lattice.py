# SPDX-License-Identifier: GPL-3.0-or-later
"""The body-centred cubic (BCC) lattice of tetrahedra.

In lattice units a cell has side 1. Lattice points are the cells' corners and centres. For every face between two
cells and every edge of that face there is one tetrahedron: the two centres and the ends of the edge. All of these are
congruent, with volume 1/12 and dihedral angles of 60° and 90°.

A tetrahedron's number is ``12 · cell + 4 · d + e``: the lower one of its two cells, the axis d from there to the
other, and the edge e, which lies on the side (first axis −, first +, second −, second +) of the face's two axes.

Source: Labelle & Shewchuk 2007, "Isosurface stuffing".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from ..chunks import chunks

TETRAHEDRON_VOLUME = 1.0 / 12.0
TETRAHEDRA_PER_CELL = 12


def _corner_offsets() -> np.ndarray:
    """Corners of the 12 tetrahedra of a cell in half units from the cell's lower corner, shape (12, 4, 3)."""
    offsets = np.empty((TETRAHEDRA_PER_CELL, 4, 3), dtype=np.int64)
    unit = np.eye(3, dtype=np.int64)
    for axis in range(3):
        others = [other for other in range(3) if other != axis]
        for edge in range(4):
            second, third = others[edge // 2], others[1 - edge // 2]
            middle = 1 + unit[axis] + (2 * (edge % 2) - 1) * unit[second]
            corners = np.array(
                [np.ones(3, dtype=np.int64), 1 + 2 * unit[axis], middle - unit[third], middle + unit[third]]
            )
            sides = corners[1:] - corners[0]
            if np.linalg.det(sides) < 0:
                corners = corners[[0, 1, 3, 2]]
            offsets[4 * axis + edge] = corners
    return offsets


CORNER_OFFSETS = _corner_offsets()


@cache
def _neighbour_table() -> np.ndarray:
    """Cell step (3 numbers) and kind of the tetrahedron across each of the 4 faces, shape (12, 4, 4)."""
    table = np.empty((TETRAHEDRA_PER_CELL, 4, 4), dtype=np.int64)
    for kind in range(TETRAHEDRA_PER_CELL):
        faces = [frozenset(map(tuple, np.delete(CORNER_OFFSETS[kind], face, axis=0))) for face in range(4)]
        for step in np.ndindex(3, 3, 3):
            shift = np.array(step) - 1
            for other in range(TETRAHEDRA_PER_CELL):
                if other == kind and not shift.any():
                    continue
                corners = set(map(tuple, CORNER_OFFSETS[other] + 2 * shift))
                for face in range(4):
                    if faces[face] <= corners:
                        table[kind, face] = [*shift, other]
    return table


@dataclass(frozen=True)
class Lattice:
    """A box of BCC cells, with its lower corner at the origin.

    Attributes:
        shape: cells along x, y and z.
    """

    shape: tuple[int, int, int]

    @property
    def tetrahedron_count(self) -> int:
        """How many tetrahedron numbers there are."""
        return self.shape[0] * self.shape[1] * self.shape[2] * TETRAHEDRA_PER_CELL

    def locate(self, points: np.ndarray) -> np.ndarray:
        """The number of a tetrahedron that contains each point, shape (points,), int64.

        Args:
            points: in lattice units, shape (points, 3), not within half a cell of the box's border.
        """
        cells = np.floor(points).astype(np.int64)
        offset = points - cells - 0.5
        rows = np.arange(len(points))
        size = np.abs(offset)
        axis = size.argmax(axis=1)
        size[rows, axis] = -1.0
        second = size.argmax(axis=1)
        below = offset[rows, axis] < 0.0
        cells[rows, axis] -= below
        # Of the two axes other than ``axis``, is ``second`` the higher one?
        is_higher = second > 3 - axis - second
        edge = 2 * is_higher + (offset[rows, second] >= 0.0)
        return TETRAHEDRA_PER_CELL * self._cell_number(cells) + 4 * axis + edge

    def corners(self, numbers: np.ndarray) -> np.ndarray:
        """Corners of tetrahedra of positive volume, in half units, shape (tetrahedra, 4, 3), int64."""
        cells = np.stack(np.unravel_index(numbers // TETRAHEDRA_PER_CELL, self.shape), axis=1)
        return 2 * cells[:, None, :] + CORNER_OFFSETS[numbers % TETRAHEDRA_PER_CELL]

    def corner_numbers(self, numbers: np.ndarray) -> np.ndarray:
        """The lattice points at the corners of tetrahedra, numbered by ``vertex_numbers``, (tetrahedra, 4), int64."""
        found = np.empty((len(numbers), 4), dtype=np.int64)
        for part in chunks(len(numbers)):
            found[part] = self.vertex_numbers(self.corners(numbers[part]))
        return found

    def vertex_numbers(self, corners: np.ndarray) -> np.ndarray:
        """One int64 for each lattice point given in half units, shape (…, 3)."""
        span = 2 * max(self.shape) + 3
        return (corners[..., 0] * span + corners[..., 1]) * span + corners[..., 2]

    def vertex_positions(self, numbers: np.ndarray) -> np.ndarray:
        """Lattice points in lattice units, shape (…, 3), float64, from ``vertex_numbers``."""
        span = 2 * max(self.shape) + 3
        halves = np.stack([numbers // span**2, numbers // span % span, numbers % span], axis=-1)
        return halves * 0.5

    def neighbours(self, numbers: np.ndarray) -> np.ndarray:
        """The tetrahedron across each face, shape (tetrahedra, 4), −1 beyond the box; column i is opposite corner i."""
        found = np.empty((len(numbers), 4), dtype=np.int64)
        for part in chunks(len(numbers)):
            cells = np.stack(np.unravel_index(numbers[part] // TETRAHEDRA_PER_CELL, self.shape), axis=1)
            across = _neighbour_table()[numbers[part] % TETRAHEDRA_PER_CELL]
            beyond = cells[:, None, :] + across[..., :3]
            inside = ((beyond >= 0) & (beyond < np.array(self.shape))).all(axis=2)
            found[part] = np.where(inside, TETRAHEDRA_PER_CELL * self._cell_number(beyond) + across[..., 3], -1)
        return found

    def _cell_number(self, cells: np.ndarray) -> np.ndarray:
        """Number of each cell, shape (…,)."""
        return (cells[..., 0] * self.shape[1] + cells[..., 1]) * self.shape[2] + cells[..., 2]
