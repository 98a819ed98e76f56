# SPDX-License-Identifier: GPL-3.0-or-later
"""Volumes, edges, surface and quality of tetrahedra."""

from __future__ import annotations

import numpy as np

from .topology import unique_pairs

# The three vertices of each face, outward for a positive tetrahedron; row i is opposite vertex i.
TETRAHEDRON_FACES = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])
TETRAHEDRON_EDGES = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])


def signed_volumes(vertices: np.ndarray, tetrahedra: np.ndarray) -> np.ndarray:
    """Volumes [m³], shape (tetrahedra,), float64: (b−a)·((c−a)×(d−a)) / 6 for vertices (a, b, c, d).

    Args:
        vertices: positions [m], shape (vertices, 3).
        tetrahedra: shape (tetrahedra, 4).
    """
    vertices = np.asarray(vertices, dtype=np.float64)
    origin = vertices[tetrahedra[:, 0]]
    b, c, d = (vertices[tetrahedra[:, i]] - origin for i in (1, 2, 3))
    return np.einsum("ij,ij->i", b, np.cross(c, d)) / 6.0


def orient_positive(vertices: np.ndarray, tetrahedra: np.ndarray) -> np.ndarray:
    """The tetrahedra with the last two vertices of every negative one exchanged.

    Args:
        vertices: positions [m], shape (vertices, 3).
        tetrahedra: shape (tetrahedra, 4).

    Returns:
        Tetrahedra, shape (tetrahedra, 4), int32, none of negative volume.
    """
    oriented = np.array(tetrahedra, dtype=np.int32)
    negative = signed_volumes(vertices, oriented) < 0.0
    oriented[negative] = oriented[negative][:, [0, 1, 3, 2]]
    return oriented


def tetrahedron_edges(tetrahedra: np.ndarray) -> np.ndarray:
    """The edges of the tetrahedra, each once: shape (edges, 2), int32, lower vertex first, sorted.

    Args:
        tetrahedra: shape (tetrahedra, 4).
    """
    return unique_pairs(np.asarray(tetrahedra)[:, TETRAHEDRON_EDGES].reshape(-1, 2))


def surface_triangles(tetrahedra: np.ndarray) -> np.ndarray:
    """Faces of exactly one tetrahedron: shape (triangles, 3), int32, outward where the tetrahedra are positive.

    Args:
        tetrahedra: shape (tetrahedra, 4).
    """
    faces = np.asarray(tetrahedra, dtype=np.int32)[:, TETRAHEDRON_FACES].reshape(-1, 3)
    ordered = np.sort(faces, axis=1)
    order = np.lexsort((ordered[:, 2], ordered[:, 1], ordered[:, 0]))
    same = (ordered[order][1:] == ordered[order][:-1]).all(axis=1)
    shared = np.zeros(len(faces), dtype=bool)
    shared[order[1:]] |= same
    shared[order[:-1]] |= same
    return faces[~shared]


def minimum_dihedral_angles(vertices: np.ndarray, tetrahedra: np.ndarray) -> np.ndarray:
    """The smallest angle [rad] between two faces of each tetrahedron, shape (tetrahedra,), float64.

    Zero for a tetrahedron with a face without area.

    Args:
        vertices: positions [m], shape (vertices, 3).
        tetrahedra: shape (tetrahedra, 4).
    """
    points = np.asarray(vertices, dtype=np.float64)[tetrahedra]
    corners = points[:, TETRAHEDRON_FACES]
    normals = np.cross(corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0])
    lengths = np.linalg.norm(normals, axis=2)
    flat = (lengths == 0.0).any(axis=1)
    normals /= np.where(lengths > 0.0, lengths, 1.0)[:, :, None]
    first, second = TETRAHEDRON_EDGES.T
    cosines = -np.einsum("tij,tij->ti", normals[:, first], normals[:, second])
    angles = np.arccos(np.clip(cosines, -1.0, 1.0)).min(axis=1)
    return np.where(flat, 0.0, angles)


def count_slivers(vertices: np.ndarray, tetrahedra: np.ndarray, angle_limit: float = np.radians(5.0)) -> int:
    """How many tetrahedra have a dihedral angle below a limit.

    Args:
        vertices: positions [m], shape (vertices, 3).
        tetrahedra: shape (tetrahedra, 4).
        angle_limit: [rad].
    """
    return int((minimum_dihedral_angles(vertices, tetrahedra) < angle_limit).sum())
