# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse nets of springs: fewer and fewer vertices, and between them springs that hold as the fine ones do together.

A net is the Galerkin product of the one below: with the prolongation P it has the stiffness Pᵀ K P, where K is the
Laplacian of the springs below, whatever the mesh. P is that of smoothed aggregation (Vaněk, Mandel & Brezina 1996,
"Algebraic multigrid by smoothed aggregation"): vertices around a seed move with it, and one step of Jacobi's method
smooths that. So nothing is laid out flat, and folds, tubes and seams need no care.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..cholesky import SparseRows
from ..ragged import ramp
from .seeds import adjacency, spread_seeds
from .tethers import nearest_sources

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

# seeds are more than so many springs apart, on the first net and on those above: 3 on the first one leaves a quarter
# more strain on irregular triangles (docs/experiments.md, Coarse nets of springs)
HOPS = (2, 1)
# ω of Jacobi's method; 0.6 and 0.8 leave the same strain
SMOOTHING = 0.8
# a vertex moves with so many vertices of a net at most, so that kernels read rows of one width; smaller shares are left
# out
MOST_SHARES = 4
LEAST_SHARE = 1e-6
# a net of fewer vertices that move, or of more than this share of those below, is not worth its work; chosen by hand
FEWEST_VERTICES = 4
GREATEST_SHARE = 0.7


@dataclass(frozen=True)
class Net:
    """A coarse net; "below" are the vertices of the next finer one, or the particles.

    Attributes:
        masses: [kg], shape (vertices,); 0 for those that are fixed.
        is_fixed: shape (vertices,).
        positions: at rest [m], shape (vertices, 3).
        prolongation: shares by which vertices below that move follow vertices here.
        restriction: its transpose, of the vertices that move.
        places: a vertex is where Σ weight · place of the vertex below is.
        springs: of each vertex, those to its neighbours [in the unit of the springs below].
    """

    masses: Floats
    is_fixed: Mask
    positions: Floats
    prolongation: SparseRows
    restriction: SparseRows
    places: SparseRows
    springs: SparseRows

    @property
    def lengths(self) -> Floats:
        """Of the springs at rest [m], shape (entries of ``springs``,)."""
        ends = self.positions[self.springs.rows] - self.positions[self.springs.columns]
        sizes = np.linalg.norm(ends, axis=1)
        # what rests at one place has no direction, and any length serves
        return np.maximum(sizes, 1e-3 * float(np.median(sizes)) if len(sizes) else 0.0)


def build_nets(positions: Floats, pairs: npt.NDArray[np.integer], stiffness: Floats, masses: Floats) -> tuple[Net, ...]:
    """Coarse nets of a network of springs, finest first.

    Args:
        positions: at rest [m], shape (particles, 3).
        pairs: ends of the springs, shape (springs, 2).
        stiffness: greater than 0, in any unit, shape (springs,).
        masses: [kg], shape (particles,); 0 for what nothing moves.
    """
    first, second = np.asarray(pairs, np.int64).T
    count = len(positions)
    ends = (np.concatenate([first, second]), np.concatenate([second, first]))
    springs = SparseRows.summed(*ends, np.tile(stiffness, 2), count)
    is_fixed, nets = masses <= 0.0, list[Net]()
    while True:
        net = _coarsened(springs, positions, masses, is_fixed, HOPS[min(len(nets), 1)])
        moving = np.count_nonzero(~net.is_fixed)
        if moving < FEWEST_VERTICES or len(net.masses) > GREATEST_SHARE * np.count_nonzero(np.diff(springs.starts)):
            return tuple(nets)
        nets.append(net)
        springs, positions, masses, is_fixed = net.springs, net.positions, net.masses, net.is_fixed


def _coarsened(springs: SparseRows, positions: Floats, masses: Floats, is_fixed: Mask, hops: int) -> Net:
    owners, fixed = _aggregates(springs, positions, is_fixed, hops)
    below, above = len(positions), len(fixed)
    moves = ~is_fixed
    shares = _smoothed(springs, owners, moves)
    laplacian = _laplacian(springs)
    product = _product(_transposed(shares, above), _product(laplacian, shares))
    rows, columns = product.rows, product.columns
    pulls = (rows != columns) & (product.values < 0.0)
    mine = shares.rows, shares.columns, shares.values
    carried = np.where(moves[mine[0]], masses[mine[0]], 1.0) * mine[2]
    # what is fixed is at the mean place of what it stands for
    counts = moves[mine[0]] != fixed[mine[1]]
    totals = np.bincount(mine[1][counts], carried[counts], minlength=above)
    kept = counts & (totals[mine[1]] > 0.0)
    places = _rows(mine[1][kept], mine[0][kept], carried[kept] / totals[mine[1][kept]], above)
    points = np.zeros((above, 3))
    for axis in range(3):
        points[:, axis] = np.bincount(places.rows, places.values * positions[places.columns, axis], minlength=above)
    free = moves[mine[0]] & ~fixed[mine[1]]
    return Net(
        masses=np.where(fixed, 0.0, totals),
        is_fixed=fixed,
        positions=points,
        prolongation=_rows(mine[0][free], mine[1][free], mine[2][free], below),
        restriction=_rows(mine[1][free], mine[0][free], mine[2][free], above),
        places=places,
        springs=_rows(rows[pulls], columns[pulls], -product.values[pulls], above),
    )


