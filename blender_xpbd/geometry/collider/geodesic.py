# SPDX-License-Identifier: GPL-3.0-or-later
"""A ball as a closed mesh: an icosahedron whose faces are divided evenly and pushed out onto the sphere."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

_GOLDEN = (1.0 + 5.0**0.5) / 2.0
_CORNERS = np.array(
    [[x, y * _GOLDEN, 0.0] for x in (-1.0, 1.0) for y in (-1.0, 1.0)]
    + [[0.0, x, y * _GOLDEN] for x in (-1.0, 1.0) for y in (-1.0, 1.0)]
    + [[y * _GOLDEN, 0.0, x] for x in (-1.0, 1.0) for y in (-1.0, 1.0)]
)
# the corners of a face are this far apart, and no others are as near
_EDGE = 2.0


def icosahedron() -> tuple[Floats, Ints]:
    """Corners on the unit sphere, shape (12, 3), and faces, outward, shape (20, 3)."""
    near = np.linalg.norm(_CORNERS[:, None] - _CORNERS, axis=2) < 1.1 * _EDGE
    a, b, c = np.nonzero(near[:, :, None] & near[:, None, :] & near[None, :, :])
    faces = np.stack([a, b, c], axis=1)[(a < b) & (b < c)]
    inward = np.linalg.det(_CORNERS[faces]) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    return _CORNERS / np.linalg.norm(_CORNERS, axis=1, keepdims=True), faces.astype(np.int32)


def geodesic_sphere(divisions: int) -> tuple[Floats, Ints]:
    """A unit sphere.

    Args:
        divisions: of each edge of the icosahedron, at least 1.

    Returns:
        vertices, shape (10 divisions² + 2, 3), and triangles, outward, shape (20 divisions², 3).
    """
    corners, faces = icosahedron()
    steps = [(i, j) for i in range(divisions + 1) for j in range(divisions + 1 - i)]
    places = {step: number for number, step in enumerate(steps)}
    upward = [(i, j) for i, j in steps if i + j < divisions]
    downward = [(i, j) for i, j in steps if i and i + j < divisions]
    local = [[places[i, j], places[i + 1, j], places[i, j + 1]] for i, j in upward]
    local += [[places[i, j], places[i, j + 1], places[i - 1, j + 1]] for i, j in downward]
    shares = np.array([[divisions - i - j, i, j] for i, j in steps], np.float64) / divisions
    points = np.einsum("sk,fkx->fsx", shares, corners[faces]).reshape(-1, 3)
    triangles = (np.array(local)[None] + len(steps) * np.arange(len(faces))[:, None, None]).reshape(-1, 3)
    # what faces share is in the same place but for rounding
    keys = np.round(points * 4.0 * divisions).astype(np.int64)
    _, firsts, numbers = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    vertices = points[firsts]
    return vertices / np.linalg.norm(vertices, axis=1, keepdims=True), numbers.reshape(-1)[triangles].astype(np.int32)
