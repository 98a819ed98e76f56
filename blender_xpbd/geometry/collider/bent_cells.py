# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a point may touch several faces of a mesh at once: cells whose triangles look in unlike directions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..components import connected_components
from ..surface.triangle_surface import Bools, Ints, TriangleSurface

# normals of one contact: farther apart they are another one of the same collider, such as a wall beside the floor.
# The cosine of 45°, chosen by hand: a wall must count as another one, the next faces of a rough floor must not
SAME_NORMAL = 0.7


def bent_cells(surface: TriangleSurface, dims: tuple[int, int, int], cell_starts: Ints, cell_triangles: Ints) -> Bools:
    """Tell which cells, or neighbours of theirs, list triangles that are not of one contact.

    Normals that all lie within half the angle of ``SAME_NORMAL`` around their mean are. So a few cells are told that
    would not need to be, and none is left out. Parts of an open mesh that do not hang together have unknown sides: a
    point may lie between two of them, whatever their normals.

    Args:
        surface: the triangles.
        dims: cells along x, y, z.
        cell_starts: first entry of each cell in ``cell_triangles``, shape (cells + 1,).
        cell_triangles: the triangles that each cell lists.

    Returns:
        shape (cells,).
    """
    counts = np.diff(cell_starts)
    filled = np.flatnonzero(counts)
    result = np.zeros(len(counts), np.bool_)
    if len(filled) == 0:
        return result
    starts = cell_starts[filled]
    normals = surface.normals.astype(np.float32)[cell_triangles]
    sums = np.add.reduceat(normals, starts, axis=0)
    along = np.einsum("ei,ei->e", normals, np.repeat(sums, counts[filled], axis=0))
    least = np.sqrt(0.5 * (1.0 + SAME_NORMAL)) * np.linalg.norm(sums, axis=1)
    result[filled] = np.minimum.reduceat(along, starts) < least
    if not surface.closed:
        parts = _parts(surface)[cell_triangles]
        result[filled] |= np.minimum.reduceat(parts, starts) < np.maximum.reduceat(parts, starts)
    return _with_neighbours(result.reshape(dims)).ravel()


def _with_neighbours(cells: Bools) -> Bools:
    for axis in range(3):
        ahead = np.moveaxis(cells, axis, 0)
        grown = ahead.copy()
        grown[1:] |= ahead[:-1]
        grown[:-1] |= ahead[1:]
        cells = np.moveaxis(grown, 0, axis)
    return cells


def _parts(surface: TriangleSurface) -> npt.NDArray[np.int32]:
    """Label each triangle; those that share a corner hang together, shape (triangles,)."""
    count = len(surface.corners)
    places, number = np.unique(surface.corners.reshape(-1, 3), axis=0, return_inverse=True)
    pairs = np.stack([np.repeat(np.arange(count), 3), count + number.ravel()], axis=1)
    return connected_components(count + len(places), pairs)[:count]
