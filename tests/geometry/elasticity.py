# SPDX-License-Identifier: GPL-3.0-or-later
"""Small strains of tetrahedra under loads, solved directly in float64."""

from __future__ import annotations

import numpy as np

from blender_xpbd.constraints.tetrahedron_element import lame_parameters
from blender_xpbd.geometry.solid.embedding import bind
from blender_xpbd.geometry.solid.tetrahedra import signed_volumes
from tests.geometry.surfaces import cube

POISSONS_RATIO = 0.3
# samples along each side of a face
SAMPLES = 24
# of the mean stiffness, so that a body that nothing holds keeps its place
HELD = 1e-8


def stiffness_matrix(vertices: np.ndarray, tetrahedra: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Of a material with E = 1, of which each tetrahedron has a share; shape (3 · vertices, 3 · vertices)."""
    mu, lame = lame_parameters(1.0, POISSONS_RATIO)
    corners = vertices[tetrahedra]
    inverse = np.linalg.inv(np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2))
    gradients = np.concatenate([-inverse.sum(axis=1, keepdims=True), inverse], axis=1)
    products = np.einsum("eai,ebj->eaibj", gradients, gradients)
    local = lame * products + mu * np.swapaxes(products, 2, 4)
    local += mu * np.einsum("eak,ebk,ij->eaibj", gradients, gradients, np.eye(3))
    local *= (shares * signed_volumes(vertices, tetrahedra))[:, None, None, None, None]
    places = (3 * tetrahedra[:, :, None] + np.arange(3)).reshape(len(tetrahedra), 12).astype(np.int64)
    size = 3 * len(vertices)
    flat = places[:, :, None] * size + places[:, None, :]
    return np.bincount(flat.ravel(), local.ravel(), size * size).reshape(size, size)


def bar(width: float, rotation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A box of 5 × ``width`` × ``width`` along the first axis of a rotation: vertices and triangles."""
    corners, triangles = cube()
    return corners * [2.5, 0.5 * width, 0.5 * width] @ rotation.T, triangles


def end_samples(width: float, rotation: np.ndarray, side: float) -> tuple[np.ndarray, np.ndarray]:
    """Points on an end of ``bar`` (side −1 or 1): across its own axes, and in the world."""
    line = ((np.arange(SAMPLES) + 0.5) / SAMPLES - 0.5) * width
    across = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    own = np.column_stack([np.full(len(across), 2.5 * side), across])
    return across, own @ rotation.T


def nodal_forces(vertices: np.ndarray, tetrahedra: np.ndarray, points: np.ndarray, forces: np.ndarray) -> np.ndarray:
    """Forces at points of tetrahedra as forces on the vertices, shape (vertices, 3)."""
    found, weights = bind(points, vertices, tetrahedra)
    total = np.zeros(vertices.shape)
    np.add.at(total, tetrahedra[found], weights[:, :, None] * forces[:, None])
    return total


def pure_compliances(
    vertices: np.ndarray, tetrahedra: np.ndarray, shares: np.ndarray, width: float, rotation: np.ndarray
) -> tuple[float, float, float]:
    """How far a ``bar`` stretches and bends both ways under uniform and linear tractions on its ends, per exact."""
    matrix = stiffness_matrix(vertices, tetrahedra, shares)
    matrix[np.diag_indices(len(matrix))] += HELD * np.trace(matrix) / len(matrix)
    loads = np.zeros((3, len(vertices), 3))
    for side in (-1.0, 1.0):
        across, points = end_samples(width, rotation, side)
        area = width**2 / len(points)
        for load, tractions in zip(loads, (np.ones(len(points)), *across.T), strict=True):
            load += nodal_forces(vertices, tetrahedra, points, side * area * tractions[:, None] * rotation[:, 0])
    moved = np.linalg.solve(matrix, loads.reshape(3, -1).T).T
    work = (moved * loads.reshape(3, -1)).sum(axis=1)
    stretch, *bends = (work / [5.0 * width**2, *(5.0 * width**4 / 12.0,) * 2]).tolist()
    return stretch, bends[0], bends[1]
