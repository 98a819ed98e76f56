# SPDX-License-Identifier: GPL-3.0-or-later
"""A basis of shapes whose blends are the frames: a truncated singular value decomposition of the displacements.

The decomposition gives the least mean square error, while the greatest one counts here. So it is repeated with more
weight on the frames that are farthest off (iteratively reweighted least squares), and the fewest shapes are taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .motion import Coordinates, Motion, ReductionStoppedError, Stop

_ROUNDS = 4
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
    offsets = (motion.coordinates - motion.reference).reshape(len(motion.frames), -1)
    gram = _gram(offsets, should_stop)
    weights = np.ones(len(offsets))
    best: Blends | None = None
    for _ in range(_ROUNDS):
        basis = _Basis(motion, offsets, gram, weights, should_stop)
        count, errors = basis.fewest(tolerance, len(offsets) if best is None else len(best.offsets))
        if best is None or count < len(best.offsets):
            best = basis.blends(count)
        if errors is None:
            break
        weights *= np.sqrt(0.2 + errors / errors.max())
    if best is None:
        raise ValueError("a motion has at least one frame")
    return best


class _Basis:
    """All shapes of a weighted decomposition, the one that tells most first."""

    def __init__(self, motion: Motion, offsets: Coordinates, gram: npt.NDArray[np.float64],
                 weights: npt.NDArray[np.float64], should_stop: Stop) -> None:  # fmt: skip
        """Decompose.

        Args:
            motion: what is decomposed.
            offsets: of its frames, shape (frames, 3 vertices).
            gram: their products, shape (frames, frames).
            weights: of the frames.
            should_stop: asked now and then.
        """
        self._motion, self._offsets, self._should_stop = motion, offsets, should_stop
        _, vectors = np.linalg.eigh(gram * np.outer(weights, weights))
        vectors = vectors[:, ::-1]
        self._values = (vectors / weights[:, None]).astype(np.float32)
        self._shapes = _product((vectors * weights[:, None]).T.astype(np.float32), offsets, should_stop)

    def fewest(self, tolerance: float, at_most: int) -> tuple[int, npt.NDArray[np.float64] | None]:
        """How many shapes it takes, and each frame's error [m] with too few of them; None where one is enough."""
        too_few, enough = 0, at_most
        errors: npt.NDArray[np.float64] | None = None
        while enough - too_few > 1:
            count = (too_few + enough) // 2
            tried = self._errors(count)
            if tried.max() <= tolerance:
                enough = count
            else:
                too_few, errors = count, tried
        return enough, errors

    def blends(self, count: int) -> Blends:
        """The first shapes, scaled so that values are at most 1."""
        values = self._values[:, :count]
        scale = np.maximum(np.abs(values).max(axis=0), np.float32(1e-30))
        shapes = (self._shapes[:count] * scale[:, None]).reshape(count, -1, 3)
        return Blends(shapes, values / scale, np.ones(values.shape, np.bool_))

    def _errors(self, count: int) -> npt.NDArray[np.float64]:
        errors = np.empty(len(self._offsets))
        for index, row in enumerate(self._values[:, :count]):
            if self._should_stop():
                raise ReductionStoppedError
            played = (row @ self._shapes[:count]).reshape(-1, 3) + self._motion.reference
            errors[index] = self._motion.distance(index, played)
        return errors


def _product(factors: Coordinates, offsets: Coordinates, should_stop: Stop) -> Coordinates:
    """Factors times offsets, some vertices at a time: of many frames this takes seconds."""
    product = np.empty((len(factors), offsets.shape[1]), np.float32)
    for start in range(0, offsets.shape[1], 3 * _VERTICES):
        if should_stop():
            raise ReductionStoppedError
        product[:, start : start + 3 * _VERTICES] = factors @ offsets[:, start : start + 3 * _VERTICES]
    return product


def _gram(offsets: Coordinates, should_stop: Stop) -> npt.NDArray[np.float64]:
    gram = np.zeros((len(offsets), len(offsets)))
    for start in range(0, offsets.shape[1], 3 * _VERTICES):
        if should_stop():
            raise ReductionStoppedError
        part = offsets[:, start : start + 3 * _VERTICES].astype(np.float64)
        gram += part @ part.T
    return gram
