# SPDX-License-Identifier: GPL-3.0-or-later
"""Where pinned particles are, from the places of the pinned vertices where no object carries them.

Each kind of body has one of these ways, see ``kinds``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .body_model import BodyModel

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


def match_pins(model: BodyModel, sources: Ints, target: Floats) -> Floats:
    """Places of pinned particles that are the pinned vertices themselves.

    Args:
        model: a body with pins, whose first particles are its vertices.
        sources: the particles, from the body's first, shape (pinned,).
        target: where the pinned vertices are [m], in their order, which is ascending; shape (pins, 3).
    """
    return target[np.searchsorted(model.body.pins.vertices, sources)]


def carry_pins(model: BodyModel, sources: Ints, target: Floats) -> Floats:
    """Places of pinned particles that are not vertices: they go with the motion of all pinned vertices.

    Arguments as of ``match_pins``.
    """
    return carried(model.positions[sources], model.body.positions[model.body.pins.vertices], target)


def carried(points: Floats, rest: Floats, target: Floats) -> Floats:
    """Move points with the motion that takes ``rest`` to ``target``.

    The motion is the affine map of least squares. In directions in which ``rest`` has no extent (one vertex, a
    line, a flat patch) it is the rotation of least squares (Kabsch 1976), so that nothing is flattened.

    Args:
        points: [m], shape (points, 3).
        rest: of the pinned vertices [m], shape (pins, 3), at least one.
        target: where they go [m], shape (pins, 3).
    """
    rest_centre, target_centre = rest.mean(axis=0), target.mean(axis=0)
    spread, moved = rest - rest_centre, target - target_centre
    directions, extents, _ = np.linalg.svd(spread.T, full_matrices=True)
    extents = np.concatenate([extents, np.zeros(3 - len(extents))])
    spanned = extents > 1e-6 * max(extents[0], 1e-300)
    basis = directions[:, : len(spanned)][:, spanned]
    projector = basis @ basis.T
    affine = np.linalg.pinv(spread, rcond=1e-6) @ moved
    matrix = affine.T @ projector + least_squares_rotation(spread, moved) @ (np.eye(3) - projector)
    result: Floats = (points - rest_centre) @ matrix.T + target_centre
    return result


def least_squares_rotation(spread: Floats, moved: Floats) -> Floats:
    """The rotation that takes vectors closest to others (Kabsch 1976), shape (3, 3).

    Args:
        spread: [m], shape (vectors, 3).
        moved: where they go [m], shape (vectors, 3).
    """
    left, _, right = np.linalg.svd(spread.T @ moved)
    handedness = np.sign(np.linalg.det(right.T @ left.T)) or 1.0
    rotation: Floats = right.T @ np.diag([1.0, 1.0, handedness]) @ left.T
    return rotation
