# SPDX-License-Identifier: GPL-3.0-or-later
"""Which points of a grid lie inside a surface, by signed ray crossings along ±x, ±y and ±z.

Each direction counts how often the surface winds around a point: +1 for every crossing outward, −1 inward. A point is
inside where at least four of the six directions find a winding number of the same sign that is not zero. So a hole in
the surface, a part that passes through another, or a share of flipped faces spoils some directions and not the vote.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..ragged import ramp

VOTES_NEEDED = 4


@dataclass(frozen=True)
class Grid:
    """Sample points (i + offset) / rate in lattice units, along x, y and z.

    Attributes:
        shape: samples along each axis.
        rate: samples per lattice cell, even.
        offsets: of even and of odd samples along each axis, in steps, 0…1, shape (3, 2). Uneven numbers keep the rays
            off vertices and the samples off the tetrahedra's faces.
    """

    shape: tuple[int, int, int]
    rate: int
    offsets: tuple[tuple[float, float], ...]

    def places(self, axis: int, numbers: np.ndarray) -> np.ndarray:
        """Where samples are along an axis, in steps, of the shape of ``numbers``."""
        return numbers + np.array(self.offsets[axis])[numbers % 2]

    def count_up_to(self, axis: int, places: np.ndarray) -> np.ndarray:
        """How many samples along an axis are at a place, in steps, or below it; of the shape of ``places``."""
        step = np.floor(places).astype(np.int64)
        return np.clip(step + (self.places(axis, step) <= places), 0, self.shape[axis])

    def count_below(self, axis: int, places: np.ndarray) -> np.ndarray:
        """How many samples along an axis are below a place, in steps; of the shape of ``places``."""
        step = np.floor(places).astype(np.int64)
        return np.clip(step + (self.places(axis, step) < places), 0, self.shape[axis])

    def strides(self) -> np.ndarray:
        """Steps in the flat sample number, along x, y and z."""
        return np.array([self.shape[1] * self.shape[2], self.shape[2], 1])


@dataclass(frozen=True)
class Crossings:
    """Where the grid's rays along one axis cross the triangles; sorted along each ray.

    Attributes:
        axis: 0, 1 or 2.
        base: flat number of the sample at the ray's beginning, shape (crossings,), int64.
        interval: number of the first sample at or after the crossing, 0 … samples along the axis, int64.
        triangle: shape (crossings,), int64.
        sign: +1 where the triangle's normal points along the axis, else −1, int64.
        points: in lattice units, shape (crossings, 3), float64.
    """

    axis: int
    base: np.ndarray
    interval: np.ndarray
    triangle: np.ndarray
    sign: np.ndarray
    points: np.ndarray


@dataclass(frozen=True)
class Insideness:
    """What the rays say of every sample.

    Attributes:
        depth: winding number, rounded, at least 1 in size inside, 0 outside; shape of the grid, int8.
        disagreement: Σ over the samples of the share of directions that were outvoted, in samples.
    """

    depth: np.ndarray
    disagreement: float


def cross_rays(points: np.ndarray, triangles: np.ndarray, grid: Grid, axis: int) -> Crossings:
    """Cross the grid's rays along one axis with the triangles.

    Triangles are scan-converted: each edge is cut with the rows of rays in one direction, whichever triangle it is
    taken from, so that rays neither slip between two triangles nor hit both.

    Args:
        points: in lattice units, shape (vertices, 3).
        triangles: shape (triangles, 3).
        grid: the samples that the rays pass through.
        axis: direction of the rays.
    """
    across, up = (axis + 1) % 3, (axis + 2) % 3
    corners = points[triangles]
    flat = corners * grid.rate
    triangle, row = _rows(flat[:, :, up], grid, up)
    row_places = grid.places(up, row)
    left, right = _row_ends(flat, triangle, row_places, across, up)
    # left < column ≤ right
    first = grid.count_up_to(across, left)
    counts = np.maximum(grid.count_up_to(across, right) - first, 0)
    column = np.repeat(first, counts) + ramp(counts)
    triangle, row, row_places = np.repeat(triangle, counts), np.repeat(row, counts), np.repeat(row_places, counts)
    column_places = grid.places(across, column)
    height, sign = _heights(flat, triangle, column_places, row_places, (across, up, axis))
    strides = grid.strides()
    base = column * strides[across] + row * strides[up]
    interval = grid.count_below(axis, height)
    order = np.lexsort((height, base))
    crossing_points = np.empty((len(order), 3))
    for direction, value in ((across, column_places), (up, row_places), (axis, height)):
        crossing_points[:, direction] = value[order] / grid.rate
    return Crossings(axis, base[order], interval[order], triangle[order], sign[order], crossing_points)


def vote(grid: Grid, crossings: list[Crossings]) -> Insideness:
    """Let the six directions decide on every sample.

    Args:
        grid: the samples.
        crossings: those along x, y and z.
    """
    positive = np.zeros(grid.shape, dtype=np.int8)
    negative = np.zeros(grid.shape, dtype=np.int8)
    winding_sum = np.zeros(grid.shape, dtype=np.int16)
    for along in crossings:
        below, total = _windings(grid, along)
        # looking down an axis finds −below, looking up it total − below
        positive += below < 0
        negative += below > 0
        winding_sum -= below
        np.subtract(total, below, out=below)
        positive += below > 0
        negative += below < 0
        winding_sum += below
        del below
    depth = np.zeros(grid.shape, dtype=np.int8)
    outvoted = 0
    for slab in range(grid.shape[0]):
        leading = np.maximum(positive[slab], negative[slab])
        inside = leading >= VOTES_NEEDED
        size = np.maximum((np.abs(winding_sum[slab]) + 3) // 6, 1).astype(np.int8)
        depth[slab] = np.where(inside, np.where(positive[slab] > negative[slab], size, -size), 0)
        outvoted += int(np.where(inside, 6 - leading, leading).sum(dtype=np.int64))
    return Insideness(depth, outvoted / 6.0)


def _windings(grid: Grid, crossings: Crossings) -> tuple[np.ndarray, np.ndarray]:
    """Crossings of each sample's ray below it, of the grid's shape, and along the whole ray, by sign; int16."""
    axis = crossings.axis
    samples = grid.shape[axis]
    stride = grid.strides()[axis]
    jumps = np.zeros(grid.shape, dtype=np.int16)
    before = crossings.interval < samples
    keys = crossings.base[before] + crossings.interval[before] * stride
    unique, sums = _sum_by_key(keys, crossings.sign[before])
    jumps.reshape(-1)[unique] = sums
    below = np.cumsum(jumps, axis=axis, out=jumps)
    total = np.zeros(grid.shape, dtype=np.int16).take([0], axis=axis)
    rays, ray_sums = _sum_by_key(crossings.base, crossings.sign)
    flat_index = np.unravel_index(rays, grid.shape)
    total[flat_index] = ray_sums
    return below, total


def _sum_by_key(keys: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums of the values of equal keys; equal keys come together."""
    if len(keys) == 0:
        return keys, values
    begins = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    return keys[begins], np.add.reduceat(values, begins)


