# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of a surface mesh before anything is built from it."""

from __future__ import annotations

import numpy as np

from ...scene.errors import Notice, XpbdError
from ..chunks import chunks
from .topology import pair_keys, triangulate

# A triangle whose height is less than this share of its longest side has no usable normal in float64.
FLATNESS_LIMIT = 1e-10


def check_mesh(
    positions: np.ndarray, face_sizes: np.ndarray, corners: np.ndarray, object_name: str = ""
) -> tuple[np.ndarray, list[Notice]]:
    """Triangulate a mesh and drop what cannot be simulated; the vertices are never touched.

    Args:
        positions: vertices [m], shape (vertices, 3).
        face_sizes: corners per face, shape (faces,).
        corners: vertex of each corner, shape (corners,).
        object_name: named in errors and notices.

    Returns:
        The usable triangles, shape (triangles, 3), int32, and the notices ``W_GEOM_LOOSE`` (vertices in no face) and
        ``W_GEOM_DEGENERATE`` (zero-area or repeated triangles left out), each with its count.

    Raises:
        XpbdError: ``E_GEOM_EMPTY`` without a usable face, ``E_GEOM_NONFINITE`` with the first vertex whose coordinates
            are not finite.
    """
    positions = np.asarray(positions, dtype=np.float64)
    if len(positions) == 0 or len(face_sizes) == 0:
        raise XpbdError("E_GEOM_EMPTY", "the mesh has no faces; give it faces or leave it out", object_name)
    finite = np.isfinite(positions).all(axis=1)
    if not finite.all():
        raise XpbdError(
            "E_GEOM_NONFINITE",
            f"vertex {int(np.argmin(finite))} has a coordinate that is not a number or infinite"
            f" ({int((~finite).sum())} such vertices); move or delete it",
            object_name,
        )
    triangles = triangulate(face_sizes, corners)
    usable = ~(_is_flat(positions, triangles) | _is_repeated(triangles))
    clean = triangles[usable]
    if len(clean) == 0:
        raise XpbdError("E_GEOM_EMPTY", "all faces of the mesh have zero area; give it faces with an area", object_name)
    notices = []
    is_used = np.zeros(len(positions), dtype=bool)
    is_used[corners] = True
    loose = len(positions) - np.count_nonzero(is_used)
    if loose:
        notices.append(Notice("W_GEOM_LOOSE", f"{loose} vertices belong to no face", object_name))
    dropped = len(triangles) - len(clean)
    if dropped:
        message = f"{dropped} triangles with zero area or in the place of another are left out of the simulation"
        notices.append(Notice("W_GEOM_DEGENERATE", message, object_name))
    return clean, notices


def _is_flat(positions: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Whether each triangle has (next to) no area for its size."""
    flat = np.empty(len(triangles), dtype=bool)
    for part in chunks(len(triangles)):
        a, b, c = (positions[triangles[part, i]] for i in range(3))
        sides = np.stack([b - a, c - b, a - c])
        scale = np.abs(sides).max(axis=(0, 2))
        sides = sides / np.where(scale > 0.0, scale, 1.0)[None, :, None]
        doubled_area = np.linalg.norm(np.cross(sides[0], sides[1]), axis=1)
        longest = (sides**2).sum(axis=2).max(axis=0)
        flat[part] = doubled_area <= FLATNESS_LIMIT * longest
    return flat


def _is_repeated(triangles: np.ndarray) -> np.ndarray:
    """Whether each triangle has the three vertices of an earlier one."""
    if len(triangles) == 0:
        return np.zeros(0, dtype=bool)
    low, middle, high = np.sort(triangles, axis=1).T
    pair = pair_keys(low, middle)
    order = np.lexsort((high, pair))
    pair, high = pair[order], high[order]
    repeated = np.zeros(len(triangles), dtype=bool)
    repeated[order[1:]] = (pair[1:] == pair[:-1]) & (high[1:] == high[:-1])
    return repeated
