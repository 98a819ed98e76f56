# SPDX-License-Identifier: GPL-3.0-or-later
"""Put pieces of a solid together to a mesh of tetrahedra."""

from __future__ import annotations

import numpy as np

from .components import connected_components, dense_labels
from .lattice import Lattice
from .pieces import Pieces


def assemble(lattice: Lattice, pieces: Pieces) -> tuple[np.ndarray, np.ndarray]:
    """One tetrahedron per piece.

    Corners of two pieces at one lattice point are one vertex if the pieces hang together.

    Args:
        lattice: the lattice.
        pieces: the pieces.

    Returns:
        Vertices in lattice units, shape (vertices, 3), float64, and tetrahedra of positive volume, shape (pieces, 4),
        int32.
    """
    corners = lattice.vertex_numbers(lattice.corners(pieces.tetrahedron))
    links = pieces.links
    same = corners[links[:, 0]][:, :, None] == corners[links[:, 1]][:, None, :]
    link, first, second = np.nonzero(same)
    linked = np.stack([links[link, 0] * 4 + first, links[link, 1] * 4 + second], axis=1)
    vertex, count = dense_labels(connected_components(corners.size, linked))
    numbers = np.empty(count, dtype=np.int64)
    numbers[vertex] = corners.reshape(-1)
    return lattice.vertex_positions(numbers), vertex.reshape(-1, 4).astype(np.int32)


def face_components(tetrahedra: np.ndarray) -> np.ndarray:
    """A label for each tetrahedron, the same for those that a path through shared faces joins.

    Args:
        tetrahedra: shape (tetrahedra, 4).

    Returns:
        Labels, shape (tetrahedra,), int64, 0 … components − 1.
    """
    ordered = np.sort(tetrahedra.astype(np.int64), axis=1)
    base = int(ordered.max()) + 1
    faces = np.concatenate([ordered[:, [1, 2, 3]], ordered[:, [0, 2, 3]], ordered[:, [0, 1, 3]], ordered[:, [0, 1, 2]]])
    pair, third = faces[:, 0] * base + faces[:, 1], faces[:, 2]
    order = np.lexsort((third, pair))
    same = (pair[order][1:] == pair[order][:-1]) & (third[order][1:] == third[order][:-1])
    owner = order % len(tetrahedra)
    pairs = np.stack([owner[:-1][same], owner[1:][same]], axis=1)
    return dense_labels(connected_components(len(tetrahedra), pairs))[0]