def _rows(heights: np.ndarray, grid: Grid, up: int) -> tuple[np.ndarray, np.ndarray]:
    """Each (triangle, row) in which a triangle spans a row of rays: lowest corner < row ≤ highest corner."""
    first = grid.count_up_to(up, heights.min(axis=1))
    counts = grid.count_up_to(up, heights.max(axis=1)) - first
    triangle = np.repeat(np.arange(len(heights)), counts)
    return triangle, np.repeat(first, counts) + ramp(counts)


def _row_ends(
    flat: np.ndarray, triangle: np.ndarray, rows: np.ndarray, across: int, up: int
) -> tuple[np.ndarray, np.ndarray]:
    """Where the triangles' edges cut their rows, given by places: the lower and the upper of the two."""
    left = np.full(len(rows), np.inf)
    right = np.full(len(rows), -np.inf)
    for side in range(3):
        start, end = flat[triangle, side], flat[triangle, (side + 1) % 3]
        # Cut every edge from its lower end, so that the triangles on its two sides find the same number.
        upward = (start[:, up] < end[:, up]) | ((start[:, up] == end[:, up]) & (start[:, across] < end[:, across]))
        low, high = np.where(upward[:, None], start, end), np.where(upward[:, None], end, start)
        cut = (low[:, up] < rows) & (rows <= high[:, up])
        rise = np.where(cut, high[:, up] - low[:, up], 1.0)
        place = low[:, across] + (rows - low[:, up]) / rise * (high[:, across] - low[:, across])
        left = np.where(cut, np.minimum(left, place), left)
        right = np.where(cut, np.maximum(right, place), right)
    return left, right


def _heights(
    flat: np.ndarray, triangle: np.ndarray, columns: np.ndarray, rows: np.ndarray, axes: tuple[int, int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Height of each ray's crossing with its triangle along the ray, and the sign of the triangle's normal there."""
    across, up, axis = axes
    origin = flat[:, 0]
    normal = np.cross(flat[:, 1] - origin, flat[:, 2] - origin)
    slope = np.where(normal[:, axis] != 0.0, normal[:, axis], 1.0)
    fall = normal[triangle, across] * (columns - origin[triangle, across])
    fall = fall + normal[triangle, up] * (rows - origin[triangle, up])
    height = origin[triangle, axis] - fall / slope[triangle]
    low, high = flat[:, :, axis].min(axis=1), flat[:, :, axis].max(axis=1)
    sign = np.where(normal[triangle, axis] > 0.0, 1, -1)
    return np.clip(height, low[triangle], high[triangle]), sign
