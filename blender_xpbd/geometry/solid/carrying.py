# SPDX-License-Identifier: GPL-3.0-or-later
"""Points that go where a surface near them goes: moving least squares, built once at rest.

Around each point the motion of the nearest sources is the affine map of weighted least squares (Levin 1998). That is a
weighted sum of where the sources are, so a frame costs a product. Where the sources lie in a plane, or the point is
farther off it than they reach, its distance from that plane is kept along the plane's normal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..chunks import chunks

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# sources that carry a point, and how few around its cells are too few to tell a turn
MOST_SOURCES, FEWEST_SOURCES = 24, 8
# sources among which the nearest to a point far inside are sought
_SPREAD = 3000
# a point inside is carried by sources on all its sides: by those within so many times the distance of the nearest
_AROUND = 1.8
# of the reach of the sources: distances below count little more, so that sources are averaged and not met
_SOFTENING = 0.3
# an offset beyond this many times the spread of the sources is kept along the normal: it would enlarge their noise
_FARTHEST_OFFSET = 3.0
# directions in which sources spread less than this share of their most are none
_LEAST_SPREAD = 1e-3


@dataclass(frozen=True)
class Carrier:
    """Where points go.

    Attributes:
        sources: that carry each point, shape (points, sources each).
        shares: of their places in the place of the point, rows of sum 1, shape (points, sources each).
        tangents: of their places in the images of two unit vectors along their plane, shape (points, 2, sources each).
        heights: of the points above that plane [m], shape (points,).
        is_carried: whether the sources around a point tell its motion, shape (points,).
    """

    sources: Ints
    shares: Floats
    tangents: Floats
    heights: Floats
    is_carried: npt.NDArray[np.bool_]

    def __call__(self, places: Floats) -> Floats:
        """Places of the points, from those of the sources [m], shape (sources, 3)."""
        near = places[self.sources]
        moved: Floats = np.einsum("pk,pki->pi", self.shares, near)
        high = np.flatnonzero(self.heights)
        if len(high):
            images = np.einsum("pjk,pki->pji", self.tangents[high], near[high])
            normals = np.cross(images[:, 0], images[:, 1])
            lengths = np.maximum(np.linalg.norm(normals, axis=1), 1e-300)
            moved[high] += (self.heights[high] / lengths)[:, None] * normals
        return moved


def build_carrier(points: Floats, rest: Floats, nearby: list[Ints | None]) -> Carrier:
    """Choose what carries each point.

    Args:
        points: at rest [m], shape (points, 3).
        rest: of the sources [m], shape (sources, 3), at least ``FEWEST_SOURCES``.
        nearby: of each point the sources to choose from; None for the nearest of all.
    """
    count = min(MOST_SOURCES, len(rest))
    sources = np.zeros((len(points), count), np.int32)
    counts = np.full(len(points), count)
    for number, own in enumerate(nearby):
        if own is None:
            continue
        squared = ((rest[own] - points[number]) ** 2).sum(axis=1)
        chosen = own[np.argsort(squared, kind="stable")[:count]]
        # one that stands in for what is missing counts nothing
        sources[number] = np.resize(chosen, count)
        counts[number] = len(chosen)
    far = np.flatnonzero([own is None for own in nearby])
    if len(far):
        sources[far] = _nearest(points[far], rest, count)
    parts = [
        _built(points[part], rest, sources[part], np.arange(count) < counts[part, None])
        for part in chunks(len(points), 64)
    ]
    return Carrier(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _nearest(points: Floats, rest: Floats, count: int) -> Ints:
    step = -(-len(rest) // _SPREAD)
    candidates = np.arange(0, len(rest), step, dtype=np.int32)
    if len(candidates) < count:
        candidates = np.arange(len(rest), dtype=np.int32)
    found = np.zeros((len(points), count), np.int32)
    for first in range(0, len(points), 256):
        part = slice(first, first + 256)
        squared = ((points[part, None] - rest[candidates]) ** 2).sum(axis=2)
        order = np.argsort(squared, axis=1, kind="stable")
        around = (squared <= _AROUND**2 * squared.min(axis=1, keepdims=True)).sum(axis=1)
        places = np.linspace(0, np.maximum(around, count) - 1, count, axis=1).astype(np.intp)
        found[part] = candidates[np.take_along_axis(order, places, axis=1)]
    return found


def _built(
    points: Floats, rest: Floats, sources: Ints, counts: npt.NDArray[np.bool_]
) -> tuple[Ints, Floats, Floats, Floats, npt.NDArray[np.bool_]]:
    """The columns of ``Carrier`` for some points; ``counts`` tells which of their sources do."""
    ways = rest[sources]
    squared = ((ways - points[:, None]) ** 2).sum(axis=2)
    reach = np.where(counts, squared, 0.0).max(axis=1, keepdims=True)
    weights = np.where(counts, 1.0 / np.maximum(squared + _SOFTENING**2 * reach, 1e-300) ** 2, 0.0)
    weights /= weights.sum(axis=1, keepdims=True)
    centre = (weights[:, :, None] * ways).sum(axis=1)
    ways = ways - centre[:, None]
    spread = np.einsum("pk,pki,pkj->pij", weights, ways, ways)
    values, axes = np.linalg.eigh(spread)
    # the greatest first; right-handed, so that the third is the normal of the first two
    values, axes = values[:, ::-1], axes[:, :, ::-1].copy()
    axes[:, :, 2] = np.cross(axes[:, :, 0], axes[:, :, 1])
    offsets = np.einsum("pi,pij->pj", points - centre, axes)
    spans = values > _LEAST_SPREAD**2 * values[:, :1]
    near = np.abs(offsets) <= _FARTHEST_OFFSET * np.sqrt(np.maximum(values, 0.0))
    used = spans & (near | (np.arange(3) < 2))
    along = np.einsum("pki,pij->pkj", ways, axes)
    slopes = np.where(used[:, None], along / np.where(used, values, 1.0)[:, None], 0.0)
    shares = weights * (1.0 + np.einsum("pkj,pj->pk", slopes, offsets))
    tangents = np.swapaxes(weights[:, :, None] * slopes[:, :, :2], 1, 2)
    heights = np.where(used[:, 2], 0.0, offsets[:, 2])
    return sources, shares, tangents, heights, spans[:, 1] & (counts.sum(axis=1) >= 3)
