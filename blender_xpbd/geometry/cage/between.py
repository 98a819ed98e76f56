# SPDX-License-Identifier: GPL-3.0-or-later
"""Points between the vertices of a mesh that other bodies meet, so that a cage bears them with all of its surface."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class PointsBetween:
    """Some of the points on the surface that a cage has besides the vertices.

    Attributes:
        numbers: of the points, ascending, shape (n,).
        corners: vertices of the triangle that each lies on, shape (n, 3).
    """

    numbers: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    corners: Ints = field(default_factory=lambda: np.zeros((0, 3), np.int32))

    def __len__(self) -> int:
        """How many there are."""
        return len(self.numbers)

    def of_whole(self, first: int, vertices: npt.NDArray[np.integer]) -> PointsBetween:
        """The same of a mesh of which this one is a part.

        Args:
            first: how many points come before.
            vertices: of the whole mesh, those of this one, shape (vertices,).
        """
        return replace(
            self, numbers=self.numbers + np.int32(first), corners=vertices[self.corners].astype(np.int32).reshape(-1, 3)
        )


def points_between(cells: Ints, vertex_cells: Ints, corners: Ints) -> PointsBetween:
    """One point for each cell in which there is one but no vertex: the first.

    A pair of bodies gives each point of a surface a share of the load. Vertices that are farther apart than cells
    would each press it onto the few tetrahedra around them, which give way.

    Args:
        cells: of the points, shape (points,).
        vertex_cells: of the vertices, shape (vertices,).
        corners: vertices of the triangle that each point lies on, shape (points, 3).
    """
    numbers = np.unique(cells, return_index=True)[1]
    numbers = np.sort(numbers[~np.isin(cells[numbers], vertex_cells)])
    return PointsBetween(numbers.astype(np.int32), corners[numbers].astype(np.int32).reshape(-1, 3))
