# SPDX-License-Identifier: GPL-3.0-or-later
"""Small strains, solved directly in float64: what a mesh of springs or tetrahedra answers without a solver's error."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from blender_xpbd.bodies.body_model import BodyModel
from blender_xpbd.constraints.constraint import ConstraintBlock

Floats = npt.NDArray[np.float64]


def stiffness(model: BodyModel) -> Floats:
    """Second derivative of the energy at rest [N/m], shape (3 · particles, 3 · particles).

    Raises:
        KeyError: a block of a type that is not known here.
    """
    size = 3 * len(model.positions)
    total = np.zeros(size * size)
    for block in model.blocks:
        gradients, springs = ROWS[block.type.name](model.positions, block)
        # U = ½ Σ springs (gradient · u)²: rows by constraint, shape (constraints, rows, corners · 3)
        local = np.einsum("cri,crs,csj->cij", gradients, springs, gradients)
        where = (3 * block.indices[:, :, None] + np.arange(3)).reshape(len(block), -1)
        places = where[:, :, None].astype(np.int64) * size + where[:, None, :]
        total += np.bincount(places.ravel(), local.ravel(), minlength=size * size)
    return total.reshape(size, size)


def displacements(matrix: Floats, forces: Floats, fixed: npt.NDArray[np.bool_], given: Floats | None = None) -> Floats:
    """Displacements at equilibrium [m], shape (particles, 3).

    Args:
        matrix: stiffness [N/m].
        forces: [N], shape (particles, 3).
        fixed: which components are held, shape (particles, 3).
        given: where they are held [m], shape (particles, 3); None for 0.
    """
    held = fixed.ravel()
    moved = np.zeros(len(held)) if given is None else np.where(held, given.ravel(), 0.0)
    right = forces.ravel() - matrix @ moved
    moved[~held] = np.linalg.solve(matrix[np.ix_(~held, ~held)], right[~held])
    return moved.reshape(-1, 3)


def _distance(positions: Floats, block: ConstraintBlock) -> tuple[Floats, Floats]:
    difference = positions[block.indices[:, 0]] - positions[block.indices[:, 1]]
    normals = difference / np.linalg.norm(difference, axis=1)[:, None]
    return np.concatenate([normals, -normals], axis=1)[:, None], (1.0 / block.parameters[:, 1])[:, None, None]


def _volume(positions: Floats, block: ConstraintBlock) -> tuple[Floats, Floats]:
    corners = positions[block.indices]
    a, b, c = (corners[:, i] - corners[:, 0] for i in (1, 2, 3))
    pulls = np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=1) / 6.0
    gradients = np.concatenate([-pulls.sum(axis=1, keepdims=True), pulls], axis=1)
    return gradients.reshape(len(block), 1, 12), (1.0 / block.parameters[:, 1])[:, None, None]


def _elastic(block: ConstraintBlock, shear: Floats, lame: Floats) -> tuple[Floats, Floats]:
    """Six strains of each tetrahedron, and V times Hooke's law."""
    inverse = block.parameters[:, :9].reshape(-1, 3, 3)
    gradients = np.concatenate([-inverse.sum(axis=1, keepdims=True), inverse], axis=1)
    strains = np.zeros((len(block), 6, 4, 3))
    for row, (i, j) in enumerate(((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))):
        strains[:, row, :, i] += gradients[:, :, j]
        if i != j:
            strains[:, row, :, j] += gradients[:, :, i]
    normal, diagonal = np.zeros((6, 6)), np.diag([2.0, 2, 2, 1, 1, 1])
    normal[:3, :3] = 1.0
    law = lame[:, None, None] * normal + shear[:, None, None] * diagonal
    return strains.reshape(len(block), 6, 12), law


def _corotated(_: Floats, block: ConstraintBlock) -> tuple[Floats, Floats]:
    shear = 0.5 / block.parameters[:, 10]
    return _elastic(block, shear, 2.0 * shear * block.parameters[:, 9])


def _neo_hookean(_: Floats, block: ConstraintBlock) -> tuple[Floats, Floats]:
    shear = 1.0 / block.parameters[:, -1]
    return _elastic(block, shear, shear * (block.parameters[:, 9] - 1.0))


ROWS = {
    # while it is drawn out
    "diagonal": _distance,
    "distance": _distance,
    "tetrahedron_volume": _volume,
    "corotated": _corotated,
    "neo_hookean": _neo_hookean,
}
