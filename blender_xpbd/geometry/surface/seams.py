# SPDX-License-Identifier: GPL-3.0-or-later
"""Seams of a surface whose vertices were duplicated along edges: what holds together, and how far it is strained.

A *seam* is an edge whose two faces have vertices of their own, that were one and lie at one place. Copies that intact
seams join are one vertex: the first of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..components import connected_components

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Seams:
    """The seams of a surface.

    Attributes:
        ends: the two copies of both ends, of one face and of the other, shape (seams, 2 faces, 2 ends).
        groups: which vertices were one, by a number, shape (vertices,).
        faces: the two faces, shape (seams, 2).
        along: where the middle of each face is along the edge from its first end, at rest, shape (seams, 2).
        heights: how far it is from the edge at rest [m], shape (seams, 2).
    """

    ends: Ints
    groups: Ints
    faces: Ints
    along: Floats
    heights: Floats

    def __len__(self) -> int:
        return len(self.ends)


def find_seams(identifiers: Ints, positions: Floats, face_sizes: Ints, corners: Ints) -> Seams:
    """Find the edges that were split.

    Args:
        identifiers: equal where vertices were one, 0 for none, shape (vertices,).
        positions: at rest [m], shape (vertices, 3). What does not lie at one place is no longer one.
        face_sizes: corners per polygon, shape (polygons,).
        corners: vertex of each corner.
    """
    groups = copies(identifiers, positions)
    starts = np.cumsum(face_sizes) - face_sizes
    face_of = np.repeat(np.arange(len(face_sizes)), face_sizes)
    place = np.arange(len(corners)) - starts[face_of]
    following = corners[starts[face_of] + (place + 1) % face_sizes[face_of]]
    edges = np.stack([corners, following], axis=1)
    turned = groups[edges[:, 0]] > groups[edges[:, 1]]
    edges[turned] = edges[turned][:, ::-1]
    keys = groups[edges]
    order = np.lexsort((keys[:, 1], keys[:, 0]))
    first, second = order[:-1], order[1:]
    is_seam = (keys[first] == keys[second]).all(axis=1) & (edges[first] != edges[second]).any(axis=1)
    sides = np.stack([first[is_seam], second[is_seam]], axis=1)
    ends, faces = edges[sides].astype(np.int32), face_of[sides].astype(np.int32)
    middles = face_middles(positions, face_sizes, corners)
    edge, way = _ways(positions, middles, ends, faces)
    along = (way * edge).sum(axis=2) / np.maximum((edge * edge).sum(axis=2), 1e-300)
    heights = np.linalg.norm(way - along[:, :, None] * edge, axis=2)
    return Seams(ends, groups, faces, along, heights)


def copies(identifiers: Ints, positions: Floats) -> Ints:
    """Which vertices were one, by a number; arguments as of ``find_seams``, shape (vertices,)."""
    own = np.where(identifiers > 0, identifiers, identifiers.max(initial=0) + 1 + np.arange(len(identifiers)))
    rows = np.column_stack([own.astype(np.float64), positions])
    groups: Ints = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32)
    return groups


def joined_vertices(seams: Seams, torn: Mask) -> Ints:
    """The vertex that each one is at present, shape (vertices,).

    Args:
        seams: of a surface.
        torn: which of them hold no more, shape (seams,).
    """
    count = len(seams.groups)
    pairs = [seams.ends[~torn, :, end] for end in range(2)]
    # what hangs together at a vertex alone stays so until something tears there
    whole = np.ones(int(seams.groups.max(initial=-1)) + 1, np.bool_)
    whole[seams.groups[seams.ends[torn].ravel()]] = False
    order = np.argsort(seams.groups, kind="stable")
    neighbours = np.stack([order[:-1], order[1:]], axis=1)
    same = seams.groups[neighbours[:, 0]] == seams.groups[neighbours[:, 1]]
    pairs.append(neighbours[same & whole[seams.groups[neighbours[:, 0]]]])
    labels = connected_components(count, np.concatenate(pairs).astype(np.int32))
    _, firsts, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return firsts[inverse.reshape(-1)].astype(np.int32)


def strains_across(seams: Seams, positions: Floats, face_sizes: Ints, corners: Ints) -> Floats:
    """How far the faces beside each seam are drawn across it: the mean of |F n| − 1 of both, shape (seams,).

    n is the direction across the edge at rest, in the plane of the edge and the middle of the face.

    Args:
        seams: of the surface.
        positions: of all copies [m], shape (vertices, 3).
        face_sizes: corners per polygon, shape (polygons,).
        corners: vertex of each corner, as it was split.
    """
    edge, way = _ways(positions, face_middles(positions, face_sizes, corners), seams.ends, seams.faces)
    heights = np.linalg.norm(way - seams.along[:, :, None] * edge, axis=2)
    strains: Floats = (heights / np.maximum(seams.heights, 1e-300) - 1.0).mean(axis=1)
    return np.where((seams.heights > 0.0).all(axis=1), strains, 0.0)


def face_middles(positions: Floats, face_sizes: Ints, corners: Ints) -> Floats:
    """The mean of the corners of each polygon [m], shape (polygons, 3)."""
    starts = np.cumsum(face_sizes) - face_sizes
    sums: Floats = np.add.reduceat(positions[corners], starts, axis=0)
    return sums / face_sizes[:, None]


def _ways(positions: Floats, middles: Floats, ends: Ints, faces: Ints) -> tuple[Floats, Floats]:
    """Of both faces of each seam: the edge, and the way from its first end to the middle; shape (seams, 2, 3)."""
    first, second = positions[ends[:, :, 0]], positions[ends[:, :, 1]]
    return second - first, middles[faces] - first
