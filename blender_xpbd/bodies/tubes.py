# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a cloth is a tube that has to fall into creases.

A sheet can hang from its pins without a strain, and so can a skirt or a sleeve that hangs down. A sleeve that is held
level cannot: it collapses into sharp creases, where its weight hangs on a few lines of springs.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..geometry.components import connected_components
from ..geometry.levels.tethers import nearest_sources
from ..geometry.ragged import sums_by_label
from ..geometry.surface.topology import boundary_edges, face_diagonals, triangulate, unique_edges
from .body_model import BodyModel

Floats = npt.NDArray[np.float64]

# the sum of its areas as vectors, per its area, below which a piece goes around: 1 for a sheet, 2/π for half a tube, 0
# for a tube. Chosen by hand between the last two
LEAST_FACING = 0.5
# how far tubes lie below their pins, per way along the cloth, from which on they hang: 0 for a level sleeve, 0.95 for
# the skirt of the benchmark. Chosen by hand between the two
LEAST_HANGING = 0.5


def collapses(model: BodyModel, gravity: Floats) -> bool:
    """Whether the cloth has open tubes that pins hold so that they do not hang down, in their mean over all.

    Args:
        model: of the cloth.
        gravity: [m/s²], shape (3,).
    """
    body, strength = model.body, float(np.linalg.norm(gravity))
    fixed = np.flatnonzero(model.pin_weights >= 1.0)
    if strength == 0.0 or len(fixed) == 0:
        return False
    triangles = triangulate(body.face_sizes, body.corners)
    pairs = np.concatenate([unique_edges(body.face_sizes, body.corners), face_diagonals(body.face_sizes, body.corners)])
    in_tube = _in_tubes(model.positions, triangles, pairs)
    if not in_tube[fixed].any():
        return False
    lengths = np.linalg.norm(model.positions[pairs[:, 0]] - model.positions[pairs[:, 1]], axis=1)
    distances, pins = nearest_sources(len(model.positions), pairs, lengths, [fixed[in_tube[fixed]]])
    held = np.isfinite(distances[0]) & (distances[0] > 0.0)
    ways = model.positions[held] - model.positions[pins[0][held]]
    below = ways @ gravity / (strength * distances[0][held])
    return bool(len(below)) and float(below.mean()) < LEAST_HANGING


def _in_tubes(
    positions: Floats, triangles: npt.NDArray[np.int32], pairs: npt.NDArray[np.int32]
) -> npt.NDArray[np.bool_]:
    """Which vertices belong to a piece that goes around and has a border, shape (vertices,)."""
    count = len(positions)
    labels = connected_components(count, pairs)
    a, b, c = (positions[triangles[:, corner]] for corner in range(3))
    vectors, owners = np.cross(b - a, c - a), labels[triangles[:, 0]]
    sums = sums_by_label(owners, vectors, count)
    areas = np.bincount(owners, np.linalg.norm(vectors, axis=1), minlength=count)
    goes_around = np.linalg.norm(sums, axis=1) < LEAST_FACING * areas
    goes_around &= np.isin(np.arange(count), labels[boundary_edges(triangles)])
    inside: npt.NDArray[np.bool_] = goes_around[labels]
    return inside
