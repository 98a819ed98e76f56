# SPDX-License-Identifier: GPL-3.0-or-later
"""What pairs of grains keep from frame to frame: as rows of a checkpoint, and back to the device."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ...contacts.grains.tables import CELL_ROW, LARGEST_PLACE, TOLD_LIST, TOUCHED
from ...device.arrays import read_array, write_array
from ...scene.errors import XpbdError
from .grain_state import neighbour_arrays
from .state import State, with_pairs

Floats = npt.NDArray[np.float64]
# a row of a checkpoint: the two grains of a pair that touches, and its anchor [m]
ROW_WIDTH = 5
# rows that a checkpoint may have per grain; what is read from a disk is bounded
MOST_PER_GRAIN = 64


def read_grain_pairs(state: State) -> Floats:
    """The pairs that touched in the substep before, shape (pairs, ``ROW_WIDTH``)."""
    kept = state.world.pairs
    counts = read_array(kept.grain_counts)
    grains, order = len(counts) // 2, read_array(kept.grain_order)
    mine = slice(*(np.array([0, grains]) + grains * int(read_array(kept.grains_told)[TOLD_LIST])))
    pairs, anchors = read_array(kept.grain_pairs)[mine], read_array(kept.grain_anchors)[mine]
    owners, places = np.nonzero((pairs & TOUCHED != 0) & (np.arange(pairs.shape[1]) < counts[mine, None]))
    others = pairs[owners, places] & LARGEST_PLACE
    rows = np.column_stack([order[owners], order[others], anchors[owners, places, :3]]).astype(np.float64)
    return rows[np.argsort(rows[:, 0], kind="stable")]


def with_grain_pairs(state: State, rows: Floats) -> State:
    """The state with these pairs in place of its own, with room for them."""
    owners, others = rows[:, :2].astype(np.int64).T
    grains = len(read_array(state.world.pairs.grain_counts)) // 2
    order = np.argsort(owners, kind="stable")
    owners, others, anchors = owners[order], others[order], rows[order, 2:]
    counts = np.bincount(owners, minlength=grains)
    places = np.arange(len(owners)) - (np.cumsum(counts) - counts)[owners]
    room = state.world.pairs.grain_pairs.shape[1]
    if counts.max(initial=0) > room:
        state = with_pairs(state, **neighbour_arrays(grains, int(counts.max())))
    kept = state.world.pairs
    pairs, old = read_array(kept.grain_pairs), read_array(kept.grain_anchors)
    told = read_array(kept.grains_told)
    told[TOLD_LIST] = 0
    pairs[owners, places], old[owners, places, :3] = others | TOUCHED, anchors
    # rows stand in the order of the grains until they are listed anew
    cells = read_array(kept.grain_cells)
    cells[:, CELL_ROW] = np.arange(grains)
    write_array(kept.grain_cells, cells)
    write_array(kept.grain_order, np.arange(grains, dtype=np.int32))
    write_array(kept.grain_counts, np.concatenate([counts, np.zeros(grains)]).astype(np.int32))
    write_array(kept.grain_pairs, pairs)
    write_array(kept.grain_anchors, old)
    write_array(kept.grains_told, told)
    return state


def check_grain_pairs(rows: npt.NDArray[Any], grains: int) -> None:
    """Raises XpbdError, E_CACHE, where rows are no pairs of so many grains."""
    fits = rows.ndim == 2 and rows.shape[1] == ROW_WIDTH and rows.dtype.kind == "f" and bool(np.isfinite(rows).all())
    if fits:
        numbers = rows[:, :2]
        fits = bool((numbers == np.floor(numbers)).all() and (numbers >= 0).all() and (numbers < grains).all())
        fits = fits and bool((numbers[:, 0] != numbers[:, 1]).all())
        fits = fits and len(np.unique(np.sort(numbers, axis=1), axis=0)) == len(rows)
    if not fits:
        raise XpbdError("E_CACHE", "The checkpoint's pairs of grains do not fit the job.")


def most_grain_bytes(grains: int) -> int:
    """How large the pairs of a checkpoint may be."""
    return MOST_PER_GRAIN * grains * ROW_WIDTH * np.dtype(np.float64).itemsize
