# SPDX-License-Identifier: GPL-3.0-or-later
"""Halves the segments of a curve, so that a strand of it has points to bend at.

Between two points of a Bézier spline the new one is where de Casteljau's construction puts it, so that the curve keeps
its shape. Those of Poly and NURBS splines are simulated as they are, joined by straight segments: the new ones are in
their middles.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ..reading.points import spline_points

Floats = npt.NDArray[np.float64]

_WIDTHS = {"co": 4, "radius": 1, "tilt": 1, "weight_softbody": 1}
_BEZIER_WIDTHS = {**_WIDTHS, "co": 3, "handle_left": 3, "handle_right": 3}


def halve_segments(curve: bpy.types.Curve) -> None:
    """Put a point into every segment of every spline; handles of Bézier points become free.

    Args:
        curve: without shape keys, which have no values for new points.
    """
    for spline in curve.splines:
        points = spline_points(spline)
        if len(points) < 2:
            continue
        is_bezier = spline.type == "BEZIER"
        widths = _BEZIER_WIDTHS if is_bezier else _WIDTHS
        rows = {name: _read(points, name, width) for name, width in widths.items()}
        new = {name: _between(values) for name, values in rows.items()}
        if is_bezier:
            _split(rows, new)
        missing = len(points) - (not spline.use_cyclic_u)
        points.add(missing)
        for point in points if is_bezier else ():
            point.handle_left_type = point.handle_right_type = "FREE"
        for name, values in rows.items():
            woven = np.stack([values, new[name]], axis=1).reshape(2 * len(values), -1)
            points.foreach_set(name, woven[: len(points)].astype(np.float32).ravel())


def _read(points: Any, name: str, width: int) -> Floats:
    """Values of the points, shape (points, width)."""
    values = np.empty(width * len(points), np.float32)
    points.foreach_get(name, values)
    return values.astype(np.float64).reshape(-1, width)


def _between(values: Floats) -> Floats:
    """In the middle between each point and the next; after the last comes the first."""
    return _middle(values, np.roll(values, -1, axis=0))


def _middle(first: Floats, second: Floats) -> Floats:
    return 0.5 * (first + second)


def _split(rows: dict[str, Floats], new: dict[str, Floats]) -> None:
    """Set places and handles of the new points, and the handles of the old ones: de Casteljau at the middle."""
    following = {name: np.roll(rows[name], -1, axis=0) for name in ("co", "handle_left")}
    leaving = _middle(rows["co"], rows["handle_right"])
    top = _middle(rows["handle_right"], following["handle_left"])
    arriving = _middle(following["handle_left"], following["co"])
    new["handle_left"], new["handle_right"] = _middle(leaving, top), _middle(top, arriving)
    new["co"] = _middle(new["handle_left"], new["handle_right"])
    rows["handle_right"], rows["handle_left"] = leaving, np.roll(arriving, 1, axis=0)
