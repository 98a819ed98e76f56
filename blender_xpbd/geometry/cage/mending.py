# SPDX-License-Identifier: GPL-3.0-or-later
"""Mend cages whose tetrahedra hang together by an edge or a vertex only.

Such hinges come from a surface that only grazes a tetrahedron, and from strips thinner than the sampling.
"""

from __future__ import annotations

import numpy as np

from ..components import connected_components
from .assembly import assemble, assemble_linked, assemble_merged, face_components
from .lattice import Lattice
from .pieces import Pieces, PieceTable, merge_pieces, with_links

ROUNDS = 4


def mend(lattice: Lattice, pieces: Pieces) -> tuple[Pieces, np.ndarray, np.ndarray]:
    """Join what hinges on an edge or a vertex to what it hinges on, and put the pieces together.

    Args:
        lattice: the lattice.
        pieces: the pieces.

    Returns:
        The pieces with more links, with empty duplicates merged into their like, and with a few more (empty) pieces;
        and what ``assemble`` makes of them: vertices in lattice units, and tetrahedra.
    """
    vertices, tetrahedra = assemble(lattice, pieces)
    cracks = _find_cracks(lattice, pieces, tetrahedra)
    if len(cracks):
        pieces = with_links(pieces, cracks)
        vertices, tetrahedra = assemble_linked(lattice, pieces, vertices, tetrahedra, cracks)
    pieces, vertices, tetrahedra = _merge_duplicates(pieces, vertices, tetrahedra)
    for _ in range(ROUNDS):
        hinged, component = _hinged_pieces(tetrahedra)
        if len(hinged) == 0:
            break
        extra = _faces_to_close(lattice, pieces, tetrahedra, hinged, component)
        left = hinged[~np.isin(component[hinged], component[extra[:, 0]])]
        pieces, more = _fill_between(lattice, with_links(pieces, extra), tetrahedra, left, component)
        links = np.concatenate([extra, more])
        vertices, tetrahedra = assemble_linked(lattice, pieces, vertices, tetrahedra, links)
    return _merge_duplicates(pieces, vertices, tetrahedra)


def _find_cracks(lattice: Lattice, pieces: Pieces, tetrahedra: np.ndarray) -> np.ndarray:
    """Links from tetrahedra without surface to neighbours across a face of which they share two of three vertices.

    The samples did not happen to link them, but a face of such a tetrahedron lies in the solid.
    """
    cracks = [np.zeros((0, 2), dtype=np.int32)]
    for pairs in PieceTable(pieces).across_faces(lattice, pieces, np.flatnonzero(pieces.is_whole)):
        owner, other = pairs = pairs[~pieces.is_whole[pairs[:, 1]]].T
        shared = (tetrahedra[owner][:, :, None] == tetrahedra[other][:, None, :]).sum(axis=(1, 2))
        cracks.append(pairs.T[shared == 2])
    return np.concatenate(cracks)


def _merge_duplicates(
    pieces: Pieces, vertices: np.ndarray, tetrahedra: np.ndarray
) -> tuple[Pieces, np.ndarray, np.ndarray]:
    """Merge pieces of one tetrahedron that share all vertices, or two if one holds nothing of the inside."""
    order = np.argsort(pieces.tetrahedron, kind="stable")
    ordered = pieces.tetrahedron[order]
    pairs = [np.zeros((0, 2), dtype=np.int64)]
    for distance in range(1, len(order)):
        same = np.flatnonzero(ordered[distance:] == ordered[:-distance])
        if len(same) == 0:
            break
        first, second = order[same], order[same + distance]
        empty = (pieces.inside_samples[first] == 0) | (pieces.inside_samples[second] == 0)
        shared = (tetrahedra[first] == tetrahedra[second]).sum(axis=1)
        pairs.append(np.stack([first, second], axis=1)[(shared == 4) | ((shared >= 2) & empty)])
    together = np.concatenate(pairs)
    if len(together) == 0:
        return pieces, vertices, tetrahedra
    fewer, merged = merge_pieces(pieces, together)
    return fewer, *assemble_merged(vertices, tetrahedra, merged)