def _aggregates(springs: SparseRows, positions: Floats, is_fixed: Mask, hops: int) -> tuple[Indices, Mask]:
    """Number of the seed that each vertex goes with, −1 for none, and which seeds are fixed."""
    rows, columns = springs.rows, springs.columns
    pairs = np.stack([rows, columns], axis=1)[rows < columns]
    seeds = spread_seeds(*adjacency(len(positions), pairs), 2 * is_fixed.astype(np.int64), hops)
    lengths = np.linalg.norm(positions[pairs[:, 0]] - positions[pairs[:, 1]], axis=1)
    owners = np.full(len(positions), -1)
    for kind in (False, True):
        mine = np.flatnonzero(is_fixed[seeds] == kind)
        if len(mine):
            # what is fixed goes with what is fixed
            ways = (is_fixed[pairs] == kind).all(axis=1) | (not kind)
            _, origins = nearest_sources(len(positions), pairs[ways], lengths[ways], [seeds[mine]])
            numbers = np.full(len(positions) + 1, -1)
            numbers[seeds[mine]] = mine
            owners = np.where(is_fixed == kind, numbers[origins[0]], owners)
    return owners, is_fixed[seeds]


def _smoothed(springs: SparseRows, owners: Indices, moves: Mask) -> SparseRows:
    """The prolongation: P = (1 − ω D⁻¹ K) T where vertices move, T itself where they are fixed."""
    owned = np.flatnonzero(owners >= 0)
    tentative = _rows(owned, owners[owned], np.ones(len(owned)), len(owners))
    laplacian = _laplacian(springs)
    diagonal = np.bincount(springs.rows, springs.values, minlength=len(owners))
    pulled = _product(laplacian, tentative)
    steps = np.divide(SMOOTHING, diagonal, out=np.zeros(len(owners)), where=moves & (diagonal > 0.0))
    rows = np.concatenate([tentative.rows, pulled.rows])
    columns = np.concatenate([tentative.columns, pulled.columns])
    values = np.concatenate([tentative.values, -steps[pulled.rows] * pulled.values])
    return _widest(_rows(rows, columns, values, len(owners)))


def _widest(shares: SparseRows) -> SparseRows:
    """The greatest ``MOST_SHARES`` of each row, scaled so that they sum up to what the row did."""
    rows, values, count = shares.rows, shares.values, len(shares.starts) - 1
    order = np.lexsort((shares.columns, -values, rows))
    places = np.arange(len(order)) - shares.starts[rows[order]]
    kept = np.sort(order[(places < MOST_SHARES) & (values[order] > LEAST_SHARE)])
    wanted = np.bincount(rows, values, minlength=count)
    found = np.bincount(rows[kept], values[kept], minlength=count)
    return _rows(
        rows[kept], shares.columns[kept], values[kept] * (wanted / np.maximum(found, 1e-300))[rows[kept]], count
    )


def _laplacian(springs: SparseRows) -> SparseRows:
    count = len(springs.starts) - 1
    own = np.arange(count)
    diagonal = np.bincount(springs.rows, springs.values, minlength=count)
    rows, columns = np.concatenate([springs.rows, own]), np.concatenate([springs.columns, own])
    return _rows(rows, columns, np.concatenate([-springs.values, diagonal]), count)


def _rows(rows: Indices, columns: Indices, values: Floats, count: int) -> SparseRows:
    """A matrix of ``count`` rows from entries, of which several at one place are added up."""
    width = int(columns.max(initial=0)) + 1
    places, which = np.unique(rows * width + columns, return_inverse=True)
    sums: Floats = np.bincount(which.reshape(-1), values, minlength=len(places)).astype(np.float64)
    return SparseRows(np.searchsorted(places, np.arange(count + 1) * width), places % width, sums)


def _transposed(matrix: SparseRows, count: int) -> SparseRows:
    return _rows(matrix.columns, matrix.rows, matrix.values, count)


def _product(first: SparseRows, second: SparseRows) -> SparseRows:
    counts = np.diff(second.starts)[first.columns]
    entries = np.repeat(second.starts[first.columns], counts) + ramp(counts)
    values = np.repeat(first.values, counts) * second.values[entries]
    return _rows(np.repeat(first.rows, counts), second.columns[entries], values, len(first.starts) - 1)
