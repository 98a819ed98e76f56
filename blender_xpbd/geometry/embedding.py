# SPDX-License-Identifier: GPL-3.0-or-later
"""Bind points to tetrahedra by barycentric coordinates, and carry them along."""

from __future__ import annotations

import numpy as np

from .ragged import ramp
from .tetrahedra import signed_volumes

# Buckets per tetrahedron (roughly) of the grid that finds candidates, and points × candidates held at once.
BUCKETS_PER_TETRAHEDRON = 1.0
PAIRS_AT_ONCE = 2_000_000
NEAREST_CANDIDATES = 24
INSIDE_TOLERANCE = 1e-9


def bind(points: np.ndarray, vertices: np.ndarray, tetrahedra: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bind every point to the tetrahedron that contains it, or else to a nearby one.

    A point outside gets the tetrahedron, among those with the nearest centres, that it is least outside of, with
    weights that extrapolate: at rest it is reproduced exactly, and it moves rigidly with that tetrahedron.

    Args:
        points: positions [m], shape (points, 3).
        vertices: positions [m], shape (vertices, 3).
        tetrahedra: shape (tetrahedra, 4), at least one, each of positive volume.

    Returns:
        ``elements``, shape (points,), int32, and ``weights``, shape (points, 4), float64, rows of sum 1.

    Raises:
        ValueError: there is no tetrahedron of positive volume.
    """
    points = np.asarray(points, dtype=np.float64)
    corners = np.asarray(vertices, dtype=np.float64)[tetrahedra]
    volumes = signed_volumes(vertices, np.asarray(tetrahedra))
    usable = np.flatnonzero(volumes > 0.0)
    if len(usable) == 0:
        raise ValueError("no tetrahedron of positive volume to bind to")
    corners = corners[usable]
    inverses = np.linalg.inv(np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2))
    elements, outsideness = _containing(points, corners, inverses)
    outside = np.flatnonzero(outsideness > INSIDE_TOLERANCE)
    if len(outside):
        elements[outside] = _nearest(points[outside], corners, inverses)
    weights = _weights(points, elements, corners, inverses)
    return usable[elements].astype(np.int32), weights


def interpolate(weights: np.ndarray, elements: np.ndarray, tetrahedra: np.ndarray, vertices: np.ndarray) -> np.ndarray:
    """Positions of bound points [m], shape (points, 3).

    Args:
        weights: shape (points, 4).
        elements: tetrahedron of each point, shape (points,).
        tetrahedra: shape (tetrahedra, 4).
        vertices: positions [m] now, shape (vertices, 3).
    """
    corners = np.asarray(vertices, dtype=np.float64)[np.asarray(tetrahedra)[elements]]
    return np.einsum("pc,pcx->px", weights, corners)


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


def _weights(points: np.ndarray, elements: np.ndarray, corners: np.ndarray, inverses: np.ndarray) -> np.ndarray:
    """Barycentric coordinates of points in given tetrahedra, shape (points, 4)."""
    last = np.einsum("pij,pj->pi", inverses[elements], points - corners[elements, 0])
    return np.concatenate([1.0 - last.sum(axis=1, keepdims=True), last], axis=1)


def _containing(points: np.ndarray, corners: np.ndarray, inverses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The best tetrahedron whose box reaches into the point's bucket, and how far (in weights) the point is outside.

    Points without any candidate get element 0 and infinity.
    """
    low, high = corners.min(axis=1), corners.max(axis=1)
    origin, extent = low.min(axis=0), high.max(axis=0) - low.min(axis=0)
    size = max((extent.prod() / (BUCKETS_PER_TETRAHEDRON * len(corners))) ** (1 / 3), float(extent.max()) / 256)
    shape = np.maximum(np.ceil(extent / size).astype(np.int64), 1)
    order, begins = _fill_buckets(low, high, origin, size, shape)
    elements = np.zeros(len(points), dtype=np.int64)
    outsideness = np.full(len(points), np.inf)
    cells = np.floor((points - origin) / size).astype(np.int64)
    # A point on the upper border belongs to the last bucket.
    cells = np.where((cells == shape) & (points <= origin + extent), shape - 1, cells)
    within = np.flatnonzero(((cells >= 0) & (cells < shape)).all(axis=1))
    buckets = (cells[within, 0] * shape[1] + cells[within, 1]) * shape[2] + cells[within, 2]
    counts = begins[buckets + 1] - begins[buckets]
    for part in _parts(counts, PAIRS_AT_ONCE):
        owner = np.repeat(within[part], counts[part])
        candidates = order[np.repeat(begins[buckets[part]], counts[part]) + ramp(counts[part])]
        _keep_best(points, owner, candidates, corners, inverses, elements, outsideness)
    return elements, outsideness


def _keep_best(
    points: np.ndarray,
    owner: np.ndarray,
    candidates: np.ndarray,
    corners: np.ndarray,
    inverses: np.ndarray,
    elements: np.ndarray,
    outsideness: np.ndarray,
) -> None:
    """Of each point's candidates, note the one it is least outside of (owner is grouped by point)."""
    if len(owner) == 0:
        return
    outside = -_weights(points[owner], candidates, corners, inverses).min(axis=1)
    begins = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
    least = np.minimum.reduceat(outside, begins)
    group = np.repeat(np.arange(len(begins)), np.diff(np.r_[begins, len(owner)]))
    best = np.flatnonzero(outside == least[group])[::-1]
    chosen = np.empty(len(begins), dtype=np.int64)
    chosen[group[best]] = candidates[best]
    elements[owner[begins]] = chosen
    outsideness[owner[begins]] = least


def _fill_buckets(
    low: np.ndarray, high: np.ndarray, origin: np.ndarray, size: float, shape: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Tetrahedra by bucket: their numbers in bucket order, and where each bucket begins."""
    first = np.clip(np.floor((low - origin) / size).astype(np.int64), 0, shape - 1)
    last = np.clip(np.floor((high - origin) / size).astype(np.int64), 0, shape - 1)
    spans = last - first + 1
    counts = spans.prod(axis=1)
    number = np.repeat(np.arange(len(low)), counts)
    step = ramp(counts)
    depth, height = spans[number, 2], spans[number, 1]
    cells = first[number] + np.stack([step // (depth * height), step // depth % height, step % depth], axis=1)
    bucket = (cells[:, 0] * shape[1] + cells[:, 1]) * shape[2] + cells[:, 2]
    order = number[np.argsort(bucket, kind="stable")]
    return order, np.concatenate([[0], np.cumsum(np.bincount(bucket, minlength=int(shape.prod())))])


def _nearest(points: np.ndarray, corners: np.ndarray, inverses: np.ndarray) -> np.ndarray:
    """Of the tetrahedra with the nearest centres, the one each point is least outside of (by distance)."""
    centres = corners.mean(axis=1)
    nearest = np.empty(len(points), dtype=np.int64)
    keep = min(NEAREST_CANDIDATES, len(centres))
    sizes = np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)
    for part in _parts(np.full(len(points), len(centres)), PAIRS_AT_ONCE):
        query = points[part]
        squared = _squared_distances(query, centres)
        candidates = np.sort(np.argpartition(squared, keep - 1, axis=1)[:, :keep], axis=1)
        flat = candidates.reshape(-1)
        outside = -_weights(np.repeat(query, keep, axis=0), flat, corners, inverses).min(axis=1) * sizes[flat]
        nearest[part] = candidates[np.arange(len(query)), outside.reshape(-1, keep).argmin(axis=1)]
    return nearest


def _parts(counts: np.ndarray, limit: int) -> list[slice]:
    """Cut a list into slices whose counts sum to about a limit at most."""
    if len(counts) == 0:
        return []
    group = (np.cumsum(counts) - counts) // limit
    begins = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    return [slice(int(a), int(b)) for a, b in zip(begins, np.r_[begins[1:], len(counts)], strict=True)]
