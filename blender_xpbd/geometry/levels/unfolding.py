# SPDX-License-Identifier: GPL-3.0-or-later
"""Flat coordinates on a curved surface: vectors in the tangent planes of vertices, carried from one plane to the next.

A vector in a plane is a complex number, the turn between two planes one of length 1. So the coarse levels of a cloth
are built without normals of their own, and a folded or curved cloth is measured along its surface.

NumPy rounds products and absolute values of complex numbers in one way or another by where they lie in memory; so they
are written out, for the same bytes from run to run.

Source: the unfolding of edges between tangent planes is that of Schmidt, Grimm & Wyvill 2006, "Interactive decal
compositing with discrete exponential maps", §4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Complexes = npt.NDArray[np.complex128]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Development:
    """Edges laid out in the planes of their ends.

    Attributes:
        pairs: from and to, shape (edges, 2), int64.
        vectors: of each edge in the plane of its first end [m], shape (edges,).
        turns: by which a vector in the plane of the second end is multiplied to lie in that of the first.
    """

    pairs: Indices
    vectors: Complexes
    turns: Complexes

    @property
    def lengths(self) -> Floats:
        """Of the edges [m], shape (edges,)."""
        return sizes(self.vectors)

    def rows(self, chosen: npt.NDArray[np.generic]) -> Development:
        """Some of the edges, in this order: numbers or a mask."""
        return Development(self.pairs[chosen], self.vectors[chosen], self.turns[chosen])

    def both_ways(self) -> Development:
        """The edges, then all of them from the other end."""
        return Development(
            np.concatenate([self.pairs, self.pairs[:, ::-1]]),
            np.concatenate([self.vectors, -product(self.turns.conj(), self.vectors)]),
            np.concatenate([self.turns, self.turns.conj()]),
        )


def product(a: Complexes, b: Complexes) -> Complexes:
    """Product of two arrays of complex numbers, shape (vectors,)."""
    return complexes(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real)


def sizes(vectors: Complexes) -> Floats:
    """Absolute values, shape (vectors,)."""
    absolute: Floats = np.sqrt(vectors.real**2 + vectors.imag**2)
    return absolute


def complexes(real: Floats, imaginary: Floats) -> Complexes:
    """Complex numbers from their parts."""
    result = np.empty(np.shape(real), np.complex128)
    result.real, result.imag = real, imaginary
    return result


def in_planes(frames: Floats, vectors: Floats) -> Complexes:
    """The shadows of vectors, shape (n, 3), on the planes with tangents ``frames``, shape (n, 2, 3)."""
    along = frames * vectors[:, None]
    first, second = (along[:, row, 0] + along[:, row, 1] + along[:, row, 2] for row in range(2))
    return complexes(first, second)


def vertex_frames(positions: Floats, triangles: npt.NDArray[np.integer]) -> Floats:
    """Two tangents of the surface at each vertex, from the normal weighted by area.

    Args:
        positions: [m], shape (particles, 3).
        triangles: shape (triangles, 3).

    Returns:
        Shape (particles, 2, 3); zeros where there is no normal.
    """
    a, b, c = (positions[triangles[:, corner]] for corner in range(3))
    crosses = np.cross(b - a, c - a)
    normals = np.zeros_like(positions)
    for corner in range(3):
        for axis in range(3):
            normals[:, axis] += np.bincount(triangles[:, corner], crosses[:, axis], minlength=len(positions))
    normals = _normalised(normals)
    first = _normalised(np.cross(normals, np.eye(3)[np.argmin(np.abs(normals), axis=1)]))
    return np.stack([first, np.cross(normals, first)], axis=1)


def develop_edges(positions: Floats, pairs: npt.NDArray[np.integer], frames: Floats) -> Development:
    """Lay out edges: each as long as it is, in the direction of its shadow on the plane."""
    spans = positions[pairs[:, 1]] - positions[pairs[:, 0]]
    directions = []
    for end in range(2):
        shadow = in_planes(frames[pairs[:, end]], spans)
        size = sizes(shadow)
        safe = np.where(size > 0.0, size, 1.0)
        directions.append(complexes(np.where(size > 0.0, shadow.real / safe, 1.0), shadow.imag / safe))
    lengths = np.linalg.norm(spans, axis=1)
    vectors = complexes(directions[0].real * lengths, directions[0].imag * lengths)
    return Development(pairs.astype(np.int64), vectors, product(directions[0], directions[1].conj()))


def develop_cells(
    edges: Development, distances: Floats, owners: Indices, seeds: Indices
) -> tuple[Complexes, Complexes, npt.NDArray[np.bool_]]:
    """Where each vertex lies in the plane of its seed, along the shortest way of edges.

    Args:
        edges: between vertices.
        distances: of each vertex from its seed along edges [m], shape (vertices,).
        owners: the number of the seed that each vertex belongs to, −1 for none, shape (vertices,).
        seeds: vertices, shape (seeds,).

    Returns:
        places [m], turns from the vertex's plane into its seed's, and whether a way was found; each (vertices,).
    """
    ways = edges.both_ways()
    start, end = ways.pairs.T
    ways = ways.rows((owners[start] == owners[end]) & (owners[end] >= 0) & (distances[start] < distances[end]))
    start, end = ways.pairs.T
    order = np.lexsort((start, distances[start] + ways.lengths, end))
    _, first = np.unique(end[order], return_index=True)
    waiting = ways.rows(order[first])
    count = len(owners)
    places, turns, found = np.zeros(count, complex), np.ones(count, complex), np.zeros(count, np.bool_)
    found[seeds] = True
    while True:
        ready = found[waiting.pairs[:, 0]]
        if not ready.any():
            return places, turns, found
        start, end = waiting.pairs[ready].T
        places[end] = places[start] + product(turns[start], waiting.vectors[ready])
        turns[end] = product(turns[start], waiting.turns[ready])
        found[end] = True
        waiting = waiting.rows(~ready)


def develop_links(
    edges: Development, places: Complexes, turns: Complexes, distances: Floats, owners: Indices
) -> tuple[Development, Floats]:
    """Edges between the seeds whose cells touch, unfolded through the touching edge that gives the shortest way.

    Args:
        edges: between vertices.
        places: of the vertices in the planes of their seeds [m], shape (vertices,).
        turns: from their planes into their seeds', shape (vertices,).
        distances: from their seeds along edges [m], shape (vertices,).
        owners: the number of the seed of each, −1 for none, shape (vertices,).

    Returns:
        The edges between seeds, lower seed first, each once, and how much their lengths differ from one touching edge
        to another, as a share: on a surface that is not flat no single length is right.
    """
    ways = edges.both_ways()
    ways = ways.rows(owners[ways.pairs[:, 0]] < owners[ways.pairs[:, 1]])
    ways = ways.rows(owners[ways.pairs[:, 0]] >= 0)
    start, end = ways.pairs.T
    order = np.lexsort((distances[start] + distances[end] + ways.lengths, owners[end], owners[start]))
    ways = ways.rows(order)
    start, end = ways.pairs.T
    pairs = np.stack([owners[start], owners[end]], axis=1)
    link_turns = product(product(turns[start], ways.turns), turns[end].conj())
    vectors = places[start] + product(turns[start], ways.vectors) - product(link_turns, places[end])
    if len(pairs) == 0:
        return Development(pairs, vectors, link_turns), np.zeros(0)
    first = np.flatnonzero(np.r_[True, (pairs[1:] != pairs[:-1]).any(axis=1)])
    lengths = sizes(vectors)
    differences = np.maximum.reduceat(lengths, first) - np.minimum.reduceat(lengths, first)
    chosen = Development(pairs, vectors, link_turns).rows(first)
    return chosen, differences / np.maximum(chosen.lengths, 1e-300)


def _normalised(vectors: Floats) -> Floats:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)
