# SPDX-License-Identifier: GPL-3.0-or-later
"""The shortest straight way by which one patch of surface comes past another."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# heights are compared in so many cells along the greatest extent of the larger patch; chosen by hand
CELLS = 24
# a patch whose normals add up to less than this share of their sizes has no direction of its own
LEAST_NORMAL = 0.1
# so many samples times ways are looked at in one pass: more of them leave the processor's cache, and take memory
MOST_AT_ONCE = 30_000
# ways that are tried beside the normals: to the faces, edges and corners of a cube
_CUBE = np.array([way for way in itertools.product((-1.0, 0.0, 1.0), repeat=3) if any(way)])
_WAYS = _CUBE / np.linalg.norm(_CUBE, axis=1)[:, None]


def shortest_way(
    positions: Floats, triangles: Ints, shares: Floats, only: Floats | None = None
) -> tuple[Floats, float]:
    """The way that brings the first patch past all of the second that lies above it in that direction.

    How long a way must be is told by samples in cells of a grid across it, so it may be a little short. Ways are those
    along the mean normals and 26 others.

    Args:
        positions: of the points [m], shape (points, 3).
        triangles: shape (triangles, 3).
        shares: above 0 for points of each patch, shape (2, points).
        only: the direction that it must have; None for any.

    Returns:
        its direction, a unit vector, and its length [m].
    """
    cell = max(float(np.ptp(positions[mine > 0.0], axis=0).max()) for mine in shares) / CELLS
    patches = [_samples(positions, triangles, mine, cell) for mine in shares]
    normals = [_mean_normals(positions, triangles, mine) for mine in shares]
    ways = np.concatenate([_WAYS, *normals]) if only is None else only[None]
    first, second = patches
    batch = max(1, MOST_AT_ONCE // max(len(first), len(second)))
    batches = [ways[start : start + batch] for start in range(0, len(ways), batch)]
    lengths = np.concatenate([lengths_of_ways(first, second, some, cell) for some in batches])
    best = int(np.argmin(lengths))
    return ways[best], float(lengths[best])


def area_normal(positions: Floats, triangles: Ints, shares: Floats) -> Floats:
    """The sum of the normals of a patch, times their areas, as a share of its area, shape (3,)."""
    corners = positions[triangles[(shares[triangles] > 0.0).all(axis=1)]]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    result: Floats = normals.sum(axis=0) / max(float(np.linalg.norm(normals, axis=1).sum()), 1e-300)
    return result


def _mean_normals(positions: Floats, triangles: Ints, shares: Floats) -> Floats:
    """The mean normal of a patch both ways, where it has one, shape (0 or 2, 3)."""
    normal = area_normal(positions, triangles, shares)
    size = float(np.linalg.norm(normal))
    return np.stack([normal, -normal]) / size if size > LEAST_NORMAL else np.zeros((0, 3))


def _samples(positions: Floats, triangles: Ints, shares: Floats, cell: float) -> Floats:
    """Points of a patch, so many that hardly a cell of it is without, shape (samples, 3)."""
    mine = triangles[(shares[triangles] > 0.0).any(axis=1)]
    corners, weights = positions[mine], shares[mine]
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1, initial=0.0)
    divisions = np.clip(np.ceil(longest / max(cell, 1e-300)), 1, 2 * CELLS).astype(np.int32)
    samples = [positions[shares > 0.0]]
    for number in np.unique(divisions[divisions > 1]):
        chosen, barycentric = divisions == number, _barycentric(int(number))
        is_mine = np.einsum("sk,tk->ts", barycentric, weights[chosen]).ravel() > 0.0
        samples.append(np.einsum("sk,tkx->tsx", barycentric, corners[chosen]).reshape(-1, 3)[is_mine])
    return np.concatenate(samples)


def _barycentric(divisions: int) -> Floats:
    """Even samples of a triangle whose sides are divided, shape (samples, 3)."""
    i, j = np.meshgrid(np.arange(divisions + 1), np.arange(divisions + 1), indexing="ij")
    rows = np.stack([i, j, divisions - i - j], axis=-1).reshape(-1, 3)
    result: Floats = rows[rows[:, 2] >= 0] / divisions
    return result


def lengths_of_ways(first: Floats, second: Floats, ways: Floats, cell: float) -> Floats:
    """How far the first patch has to go each way until nothing of the second lies above it.

    All ways are looked at in the same passes, for a pass costs more than the few samples of most patches.

    Args:
        first: samples of it [m], shape (samples, 3).
        second: likewise of the other.
        ways: unit vectors, shape (ways, 3).
        cell: size of the cells in which heights are compared [m].

    Returns:
        Shape (ways,) [m].
    """
    if cell <= 0.0:
        return np.zeros(len(ways))
    # per way its two axes across it, and the way itself, shape (ways, 3, samples)
    frames = np.stack([*_axes(ways), ways], axis=1)
    one, other = (np.einsum("wax,nx->wan", frames, points) for points in (first, second))
    # half a cell more on each side, so that rounding does not decide what is at the border
    low = np.maximum(one[:, :2].min(axis=2), other[:, :2].min(axis=2)) - cell / 2.0
    high = np.minimum(one[:, :2].max(axis=2), other[:, :2].max(axis=2)) + cell / 2.0
    # patches that do not lie above each other have no cell in common
    counts = np.where((high > low).all(axis=1)[:, None], np.ceil((high - low) / cell), 0.0).astype(np.int64)
    sizes = counts.prod(axis=1)
    ends = np.cumsum(sizes)
    lowest, highest = np.full(ends[-1], np.inf), np.full(ends[-1], -np.inf)
    for least, extremes, points in ((np.minimum, lowest, one), (np.maximum, highest, other)):
        across, along = points[:, :2], points[:, 2]
        is_in = ((across >= low[..., None]) & (across <= high[..., None])).all(axis=1) & counts.all(axis=1)[:, None]
        # what is not in has no place, whatever its number is
        places = np.minimum(((across - low[..., None]) / cell).astype(np.int64), counts[..., None] - 1)
        index = places[:, 0] * counts[:, 1:] + places[:, 1] + (ends - sizes)[:, None]
        least.at(extremes, index[is_in], along[is_in])
    result = np.zeros(len(ways))
    np.maximum.at(result, np.repeat(np.arange(len(ways)), sizes), highest - lowest)
    return result


def _axes(ways: Floats) -> tuple[Floats, Floats]:
    """Two unit vectors across each way, shapes (ways, 3)."""
    along = np.eye(3)[np.abs(ways).argmin(axis=1)]
    along = along - (along * ways).sum(axis=1, keepdims=True) * ways
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    return along, np.cross(ways, along)
