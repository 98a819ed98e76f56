# SPDX-License-Identifier: GPL-3.0-or-later
"""Bind points to tetrahedra by barycentric coordinates, and carry them along."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..chunks import chunks
from ..ragged import ramp
from .tetrahedra import signed_volumes

# Buckets per tetrahedron (roughly) of the grid that finds candidates, and points × candidates held at once;
# nearest centres among which a point outside looks for its tetrahedron: more are slower, fewer may miss the best. All
# chosen by hand.
BUCKETS_PER_TETRAHEDRON = 1.0
PAIRS_AT_ONCE = 500_000
NEAREST_CANDIDATES = 24
INSIDE_TOLERANCE = 1e-9


def bind(
    points: np.ndarray, vertices: np.ndarray, tetrahedra: np.ndarray, tolerance: float = INSIDE_TOLERANCE
) -> tuple[np.ndarray, np.ndarray]:
    """Bind every point to the tetrahedron that contains it, or else to a nearby one.

    A point on the border of several gets the first of them. By how much it is inside of each is a matter of rounding,
    so of how the body is turned.

    A point outside gets the tetrahedron, among those with the nearest centres, that it is least outside of, with
    weights that extrapolate: at rest it is reproduced exactly, and it moves rigidly with that tetrahedron.

    Args:
        points: positions [m], shape (points, 3).
        vertices: positions [m], shape (vertices, 3).
        tetrahedra: shape (tetrahedra, 4), at least one, each of positive volume.
        tolerance: weight by which a point may be outside of what contains it, far below 1.

    Returns:
        ``elements``, shape (points,), int32, and ``weights``, shape (points, 4), float64, rows of sum 1.

    Raises:
        ValueError: there is no tetrahedron of positive volume.
    """
    points, vertices = np.asarray(points, dtype=np.float64), np.asarray(vertices, dtype=np.float64)
    tetrahedra = np.asarray(tetrahedra)
    usable = np.flatnonzero(signed_volumes(vertices, tetrahedra) > 0.0).astype(np.int32)
    if len(usable) == 0:
        raise ValueError("no tetrahedron of positive volume to bind to")
    if len(usable) < len(tetrahedra):
        tetrahedra = tetrahedra[usable]
    elements, outsideness = _containing(points, vertices, tetrahedra, tolerance)
    outside = np.flatnonzero(outsideness > tolerance)
    if len(outside):
        elements[outside] = _nearest(points[outside], vertices, tetrahedra)
    corners, inverses = _shapes(vertices[tetrahedra[elements]])
    return usable[elements], _weights(points, corners, inverses)


def barycentric_weights(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Barycentric coordinates of points, each in its own tetrahedron; shape (points, 4), rows of sum 1.

    Args:
        points: shape (points, 3).
        corners: of a tetrahedron with volume for each point, shape (points, 4, 3).
    """
    sides = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    last = np.linalg.solve(sides, (points - corners[:, 0])[:, :, None])[:, :, 0]
    return np.concatenate([1.0 - last.sum(axis=1, keepdims=True), last], axis=1)


