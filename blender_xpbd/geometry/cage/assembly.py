# SPDX-License-Identifier: GPL-3.0-or-later
"""Put pieces of a solid together to a mesh of tetrahedra."""

from __future__ import annotations

import numpy as np

from ..chunks import chunks
from ..components import connected_components, dense_labels
from ..solid.tetrahedra import faces_in_place
from .lattice import Lattice
from .pieces import Pieces

# Links whose corners are compared before the next ones are.
LINKS_AT_ONCE = 200_000


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
    corners = lattice.corner_numbers(pieces.tetrahedron)
    labels = None
    for batch in chunks(len(pieces.links), LINKS_AT_ONCE):
        pairs = [np.zeros((0, 2), np.int32)]
        for part in chunks(batch.stop - batch.start):
            first, second = pieces.links[batch][part].T
            link, one, other = np.nonzero(corners[first][:, :, None] == corners[second][:, None, :])
            pairs.append(np.stack([first[link] * 4 + one, second[link] * 4 + other], axis=1).astype(np.int32))
        labels = connected_components(corners.size, np.concatenate(pairs), labels)
    vertex, count = dense_labels(np.arange(corners.size, dtype=np.int32) if labels is None else labels)
    del labels
    numbers = np.empty(count, dtype=np.int64)
    numbers[vertex] = corners.reshape(-1)
    return lattice.vertex_positions(numbers), vertex.reshape(-1, 4)


def assemble_linked(
    lattice: Lattice, pieces: Pieces, vertices: np.ndarray, tetrahedra: np.ndarray, links: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What ``assemble`` makes of pieces of which it has already put most together.

    Args:
        lattice: the lattice.
        pieces: the pieces, those that are new last.
        vertices: of the pieces but the new ones, without the links that are new; in lattice units.
        tetrahedra: likewise.
        links: those that are new, shape (links, 2).
    """
    added = pieces.tetrahedron[len(tetrahedra) :]
    own = lattice.corner_numbers(added)
    every = np.concatenate([vertices, lattice.vertex_positions(own.reshape(-1))])
    vertex = np.concatenate([tetrahedra, len(vertices) + np.arange(own.size, dtype=np.int32).reshape(-1, 4)])
    first, second = (lattice.corner_numbers(pieces.tetrahedron[links[:, end]]) for end in (0, 1))
    link, one, other = np.nonzero(first[:, :, None] == second[:, None, :])
    pairs = np.stack([vertex[links[link, 0], one], vertex[links[link, 1], other]], axis=1)
    return _merged_vertices(every, vertex, pairs)


def assemble_merged(vertices: np.ndarray, tetrahedra: np.ndarray, merged: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What ``assemble`` makes of pieces of which some are merged.

    Args:
        vertices: of the pieces before.
        tetrahedra: of the pieces before.
        merged: the piece that each of them is now part of, shape (pieces before,), 0 … pieces − 1.
    """
    # the last that writes stays: the first piece of each
    leader = np.empty(int(merged.max()) + 1, dtype=np.int64)
    leader[merged[::-1]] = np.arange(len(merged))[::-1]
    led = np.flatnonzero(leader[merged] != np.arange(len(merged)))
    pairs = np.stack([tetrahedra[led].reshape(-1), tetrahedra[leader[merged[led]]].reshape(-1)], axis=1)
    return _merged_vertices(vertices, tetrahedra[leader], pairs)


def _merged_vertices(vertices: np.ndarray, tetrahedra: np.ndarray, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Make one vertex of those that the pairs connect, and number all as the tetrahedra first name them."""
    label = connected_components(len(vertices), pairs)
    named = label[tetrahedra.reshape(-1)]
    first = np.full(len(vertices), len(named), dtype=np.int32)
    first[named[::-1]] = np.arange(len(named), dtype=np.int32)[::-1]
    is_first = np.zeros(len(named), dtype=bool)
    is_first[first[first < len(named)]] = True
    number = np.empty(len(vertices), dtype=np.int32)
    number[named[is_first]] = np.arange(np.count_nonzero(is_first))
    return vertices[named[is_first]], number[named].reshape(-1, 4)


def face_components(tetrahedra: np.ndarray) -> np.ndarray:
    """A label for each tetrahedron, the same for those that a path through shared faces joins.

    Args:
        tetrahedra: shape (tetrahedra, 4).

    Returns:
        Labels, shape (tetrahedra,), int32, 0 … components − 1.
    """
    pairs = [np.zeros((0, 2), np.int32)]
    for faces, is_last in faces_in_place(tetrahedra):
        owner = (faces // 4).astype(np.int32)
        pairs.append(np.stack([owner[:-1], owner[1:]], axis=1)[~is_last[:-1]])
    return dense_labels(connected_components(len(tetrahedra), np.concatenate(pairs)))[0]
