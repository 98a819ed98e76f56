# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples on a surface, denser than a given spacing, and which of them lie next to each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..ragged import ramp


@dataclass(frozen=True)
class SurfaceSamples:
    """Points on triangles.

    Attributes:
        points: shape (samples, 3), float64.
        triangle: the triangle of each, shape (samples,), int64.
        links: pairs of samples next to each other on a triangle, or at one place on two triangles that share it;
            shape (links, 2), int64.
        corner_samples: the samples at each triangle's corners, shape (triangles, 3), int64.
    """

    points: np.ndarray
    triangle: np.ndarray
    links: np.ndarray
    corner_samples: np.ndarray


def sample_surface(points: np.ndarray, triangles: np.ndarray, spacing: float) -> SurfaceSamples:
    """Sample triangles in rows parallel to their longest side, and their shared edges.

    The number of samples goes with area / spacing² + length / spacing, for long thin triangles too.

    Args:
        points: vertices, shape (vertices, 3).
        triangles: shape (triangles, 3).
        spacing: greatest distance between neighbours, about.
    """
    rows = _sample_rows(points, triangles, spacing)
    edge_points, edge_triangles, edge_links = _sample_edges(points, triangles, spacing, rows)
    vertex_links = _link_shared_vertices(triangles, rows.corner_samples)
    return SurfaceSamples(
        np.concatenate([rows.points, edge_points]),
        np.concatenate([rows.triangle, edge_triangles]),
        np.concatenate([rows.links, edge_links, vertex_links]),
        rows.corner_samples,
    )


def _sample_rows(points: np.ndarray, triangles: np.ndarray, spacing: float) -> SurfaceSamples:
    """Samples of each triangle alone, with all three corners among them."""
    turned, turn = _longest_side_first(points, triangles)
    a, b, c = (points[turned[:, i]] for i in range(3))
    base = np.linalg.norm(b - a, axis=1)
    height = np.linalg.norm(np.cross(b - a, c - a), axis=1) / np.where(base > 0.0, base, 1.0)
    row_counts = np.maximum(np.ceil(height / spacing).astype(np.int64), 1) + 1
    owner = np.repeat(np.arange(len(triangles)), row_counts)
    row_begins = np.cumsum(row_counts) - row_counts
    share = ramp(row_counts) / (row_counts - 1)[owner]
    is_apex = share == 1.0
    steps = np.where(is_apex, 0, np.maximum(np.ceil(base[owner] * (1.0 - share) / spacing).astype(np.int64), 1))
    begins = np.cumsum(steps + 1) - (steps + 1)
    row = np.repeat(np.arange(len(owner)), steps + 1)
    number = ramp(steps + 1)
    along = (number / np.maximum(steps, 1)[row])[:, None]
    up = share[row][:, None]
    triangle = owner[row]
    # Exact at the corners: the weights there are 0 and 1.
    samples = (1.0 - up) * ((1.0 - along) * a[triangle] + along * b[triangle]) + up * c[triangle]
    in_row = np.flatnonzero(number < steps[row])
    upward = np.flatnonzero(~is_apex[row])
    above = row[upward] + 1
    nearest = np.rint(along[upward, 0] * steps[above]).astype(np.int64)
    links = np.concatenate(
        [np.stack([in_row, in_row + 1], axis=1), np.stack([upward, begins[above] + nearest], axis=1)]
    )
    ends = np.stack([begins[row_begins], begins[row_begins] + steps[row_begins], begins[row_begins + row_counts - 1]])
    corner_samples = np.empty((len(triangles), 3), dtype=np.int64)
    for place in range(3):
        corner_samples[np.arange(len(triangles)), (place + turn) % 3] = ends[place]
    return SurfaceSamples(samples, triangle, links, corner_samples)


def _sample_edges(
    points: np.ndarray, triangles: np.ndarray, spacing: float, rows: SurfaceSamples
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Samples inside long edges, once for every triangle that has the edge: points, triangles and links.

    Those of one triangle form a chain from corner to corner; those of two triangles at one place are linked.
    """
    start = triangles.reshape(-1).astype(np.int64)
    end = np.roll(triangles, -1, axis=1).reshape(-1).astype(np.int64)
    low, high = np.minimum(start, end), np.maximum(start, end)
    length = np.linalg.norm(points[high] - points[low], axis=1)
    side = np.flatnonzero(length > spacing)
    side = side[np.argsort((low[side] << 32) | high[side], kind="stable")]
    key = (low[side] << 32) | high[side]
    steps = np.ceil(length[side] / spacing).astype(np.int64)
    counts = steps - 1
    counts[steps < 2] = 1
    steps = np.maximum(steps, 2)
    offset = len(rows.points)
    begins = np.cumsum(counts) - counts
    chain = np.repeat(np.arange(len(side)), counts)
    number = ramp(counts)
    along = ((number + 1) / steps[chain])[:, None]
    samples = (1.0 - along) * points[low[side]][chain] + along * points[high[side]][chain]
    inner = np.flatnonzero(number + 1 < counts[chain])
    corners, corner_after = rows.corner_samples.reshape(-1), np.roll(rows.corner_samples, -1, axis=1).reshape(-1)
    forward = (start == low)[side]
    at_low = np.where(forward, corners[side], corner_after[side])
    at_high = np.where(forward, corner_after[side], corners[side])
    is_first = np.r_[True, key[1:] != key[:-1]] if len(key) else np.zeros(0, dtype=bool)
    leader = np.maximum.accumulate(np.where(is_first, np.arange(len(side)), 0)) if len(side) else side
    follows = np.flatnonzero(~is_first[chain])
    links = [
        offset + np.stack([inner, inner + 1], axis=1),
        np.stack([at_low, offset + begins], axis=1),
        np.stack([at_high, offset + begins + counts - 1], axis=1),
        offset + np.stack([follows, begins[leader[chain[follows]]] + number[follows]], axis=1),
    ]
    return samples, side[chain] // 3, np.concatenate(links)


def _link_shared_vertices(triangles: np.ndarray, corner_samples: np.ndarray) -> np.ndarray:
    """Links from every corner's sample to that of the first corner at the same vertex."""
    vertices, samples = triangles.reshape(-1), corner_samples.reshape(-1)
    _, first, which = np.unique(vertices, return_index=True, return_inverse=True)
    leaders = samples[first][which.reshape(-1)]
    apart = leaders != samples
    return np.stack([leaders[apart], samples[apart]], axis=1)


def _longest_side_first(points: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The triangles turned so that their longest side runs from the first corner to the second, and the turns."""
    sides = points[np.roll(triangles, -1, axis=1)] - points[triangles]
    turn = (sides**2).sum(axis=2).argmax(axis=1)
    return triangles[np.arange(len(triangles))[:, None], (np.arange(3)[None] + turn[:, None]) % 3], turn
