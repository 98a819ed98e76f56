# SPDX-License-Identifier: GPL-3.0-or-later
"""A basis of shapes whose blends are the frames: a truncated singular value decomposition of the displacements.

The decomposition gives the least mean square error, while the greatest one counts here. So it is repeated with more
weight on the frames and on the vertices that are farthest off (Lawson 1961, Contributions to the theory of linear least
maximum approximation), until so many shapes are enough; then with fewer shapes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .motion import Coordinates, Motion, ReductionStoppedError, Stop

# Decompositions in all: most where they are cheap, fewest where a mesh is large. One takes about as many products as
# the square of the frames times the coordinates
_MOST_ROUNDS, _FEWEST_ROUNDS = 80, 10
_PRODUCTS = 2e10
# Decompositions for one number of shapes, after which it is given up, and how many fewer are tried at first
_TRIES = 12
_FIRST_STEP = 0.06
# What of its weight a frame or a vertex keeps that is not off at all
_LEAST_GAIN = 0.4
# Below it what a frame has of a shape would be its rounding errors, for it is divided by the weight
_LEAST_WEIGHT = 1e-5
# Vertices at a time: the Gram matrix needs double precision, of which no copy of all frames is made
_VERTICES = 4096


@dataclass(frozen=True)
class Blends:
    """Shapes and how much of each is in a frame.

    Attributes:
        offsets: from the reference in Blender units, shape (shapes, vertices, 3), float32.
        values: of each shape at each frame, at most 1 in size, shape (frames, shapes), float32.
        points: whether a shape's curve has a point at a frame, shape (frames, shapes); the other values are on the
            lines between points. The first and the last frame have points.
    """

    offsets: Coordinates
    values: npt.NDArray[np.float32]
    points: npt.NDArray[np.bool_]


def blend_frames(motion: Motion, tolerance: float, should_stop: Stop = lambda: False) -> Blends:
    """The fewest shapes found that reproduce all frames within the tolerance [m], at least one.

    Raises:
        ReductionStoppedError: when ``should_stop`` said so.
    """
    if not motion.frames:
        raise ValueError("a motion has at least one frame")
    search = _Search(motion, should_stop)
    best = search.without_weights(tolerance)
    step = max(int(_FIRST_STEP * len(best.offsets)), 1)
    while search.rounds_left > 0 and len(best.offsets) > 1:
        fewer = search.within(tolerance, max(len(best.offsets) - step, 1))
        if fewer is not None:
            best = fewer
        elif step == 1:
            break
        else:
            step //= 2
    return best


class _Search:
    """Decompositions of a motion, each with the weights that the one before it has left."""

    def __init__(self, motion: Motion, should_stop: Stop) -> None:
        """Nothing is decomposed.

        Args:
            motion: what is decomposed.
            should_stop: asked now and then.
        """
        self._motion, self._should_stop = motion, should_stop
        self._offsets = (motion.coordinates - motion.reference).reshape(len(motion.frames), -1)
        self._frame_weights = np.ones(len(motion.frames))
        self._vertex_weights = np.ones(motion.vertex_count)
        rounds = int(_PRODUCTS / (len(self._offsets) * max(self._offsets.size, 1)))
        self.rounds_left = min(max(rounds, _FEWEST_ROUNDS), _MOST_ROUNDS)

    def without_weights(self, tolerance: float) -> Blends:
        """The first shapes of the decomposition that are enough."""
        basis = self._basis(len(self._offsets))
        too_few, enough = 0, len(self._offsets)
        while enough - too_few > 1:
            count = (too_few + enough) // 2
            if self._weigh(basis, count) <= tolerance:
                enough = count
            else:
                too_few = count
        self._frame_weights[:], self._vertex_weights[:] = 1.0, 1.0
        return basis.blends(enough)

    def within(self, tolerance: float, count: int) -> Blends | None:
        """So many shapes that reproduce all frames within the tolerance [m]; None where they are not found.

        The weights are then as they were before.
        """
        before = self._frame_weights.copy(), self._vertex_weights.copy()
        for _ in range(min(_TRIES, self.rounds_left)):
            self.rounds_left -= 1
            basis = self._basis(count)
            if self._weigh(basis, count) <= tolerance:
                return basis.blends(count)
        self._frame_weights, self._vertex_weights = before
        return None

    def _basis(self, count: int) -> _Basis:
        """The shapes that tell most, the first one first, and how much of each is in a frame."""
        gram = _gram(self._offsets, self._vertex_weights, self._should_stop)
        weights = self._frame_weights
        _, vectors = np.linalg.eigh(gram * np.outer(weights, weights))
        vectors = vectors[:, ::-1][:, :count]
        factors = (vectors * weights[:, None]).T.astype(np.float32)
        values = (vectors / weights[:, None]).astype(np.float32)
        return _Basis(values, _product(factors, self._offsets, self._should_stop))

    def _weigh(self, basis: _Basis, count: int) -> float:
        """The greatest error of the first shapes [m]; what is far off has more weight afterwards."""
        frames, vertices = np.empty(len(self._offsets)), np.zeros(self._motion.vertex_count, np.float32)
        for index, row in enumerate(basis.values[:, :count]):
            if self._should_stop():
                raise ReductionStoppedError
            played = (row @ basis.shapes[:count]).reshape(-1, 3) + self._motion.reference
            errors = self._motion.distances(index, played)
            frames[index] = errors.max()
            np.maximum(vertices, errors, out=vertices)
        greatest = float(frames.max())
        if greatest > 0.0:
            self._frame_weights *= np.sqrt(_LEAST_GAIN + frames / greatest)
            self._vertex_weights *= np.sqrt(_LEAST_GAIN + vertices.astype(np.float64) / greatest)
            for weights in (self._frame_weights, self._vertex_weights):
                np.maximum(weights / weights.max(), _LEAST_WEIGHT, out=weights)
        return greatest


@dataclass(frozen=True)
class _Basis:
    """Shapes, the one that tells most first.

    Attributes:
        values: of each shape at each frame, shape (frames, shapes), float32.
        shapes: offsets from the reference, shape (shapes, 3 vertices), float32.
    """

    values: Coordinates
    shapes: Coordinates

    def blends(self, count: int) -> Blends:
        """The first shapes, scaled so that values are at most 1."""
        values = self.values[:, :count]
        scale = np.maximum(np.abs(values).max(axis=0), np.float32(1e-30))
        shapes = (self.shapes[:count] * scale[:, None]).reshape(count, -1, 3)
        return Blends(shapes, values / scale, np.ones(values.shape, np.bool_))


def _product(factors: Coordinates, offsets: Coordinates, should_stop: Stop) -> Coordinates:
    """Factors times offsets, some vertices at a time: of many frames this takes seconds."""
    product = np.empty((len(factors), offsets.shape[1]), np.float32)
    for start in range(0, offsets.shape[1], 3 * _VERTICES):
        if should_stop():
            raise ReductionStoppedError
        product[:, start : start + 3 * _VERTICES] = factors @ offsets[:, start : start + 3 * _VERTICES]
    return product


def _gram(offsets: Coordinates, weights: npt.NDArray[np.float64], should_stop: Stop) -> npt.NDArray[np.float64]:
    """Products of all frames, shape (frames, frames), with a weight for each vertex."""
    gram = np.zeros((len(offsets), len(offsets)))
    for start in range(0, len(weights), _VERTICES):
        if should_stop():
            raise ReductionStoppedError
        part = offsets[:, 3 * start : 3 * (start + _VERTICES)] * np.repeat(weights[start : start + _VERTICES], 3)
        gram += part @ part.T
    return gram
