# SPDX-License-Identifier: GPL-3.0-or-later
"""Shape keys of curves: control points, and the handles of Bézier points, which follow.

A handle keeps its place relative to the curve at its point. It turns by the shortest rotation from the direction of
the curve at rest to the direction now, both from the point before to the one after, and grows with the segment that it
is on. Handles of the types Automatic and Vector are computed by Blender from the points.
"""

from __future__ import annotations

import bpy
import numpy as np
import numpy.typing as npt

from ..reading.points import read_handles, read_points, read_runs, spline_points

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class BezierHandles:
    """The handles of a curve's points, wherever these are."""

    def __init__(self, curve: bpy.types.Curve) -> None:
        """Take the curve as it is at rest."""
        rest = read_points(curve)
        left, right = read_handles(curve)
        kinds = [np.zeros(0, bool)]
        kinds += [np.full(len(spline_points(spline)), spline.type == "BEZIER") for spline in curve.splines]
        self.of_points = np.concatenate(kinds)
        self._before, self._after = _neighbours(curve)
        self._rest = rest
        self._left, self._right = left - rest, right - rest
        self._directions = _normalized(rest[self._after] - rest[self._before])
        # the outer handle of an open end grows with the segment on its other side
        numbers = np.arange(len(rest))
        self._left_side = np.where(self._before == numbers, self._after, self._before)
        self._right_side = np.where(self._after == numbers, self._before, self._after)

    def at(self, points: Floats) -> tuple[Floats, Floats]:
        """Left and right handles of control points that are there, all shapes (points, 3)."""
        directions = _normalized(points[self._after] - points[self._before])
        left = _turned(self._left, self._directions, directions) * self._growth(points, self._left_side)
        right = _turned(self._right, self._directions, directions) * self._growth(points, self._right_side)
        return points + left, points + right

    def _growth(self, points: Floats, others: Ints) -> Floats:
        """How much longer the segments to neighbours are than at rest, shape (points, 1)."""
        now = np.linalg.norm(points - points[others], axis=1)
        rest = np.linalg.norm(self._rest - self._rest[others], axis=1)
        growth: Floats = np.where(rest > 0.0, now / np.where(rest > 0.0, rest, 1.0), 1.0)[:, None]
        return growth


def set_key_coordinates(block: bpy.types.ShapeKey, coordinates: Floats, handles: BezierHandles | None) -> None:
    """Put the points of a shape key to their places, shape (points, 3); ``handles`` for those of a curve."""
    if handles is None:
        block.points.foreach_set("co", np.ascontiguousarray(coordinates, np.float32).ravel())
        return
    left, right = handles.at(np.asarray(coordinates, np.float64))
    rows = zip(block.data, coordinates.tolist(), left.tolist(), right.tolist(), handles.of_points, strict=True)
    for point, place, handle_left, handle_right, is_bezier in rows:
        point.co = place
        if is_bezier:
            point.handle_left, point.handle_right = handle_left, handle_right


def _neighbours(curve: bpy.types.Curve) -> tuple[Ints, Ints]:
    """The point before and after each; an open end is its own neighbour."""
    before: list[Ints] = [np.zeros(0, np.int64)]
    after: list[Ints] = [np.zeros(0, np.int64)]
    for first, count, is_closed in read_runs(curve):
        numbers = np.arange(first, first + count)
        back, forth = np.roll(numbers, 1), np.roll(numbers, -1)
        if not is_closed and count:
            back[0], forth[-1] = numbers[0], numbers[-1]
        before.append(back)
        after.append(forth)
    return np.concatenate(before), np.concatenate(after)


def _normalized(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Floats = vectors / np.where(lengths > 0.0, lengths, 1.0)
    return unit


def _turned(vectors: Floats, before: Floats, after: Floats) -> Floats:
    """Vectors turned by the shortest rotation from unit vectors to others (Rodrigues); kept where it is a half turn."""
    axis, cosine = np.cross(before, after), np.einsum("px,px->p", before, after)
    is_half_turn = cosine < -1.0 + 1e-9
    share = np.einsum("px,px->p", axis, vectors) / np.where(is_half_turn, 1.0, 1.0 + cosine)
    turned = cosine[:, None] * vectors + np.cross(axis, vectors) + share[:, None] * axis
    is_known = (np.linalg.norm(before, axis=1) > 0.0) & (np.linalg.norm(after, axis=1) > 0.0) & ~is_half_turn
    kept: Floats = np.where(is_known[:, None], turned, vectors)
    return kept
