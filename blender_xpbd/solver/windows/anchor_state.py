# SPDX-License-Identifier: GPL-3.0-or-later
"""Anchors of friction between launches: as rows of a checkpoint, and back to the device."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ...contacts.pairs.tables import ANCHOR_FLOATS, ANCHOR_NEXT, EDGE_EDGE, KIND, POINTS
from ...device.arrays import edited_array, read_array, write_array
from ...scene.errors import XpbdError

Floats = npt.NDArray[np.float64]
# a row of a checkpoint: kind, four points, slide [m] and force [N]
ROW_WIDTH = ANCHOR_NEXT + ANCHOR_FLOATS
# rows that a checkpoint may have per point of a surface; what is read from a disk is bounded
MOST_PER_POINT = 256


def read_anchors(arrays: dict[str, Any]) -> Floats:
    """The anchors on the device, shape (anchors, 9)."""
    count = int(read_array(arrays["anchor_count"])[0])
    # there is room for as many as there are pairs, which may be a thousand times as many
    ints = read_array(arrays["anchor_ints"], count)[:, :ANCHOR_NEXT]
    floats = read_array(arrays["anchor_floats"], count)
    return np.concatenate([ints, floats], axis=1, dtype=np.float64)


def write_anchors(arrays: dict[str, Any], rows: Floats) -> None:
    """Replace the anchors on the device, which has room for so many rows."""
    count, points = len(rows), rows[:, POINTS].astype(np.int64)
    # rows of a point in their order: each goes on to the one before
    order = np.argsort(points, kind="stable")
    follows = points[order[1:]] == points[order[:-1]]
    with edited_array(arrays["anchor_ints"]) as ints, edited_array(arrays["anchor_floats"]) as floats:
        # what is beyond the count is never read
        ints[:count, :ANCHOR_NEXT], ints[:count, ANCHOR_NEXT] = rows[:, :ANCHOR_NEXT], 0
        ints[order[1:][follows], ANCHOR_NEXT] = order[:-1][follows] + 1
        floats[:count] = rows[:, ANCHOR_NEXT:]
    with edited_array(arrays["anchor_heads"]) as heads:
        heads[...] = 0
        heads[points] = np.arange(count) + 1
    write_array(arrays["anchor_count"], np.array([count], np.int32))


def check_anchors(rows: npt.NDArray[Any], point_count: int) -> None:
    """Raises XpbdError, E_CACHE, where rows are no anchors between surfaces of so many points."""
    fits = rows.ndim == 2 and rows.shape[1] == ROW_WIDTH and rows.dtype.kind == "f" and bool(np.isfinite(rows).all())
    if fits:
        keys = rows[:, :ANCHOR_NEXT]
        fits = bool((keys == np.floor(keys)).all() and (keys >= 0).all())
        fits = fits and bool((keys[:, KIND] <= EDGE_EDGE).all() and (keys[:, POINTS:] < point_count).all())
        fits = fits and len(np.unique(keys, axis=0)) == len(keys)
    if not fits:
        raise XpbdError("E_CACHE", "The checkpoint's anchors do not fit the job.")


def most_anchor_bytes(point_count: int) -> int:
    """How large the anchors of a checkpoint may be."""
    return MOST_PER_POINT * point_count * ROW_WIDTH * np.dtype(np.float64).itemsize