def _hinged_pieces(tetrahedra: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pieces outside the largest face-connected part of what their vertices connect, and every piece's part."""
    component = face_components(tetrahedra)
    sizes = np.bincount(component)
    spokes = np.stack([np.repeat(tetrahedra[:, 0], 3), tetrahedra[:, 1:].reshape(-1)], axis=1)
    body = connected_components(int(tetrahedra.max()) + 1, spokes)[tetrahedra[:, 0]]
    order = np.lexsort((component, sizes[component], body))
    is_last = np.r_[body[order][1:] != body[order][:-1], True]
    main = np.zeros(len(sizes), dtype=bool)
    main[component[order[is_last]]] = True
    return np.flatnonzero(~main[component]), component


def _faces_to_close(
    lattice: Lattice, pieces: Pieces, tetrahedra: np.ndarray, hinged: np.ndarray, component: np.ndarray
) -> np.ndarray:
    """Links from hinged pieces to pieces across a face of which they already share a vertex or an edge."""
    neighbours = lattice.neighbours(pieces.tetrahedron[hinged])
    asked, other = PieceTable(pieces).find(neighbours.reshape(-1))
    owner = hinged[asked // 4]
    touching = _shares_vertex(tetrahedra[owner], tetrahedra[other])
    good = touching & (component[owner] != component[other])
    return np.stack([owner[good], other[good]], axis=1)


def _fill_between(
    lattice: Lattice, pieces: Pieces, tetrahedra: np.ndarray, hinged: np.ndarray, component: np.ndarray
) -> tuple[Pieces, np.ndarray]:
    """For each hinged piece, add a piece across the face behind which most of what it hinges on lies.

    That is counted across one more face or, if nothing lies there, by the tetrahedra that the new one would touch.

    Returns:
        The pieces, the new ones last; and the links of these, shape (links, 2).
    """
    if len(hinged) == 0:
        return pieces, np.zeros((0, 2), dtype=np.int64)
    between = lattice.neighbours(pieces.tetrahedron[hinged])
    beyond = lattice.neighbours(np.maximum(between, 0).reshape(-1))
    asked, other = PieceTable(pieces).find(np.where(between.reshape(-1, 1) >= 0, beyond, -1).reshape(-1))
    slot = asked // 4
    owner = hinged[slot // 4]
    good = _shares_vertex(tetrahedra[owner], tetrahedra[other]) & (component[owner] != component[other])
    slot, other = slot[good], other[good]
    votes = np.bincount(slot, minlength=between.size).reshape(-1, 4)
    stuck = np.flatnonzero(votes.max(axis=1) == 0)
    votes[stuck] = _touching_corners(lattice, pieces, tetrahedra, hinged[stuck], component, between[stuck])
    best = np.arange(len(hinged)) * 4 + votes.argmax(axis=1)
    best = best[(votes.max(axis=1) > 0) & (between.reshape(-1)[best] >= 0)]
    # Hinged pieces of one part that want the same tetrahedron share it.
    parts = int(component.max()) + 1
    unique, which = np.unique(between.reshape(-1)[best] * parts + component[hinged[best // 4]], return_inverse=True)
    number = np.full(between.size, -1)
    number[best] = len(pieces.tetrahedron) + which.reshape(-1)
    joins = number[slot] >= 0
    links = np.concatenate(
        [
            np.stack([hinged[best // 4], number[best]], axis=1),
            np.stack([other[joins], number[slot[joins]]], axis=1),
        ]
    )
    grown = Pieces(
        np.concatenate([pieces.tetrahedron, unique // parts]),
        np.concatenate([pieces.inside_samples, np.zeros(len(unique), dtype=np.int64)]),
        np.concatenate([pieces.is_whole, np.zeros(len(unique), dtype=bool)]),
        pieces.links,
        pieces.of_sample,
    )
    return with_links(grown, links), links


def _touching_corners(
    lattice: Lattice,
    pieces: Pieces,
    tetrahedra: np.ndarray,
    hinged: np.ndarray,
    component: np.ndarray,
    between: np.ndarray,
) -> np.ndarray:
    """How many lattice points the tetrahedra across each face share with what the hinged pieces touch; (hinged, 4)."""
    touched = np.full(int(tetrahedra.max()) + 1, -1)
    main = np.setdiff1d(np.arange(len(tetrahedra)), hinged)
    touched[tetrahedra[main].reshape(-1)] = np.repeat(main, 4)
    other = touched[tetrahedra[hinged]]
    other = np.where(component[other] != component[hinged][:, None], other, -1)
    goal = lattice.corner_numbers(pieces.tetrahedron[other.reshape(-1)]).reshape(len(hinged), 16)
    goal = np.where(np.repeat(other >= 0, 4, axis=1), goal, -1)
    across = lattice.corner_numbers(np.maximum(between, 0).reshape(-1)).reshape(-1, 4, 4)
    shared = (across[:, :, :, None] == goal[:, None, None, :]).any(axis=3).sum(axis=2)
    asked, found = PieceTable(pieces).find(between.reshape(-1))
    taken = np.zeros(between.size, dtype=bool)
    taken[asked[component[found] == component[hinged[asked // 4]]]] = True
    return np.where((between >= 0) & ~taken.reshape(-1, 4), shared, 0)


def _shares_vertex(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Whether two tetrahedra have a vertex in common, row by row."""
    return (first[:, :, None] == second[:, None, :]).any(axis=(1, 2))
