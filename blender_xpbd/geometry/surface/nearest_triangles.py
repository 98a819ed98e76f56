# SPDX-License-Identifier: GPL-3.0-or-later
"""The triangles nearest to the cells deep inside a closed mesh, spread inward from cells that know theirs.

A vector distance transform (Danielsson 1980): a cell takes over the nearest triangle of the neighbour whose
closest point is nearest to it. It may miss the nearest triangle by a part of a cell, and still knows a way out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .triangle_surface import Bools, Ints

Singles = npt.NDArray[np.float32]

CHUNK = 1 << 17


def closest_points(points: npt.NDArray[Any], corners: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Closest point of one triangle to one point each, shape (n, 3).

    Args:
        points: shape (n, 3), any unit and floating type.
        corners: triangle, corner, coordinate; shape (n, 3, 3).
    """
    edges = corners[:, [1, 2, 0]] - corners
    cross = np.cross(edges[:, 0], edges[:, 1])
    offsets = points[:, None, :] - corners
    sides = np.einsum("pki,pki->pk", np.cross(cross[:, None, :], edges), offsets)
    heights = np.einsum("pi,pi->p", offsets[:, 0], cross) / np.einsum("pi,pi->p", cross, cross)
    best = points - heights[:, None] * cross
    beside = np.flatnonzero((sides < 0.0).any(axis=1))
    corners, edges, offsets = corners[beside], edges[beside], offsets[beside]
    parts = np.einsum("pki,pki->pk", offsets, edges) / np.einsum("pki,pki->pk", edges, edges)
    candidates = corners + np.clip(parts, 0.0, 1.0)[:, :, None] * edges
    ways = points[beside, None, :] - candidates
    nearest = np.einsum("pki,pki->pk", ways, ways).argmin(axis=1)
    best[beside] = candidates[np.arange(len(beside)), nearest]
    return best


def spread_inward(corners: Singles, dims: Ints, deep: Bools, cells: Ints, found: Ints) -> tuple[Ints, Ints]:
    """List for each deep cell the triangles nearest to it and to its six neighbours.

    Args:
        corners: in cells from the centre of the first cell, shape (triangles, 3, 3).
        dims: cells along x, y, z.
        deep: which cells ask, shape (cells,); none on the border of the grid.
        cells: cells near the surface, one entry for each triangle near them.
        found: those triangles.

    Returns:
        cell and triangle of each pair.
    """
    asking = np.flatnonzero(deep)
    if len(asking) == 0:
        return asking, asking
    steps = np.array([dims[1] * dims[2], dims[2], 1])
    steps = np.concatenate([steps, -steps])
    rim = np.zeros(len(deep), bool)
    for step in steps:
        rim[asking + step] = True
    chosen = rim[cells]
    spread = _Spread(corners, dims, steps)
    spread.seed(cells[chosen], found[chosen])
    front = np.flatnonzero(spread.nearest >= 0)
    while len(front):
        around = (front[:, None] + steps).ravel()
        front = np.unique(around[deep[around] & (spread.nearest[around] < 0)])
        spread.take_best(front)
    # over all again, because a layer may have come first from the wrong side
    for _ in range(2):
        spread.take_best(asking)
    lists = np.sort(spread.nearest[np.concatenate([asking[:, None], asking[:, None] + steps], axis=1)], axis=1)
    fresh = lists >= 0
    fresh[:, 1:] &= lists[:, 1:] != lists[:, :-1]
    return np.broadcast_to(asking[:, None], lists.shape)[fresh], lists[fresh].astype(np.int64)


class _Spread:
    """The nearest triangle known to each cell (-1: none) and its closest point."""

    def __init__(self, corners: Singles, dims: Ints, steps: Ints) -> None:
        self.corners = corners
        self.dims = dims
        self.steps = steps
        self.nearest = np.full(int(np.prod(dims)), -1, np.int32)
        self.points = np.full((len(self.nearest), 3), np.inf, np.float32)

    def seed(self, cells: Ints, found: Ints) -> None:
        """Choose the nearest of the triangles listed for each cell."""
        closest = np.concatenate(
            [
                closest_points(self._centres(cells[k : k + CHUNK]), self.corners[found[k : k + CHUNK]])
                for k in range(0, max(len(cells), 1), CHUNK)
            ]
        )
        order = np.lexsort((_squares(closest - self._centres(cells)), cells))
        seeds, first = np.unique(cells[order], return_index=True)
        self.nearest[seeds], self.points[seeds] = found[order[first]], closest[order[first]]

    def take_best(self, cells: Ints) -> None:
        """Take over the neighbour's triangle where its closest point is nearer."""
        centres = self._centres(cells)
        best = self.nearest[cells]
        squares = _squares(self.points[cells] - centres)
        for step in self.steps:
            theirs = _squares(self.points[cells + step] - centres)
            nearer = np.flatnonzero(theirs < squares)
            best[nearer], squares[nearer] = self.nearest[cells[nearer] + step], theirs[nearer]
        changed = np.flatnonzero(best != self.nearest[cells])
        cells, best = cells[changed], best[changed]
        self.points[cells] = closest_points(centres[changed], self.corners[best])
        self.nearest[cells] = best

    def _centres(self, cells: Ints) -> Singles:
        index = np.stack(np.unravel_index(cells, tuple(self.dims)), axis=1)
        return index.astype(np.float32)


def _squares(vectors: Singles) -> Singles:
    return np.asarray(np.einsum("pi,pi->p", vectors, vectors))
