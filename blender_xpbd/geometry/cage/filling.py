# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of each tetrahedron of a lattice lies inside a closed surface, by the lengths of rays inside it.

Rays along x, y and z are cut where they pass from one tetrahedron into the next, and where they cross the surface. The
share of their length inside is the share of the tetrahedron, along each axis; the axes count as often as their rays
cross the surface there, for what runs along the surface says little of where it is.

The rays lie in mirror images about the middle of a cell and about its sides, so what is symmetric is filled
symmetrically: else its weight and its stiffness lie beside its middle. Points of the same kind cannot do this: four to
a cell along each axis would leave tetrahedra without any.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .inside import Crossings, Grid, cross_rays
from .lattice import TETRAHEDRA_PER_CELL, Lattice

RAY_RATE = 6
RAY_OFFSETS = ((0.43936054, 0.56063946), (0.63458267, 0.36541733), (0.30025635, 0.69974365))
# pieces that the tetrahedra cut from a ray in each cell
SEGMENTS = 4


@dataclass(frozen=True)
class _Segments:
    """The segments that tetrahedra cut from the rays along an axis: each is in one tetrahedron.

    A ray has four of them in each cell, ascending; the last reaches into the next cell.

    Attributes:
        axis: 0, 1 or 2.
        across, up: the other two axes, along which rays are counted.
        grid: of the rays.
        borders: where each begins, from the lower side of the cell, shape (rate, rate, 4), by the place in a cell
            across and up.
        lengths: in cells, shape (rate, rate, 4).
        steps: what to add to 12 · cell to get the tetrahedron's number, shape (rate, rate, 4).
        cell_strides: steps in the number of a cell, along x, y and z.
    """

    axis: int
    across: int
    up: int
    grid: Grid
    borders: np.ndarray
    lengths: np.ndarray
    steps: np.ndarray
    cell_strides: np.ndarray

    def tetrahedra(self, column: np.ndarray, row: np.ndarray, segment: np.ndarray) -> np.ndarray:
        """Numbers of the tetrahedra of segments counted along rays that are counted across and up."""
        rate = self.grid.rate
        cell = self.cell_strides[self.across] * (column // rate) + self.cell_strides[self.up] * (row // rate)
        cell = cell + self.cell_strides[self.axis] * (segment // SEGMENTS)
        return TETRAHEDRA_PER_CELL * cell + self.steps[column % rate, row % rate, segment % SEGMENTS]

    def full_lengths(self) -> np.ndarray:
        """Length of all segments in a tetrahedron of each kind, shape (12,)."""
        kinds = (self.steps % TETRAHEDRA_PER_CELL).ravel()
        return np.bincount(kinds, self.lengths.ravel(), TETRAHEDRA_PER_CELL)


@dataclass(frozen=True)
class _Turns:
    """Where rays along an axis go into the solid or leave it; arrays of shape (crossings,).

    Attributes:
        column, row: the ray, counted across and up.
        segment: counted along the ray.
        ahead: how far it is to the end of the segment [cells].
        change: 1 where the ray goes in, −1 where it goes out, 0 where it is inside before and after.
    """

    column: np.ndarray
    row: np.ndarray
    segment: np.ndarray
    ahead: np.ndarray
    change: np.ndarray


def inside_shares(lattice: Lattice, points: np.ndarray, triangles: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """The share of each tetrahedron of a lattice that is inside a closed surface, shape (tetrahedra,), 0…1.

    Inside is where the surface winds around a point, how often and in whichever direction.

    Args:
        lattice: around the surface.
        points: vertices in lattice units, shape (vertices, 3).
        triangles: shape (triangles, 3).
        asked: whose shares are asked for, shape (tetrahedra,), bool.
    """
    x, y, z = lattice.shape
    grid = Grid((x * RAY_RATE, y * RAY_RATE, z * RAY_RATE), RAY_RATE, RAY_OFFSETS)
    weighted, plain = np.zeros(lattice.tetrahedron_count), np.zeros(lattice.tetrahedron_count)
    weights = np.zeros(lattice.tetrahedron_count)
    for axis in range(3):
        segments = _cut_rays(lattice, grid, axis)
        turns = _find_turns(segments, cross_rays(points, triangles, grid, axis))
        crossed = segments.tetrahedra(turns.column, turns.row, turns.segment)
        inside = np.bincount(crossed, turns.change * turns.ahead, lattice.tetrahedron_count)
        _add_passed(segments, turns, asked, inside)
        shares = (inside.reshape(-1, TETRAHEDRA_PER_CELL) / segments.full_lengths()).ravel()
        counts = np.bincount(crossed, minlength=lattice.tetrahedron_count)
        plain += shares / 3.0
        weighted += shares * counts
        weights += counts
    shares = np.divide(weighted, weights, out=plain, where=weights > 0.0)
    return np.clip(shares, 0.0, 1.0)


def _cut_rays(lattice: Lattice, grid: Grid, axis: int) -> _Segments:
    """Cut where the distance from the middle of a cell is the same along the ray and along one of the other axes."""
    across, up = (axis + 1) % 3, (axis + 2) % 3
    first, second = (grid.places(other, np.arange(grid.rate)) / grid.rate for other in (across, up))
    distances = np.abs(first - 0.5)[:, None], np.abs(second - 0.5)[None]
    near, far = np.minimum(*distances), np.maximum(*distances)
    borders = 0.5 + np.stack([-far, -near, near, far], axis=2)
    lengths = np.diff(borders, axis=2, append=borders[:, :, :1] + 1.0)
    middles = np.empty((*borders.shape, 3))
    middles[..., across], middles[..., up] = first[:, None, None], second[:, None]
    middles[..., axis] = borders + 0.5 * lengths
    cell_strides = np.array([lattice.shape[1] * lattice.shape[2], lattice.shape[2], 1])
    steps = lattice.locate(middles.reshape(-1, 3) + 1.0) - TETRAHEDRA_PER_CELL * cell_strides.sum()
    return _Segments(axis, across, up, grid, borders, lengths, steps.reshape(borders.shape), cell_strides)


def _find_turns(segments: _Segments, along: Crossings) -> _Turns:
    """Where the rays' crossings are among the segments, and what they change."""
    grid, strides = segments.grid, segments.grid.strides()
    column = along.base // strides[segments.across] % grid.shape[segments.across]
    row = along.base // strides[segments.up] % grid.shape[segments.up]
    heights = along.points[:, along.axis]
    cell = np.floor(heights).astype(np.int64)
    within = heights - cell
    borders = segments.borders[column % grid.rate, row % grid.rate]
    passed = (borders <= within[:, None]).sum(axis=1)
    ends = np.concatenate([borders, borders[:, :1] + 1.0], axis=1)[np.arange(len(passed)), passed]
    winding = np.cumsum(along.sign)
    is_first = np.concatenate([[True], along.base[1:] != along.base[:-1]])[: len(winding)]
    before_ray = (winding - along.sign)[np.maximum.accumulate(np.where(is_first, np.arange(len(winding)), 0))]
    after = winding - before_ray
    change = (after != 0).astype(np.int8) - (after != along.sign)
    return _Turns(column, row, SEGMENTS * cell + passed - 1, ends - within, change.astype(np.int8))


def _add_passed(segments: _Segments, turns: _Turns, asked: np.ndarray, inside: np.ndarray) -> None:
    """Add the lengths of the segments that begin inside, one sheet of rays after the other.

    Where such a segment is crossed, the change there takes back what is too much.
    """
    grid = segments.grid
    order = np.argsort(turns.column, kind="stable")
    bounds = np.searchsorted(turns.column[order], np.arange(grid.shape[segments.across] + 1))
    along = np.arange(SEGMENTS * (grid.shape[segments.axis] // grid.rate))
    for column in np.flatnonzero(np.diff(bounds)):
        mine = order[bounds[column] : bounds[column + 1]]
        first = turns.row[mine].min()
        rows = np.arange(first, turns.row[mine].max() + 1)
        changed = np.zeros((len(rows), len(along)), dtype=np.int8)
        np.add.at(changed, (turns.row[mine] - first, turns.segment[mine]), turns.change[mine])
        is_passed = np.cumsum(changed, axis=1, dtype=np.int8) != changed
        numbers = segments.tetrahedra(column, rows[:, None], along)
        is_passed &= asked[numbers]
        lengths = segments.lengths[column % grid.rate, rows[:, None] % grid.rate, along % SEGMENTS]
        np.add.at(inside, numbers[is_passed], lengths[is_passed])
