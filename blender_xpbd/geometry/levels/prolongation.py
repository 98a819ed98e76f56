# SPDX-License-Identifier: GPL-3.0-or-later
"""Which coarse vertices move a vertex of a mesh, and with which weights."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ..ragged import ramp
from .seeds import adjacency
from .unfolding import Complexes, Development, product, sizes

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

# sine of the sharpest corner of a triangle of coarse vertices, squared
LEAST_SINE = 1e-3
# how much a weight below 0 a shorter triangle makes up for, for each of its lengths
PREFER_SMALL = 1e-3


def pair_finder(pairs: Indices, count: int) -> Callable[[Indices, Indices], Indices]:
    """A function that tells the row of ordered pairs, which must occur.

    Args:
        pairs: each once, shape (pairs, 2).
        count: of the nodes.
    """
    keys = pairs[:, 0] * count + pairs[:, 1]
    order = np.argsort(keys)
    ordered = keys[order]
    return lambda first, second: order[np.searchsorted(ordered, first * count + second)]


def barycentric_parents(
    places: Complexes, owners: Indices, edges: Development, seeds: Indices
) -> tuple[Indices, Floats]:
    """Parents of each vertex: the corners of the coarse triangle that it lies in, among those at its own seed.

    Args:
        places: of the vertices in the planes of their seeds [m], shape (vertices,).
        owners: number of the seed of each vertex, −1 for none, shape (vertices,).
        edges: between seeds, by their numbers.
        seeds: vertices, shape (seeds,).

    Returns:
        parents, numbers of seeds, and weights, not negative; each of shape (vertices, 3). Weights sum up to 1, to 0
        where there is no owner.
    """
    triangles, vectors = _triangles_at_seeds(edges, len(seeds))
    counts = np.bincount(triangles[:, 0], minlength=len(seeds))
    firsts = np.cumsum(counts) - counts
    scale = float(np.mean(edges.lengths)) if len(edges.pairs) else 1.0
    parents = np.repeat(np.maximum(owners, 0)[:, None], 3, axis=1)
    weights = np.zeros((len(owners), 3))
    weights[:, 0] = owners >= 0
    best = np.full(len(owners), -np.inf)
    for number in range(int(counts.max(initial=0))):
        vertices = np.flatnonzero((counts[owners] > number) & (owners >= 0))
        rows = firsts[owners[vertices]] + number
        shares, score = _barycentric(places[vertices], vectors[rows], scale)
        better = score > best[vertices]
        chosen = vertices[better]
        best[chosen] = score[better]
        parents[chosen] = triangles[rows[better]]
        inside = np.maximum(shares[better], 0.0)
        weights[chosen] = inside / inside.sum(axis=1, keepdims=True)
    weights[seeds] = [1.0, 0.0, 0.0]
    parents[seeds] = np.arange(len(seeds))[:, None]
    return parents, weights


def _triangles_at_seeds(edges: Development, count: int) -> tuple[Indices, Complexes]:
    """Triangles of three linked seeds, once at each corner, by the corner; and the vectors to the other two corners."""
    starts, neighbours = adjacency(count, edges.pairs)
    degrees = np.diff(starts)
    corners = np.repeat(np.arange(count), degrees)
    left = np.repeat(np.arange(len(neighbours)), degrees[corners])
    right = np.repeat(starts[corners], degrees[corners]) + ramp(degrees[corners])
    a, b, c = corners[left], neighbours[left], neighbours[right]
    linked = np.isin(b * count + c, edges.pairs[:, 0] * count + edges.pairs[:, 1])
    a, b, c = a[linked], b[linked], c[linked]
    ways = edges.both_ways()
    find = pair_finder(ways.pairs, count)
    vectors = np.stack([ways.vectors[find(a, b)], ways.vectors[find(a, c)]], axis=1)
    return np.stack([a, b, c], axis=1), vectors


def _barycentric(places: Complexes, vectors: Complexes, scale: float) -> tuple[Floats, Floats]:
    """Weights of the corners 0, ``vectors[:, 0]`` and ``vectors[:, 1]``, and how well a triangle suits; −∞ not at all.

    Of triangles that hold a place the smallest suits best, of others the nearest.
    """
    first, second = vectors.T
    area = product(first.conj(), second).imag
    good = area**2 > LEAST_SINE * (sizes(first) * sizes(second)) ** 2
    safe = np.where(good, area, 1.0)
    x, y = product(places.conj(), second).imag / safe, product(first.conj(), places).imag / safe
    shares = np.stack([1.0 - x - y, x, y], axis=1)
    size = np.sqrt(np.maximum(sizes(first), sizes(second)) ** 2 + sizes(first - second) ** 2) / scale
    score = np.minimum(shares.min(axis=1), 0.0) - PREFER_SMALL * size
    return shares, np.where(good, score, -np.inf)