def nearest_points(points: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The nearest of some other points to each point, shape (points,), int64; every pair is compared.

    Args:
        points: shape (points, 3).
        others: shape (others, 3), at least one.
    """
    nearest = np.empty(len(points), dtype=np.int64)
    for part in _parts(np.full(len(points), len(others)), PAIRS_AT_ONCE):
        nearest[part] = _squared_distances(points[part], others).argmin(axis=1)
    return nearest


def _squared_distances(points: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Squared distance of every pair, shape (points, others)."""
    squared = np.zeros((len(points), len(others)))
    for axis in range(3):
        squared += (points[:, None, axis] - others[None, :, axis]) ** 2
    return squared


def _shapes(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First corners, shape (n, 3), and inverse edges, shape (n, 3, 3), of tetrahedra given by all corners."""
    return corners[:, 0], np.linalg.inv(np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2))


def _weights(points: np.ndarray, corners: np.ndarray, inverses: np.ndarray) -> np.ndarray:
    """Barycentric coordinates of points, each in a tetrahedron as ``_shapes`` has it, shape (points, 4)."""
    last = np.einsum("pij,pj->pi", inverses, points - corners)
    return np.concatenate([1.0 - last.sum(axis=1, keepdims=True), last], axis=1)


@dataclass(frozen=True)
class _Buckets:
    """Points by the bucket of a grid that they are in.

    Attributes:
        origin, size, shape: of the grid [m]; buckets along x, y and z.
        points: numbers of those within the grid, bucket by bucket.
        begins: where each bucket begins among them, shape (buckets + 1,), int32.
        totals: points in all buckets before one along every axis, shape ``shape`` + 1, int32.
    """

    origin: np.ndarray
    size: float
    shape: np.ndarray
    points: np.ndarray
    begins: np.ndarray
    totals: np.ndarray

    def number(self, cells: np.ndarray) -> np.ndarray:
        """Flat number of buckets, shape (n,)."""
        return (cells[:, 0] * self.shape[1] + cells[:, 1]) * self.shape[2] + cells[:, 2]

    def spans(self, corners: np.ndarray, margin: float) -> tuple[np.ndarray, np.ndarray]:
        """First and last bucket along every axis that boxes of tetrahedra with a margin [m] reach into, each (n, 3)."""
        low, high = corners.min(axis=1) - margin, corners.max(axis=1) + margin
        first = np.clip(np.floor((low - self.origin) / self.size).astype(np.int64), 0, self.shape - 1)
        last = np.clip(np.floor((high - self.origin) / self.size).astype(np.int64), 0, self.shape - 1)
        return first, last

    def counts(self, first: np.ndarray, last: np.ndarray) -> np.ndarray:
        """Points in all buckets of given spans, shape (n,)."""
        counts = np.zeros(len(first), np.int64)
        for corner in np.ndindex(2, 2, 2):
            x, y, z = np.where(corner, last + 1, first).T
            counts += (-1) ** (3 - sum(corner)) * self.totals[x, y, z]
        return counts


def _fill_buckets(points: np.ndarray, low: np.ndarray, high: np.ndarray, tetrahedron_count: int) -> _Buckets:
    """Sort points into a grid over the box of the tetrahedra."""
    extent = high - low
    size = max((extent.prod() / (BUCKETS_PER_TETRAHEDRON * tetrahedron_count)) ** (1 / 3), float(extent.max()) / 256)
    shape = np.maximum(np.ceil(extent / size).astype(np.int64), 1)
    cells = np.floor((points - low) / size).astype(np.int64)
    # A point on the upper border belongs to the last bucket.
    cells = np.where((cells == shape) & (points <= low + extent), shape - 1, cells)
    within = np.flatnonzero(((cells >= 0) & (cells < shape)).all(axis=1))
    numbers = np.ravel_multi_index(tuple(cells[within].T), tuple(shape))
    order = np.argsort(numbers, kind="stable")
    begins = np.searchsorted(numbers[order], np.arange(int(shape.prod()) + 1)).astype(np.int32)
    totals = np.zeros(tuple(shape + 1), np.int32)
    totals[1:, 1:, 1:] = np.diff(begins).reshape(tuple(shape))
    for axis in range(3):
        np.cumsum(totals, axis=axis, out=totals)
    return _Buckets(low, size, shape, within[order], begins, totals)


def _containing(
    points: np.ndarray, vertices: np.ndarray, tetrahedra: np.ndarray, tolerance: float
) -> tuple[np.ndarray, np.ndarray]:
    """The best tetrahedron whose box reaches into the point's bucket, and how far (in weights) the point is outside.

    That is ``tolerance`` at least, so all that contain the point are equals. Points without any candidate get element 0
    and infinity.
    """
    used = np.zeros(len(vertices), dtype=bool)
    used[tetrahedra.reshape(-1)] = True
    low, high = vertices[used].min(axis=0), vertices[used].max(axis=0)
    # no edge is longer than the box's diagonal, and what a weight is too small by, the other three may be too great by
    margin = 4.0 * tolerance * float(np.linalg.norm(high - low))
    buckets = _fill_buckets(points, low - margin, high + margin, len(tetrahedra))
    elements = np.zeros(len(points), dtype=np.int64)
    outsideness = np.full(len(points), np.inf)
    for chunk in chunks(len(tetrahedra)):
        first, last = buckets.spans(vertices[tetrahedra[chunk]], margin)
        counts = buckets.counts(first, last)
        # Most tetrahedra are away from all points.
        near = np.flatnonzero(counts)
        for part in _parts(counts[near], PAIRS_AT_ONCE):
            mine = near[part]
            owner, candidate = _pairs(buckets, first[mine], last[mine])
            corners, inverses = _shapes(vertices[tetrahedra[chunk][mine]])
            outside = -_weights(points[owner], corners[candidate], inverses[candidate]).min(axis=1)
            outside = np.maximum(outside, tolerance)
            _keep_best(owner, chunk.start + mine[candidate], outside, elements, outsideness)
    return elements, outsideness


def _pairs(buckets: _Buckets, first: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each point in the buckets of each span, with the number of the span; by point, then by span."""
    spans = last - first + 1
    bucket_counts = spans.prod(axis=1)
    number = np.repeat(np.arange(len(first)), bucket_counts)
    step = ramp(bucket_counts)
    depth, height = spans[number, 2], spans[number, 1]
    cells = first[number] + np.stack([step // (depth * height), step // depth % height, step % depth], axis=1)
    bucket = buckets.number(cells)
    counts = buckets.begins[bucket + 1] - buckets.begins[bucket]
    owner = buckets.points[np.repeat(buckets.begins[bucket], counts) + ramp(counts)]
    candidate = np.repeat(number, counts)
    order = np.lexsort((candidate, owner))
    return owner[order], candidate[order]


def _keep_best(
    owner: np.ndarray, candidates: np.ndarray, outside: np.ndarray, elements: np.ndarray, outsideness: np.ndarray
) -> None:
    """Of each point's candidates, note the one it is least outside of, the first of several; equal owners adjoin."""
    begins = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
    least = np.minimum.reduceat(outside, begins)
    run = np.repeat(np.arange(len(begins)), np.diff(np.r_[begins, len(owner)]))
    best = np.flatnonzero(outside == least[run])[::-1]
    chosen = np.empty(len(begins), dtype=np.int64)
    chosen[run[best]] = candidates[best]
    asking = owner[begins]
    better = least < outsideness[asking]
    elements[asking[better]] = chosen[better]
    outsideness[asking[better]] = least[better]


def _nearest(points: np.ndarray, vertices: np.ndarray, tetrahedra: np.ndarray) -> np.ndarray:
    """Of the tetrahedra with the nearest centres, the one each point is least outside of (by distance)."""
    centres = np.empty((len(tetrahedra), 3))
    for chunk in chunks(len(tetrahedra)):
        centres[chunk] = vertices[tetrahedra[chunk]].mean(axis=1)
    nearest = np.empty(len(points), dtype=np.int64)
    keep = min(NEAREST_CANDIDATES, len(centres))
    for part in _parts(np.full(len(points), len(centres)), PAIRS_AT_ONCE):
        query = points[part]
        squared = _squared_distances(query, centres)
        candidates = np.sort(np.argpartition(squared, keep - 1, axis=1)[:, :keep], axis=1)
        all_corners = vertices[tetrahedra[candidates.reshape(-1)]]
        corners, inverses = _shapes(all_corners)
        sizes = np.linalg.norm(all_corners[:, 1] - corners, axis=1)
        outside = -_weights(np.repeat(query, keep, axis=0), corners, inverses).min(axis=1) * sizes
        nearest[part] = candidates[np.arange(len(query)), outside.reshape(-1, keep).argmin(axis=1)]
    return nearest


def _parts(counts: np.ndarray, limit: int) -> list[slice]:
    """Cut a list into slices whose counts sum to about a limit at most."""
    if len(counts) == 0:
        return []
    batch = (np.cumsum(counts) - counts) // limit
    begins = np.flatnonzero(np.r_[True, batch[1:] != batch[:-1]])
    return [slice(int(a), int(b)) for a, b in zip(begins, np.r_[begins[1:], len(counts)], strict=True)]
