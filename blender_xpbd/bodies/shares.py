# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of a body each edge stands for, so that a network of springs has the modulus of the material."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..geometry.solid.tetrahedra import TETRAHEDRON_EDGES, signed_volumes
from ..geometry.surface.topology import pair_keys

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


def polygon_shares(positions: Floats, face_sizes: Ints, corners: Ints, pairs: Ints) -> Floats:
    """The area that each edge and diagonal stands for [m²]; the shares of a polygon sum up to its area.

    A diagonal takes twice the share of an edge, which has another one from the polygon across: so the four
    directions of a grid of quads weigh the same, which makes the network isotropic.
    """
    key = pair_keys(pairs[:, 0], pairs[:, 1])
    order = np.argsort(key)
    shares = np.zeros(len(pairs))
    starts = np.concatenate([[0], np.cumsum(face_sizes)[:-1]])
    for size in np.unique(face_sizes):
        polygons = corners[starts[face_sizes == size][:, None] + np.arange(size)]
        areas = _polygon_areas(positions, polygons)
        sides = [(polygons[:, k], polygons[:, (k + 1) % size], 0.5) for k in range(size)]
        if size == 4:
            sides += [(polygons[:, k], polygons[:, k + 2], 1.0) for k in range(2)]
        elif size > 4:
            sides += [(polygons[:, k], polygons[:, (k + 2) % size], 1.0) for k in range(size)]
        total = sum(weight for _, _, weight in sides)
        for first, second, weight in sides:
            wanted = pair_keys(first, second)
            slot = np.minimum(np.searchsorted(key[order], wanted), len(key) - 1)
            found = key[order[slot]] == wanted
            np.add.at(shares, order[slot[found]], (areas * weight / total)[found])
    return np.maximum(shares, shares.max(initial=0.0) * 1e-6)


def tetrahedron_shares(vertices: Floats, tetrahedra: Ints, fill: Floats, edges: Ints) -> Floats:
    """The filled volume that each edge stands for [m³]; the shares of a tetrahedron sum up to its volume.

    They go by the squared lengths, so that all edges of a tetrahedron are springs of one stiffness. That makes the
    body-centred cubic lattice isotropic: its <100> edges get 2/5 and its <111> edges 3/5 of the volume.
    """
    key = pair_keys(edges[:, 0], edges[:, 1])
    order = np.argsort(key)
    volumes = signed_volumes(vertices, tetrahedra) * fill
    first, second = tetrahedra[:, TETRAHEDRON_EDGES].transpose(2, 0, 1)
    squares = ((vertices[first] - vertices[second]) ** 2).sum(axis=2)
    parts = volumes[:, None] * squares / np.maximum(squares.sum(axis=1, keepdims=True), 1e-300)
    found = order[np.searchsorted(key, pair_keys(first, second), sorter=order)]
    shares = np.bincount(found.ravel(), parts.ravel(), minlength=len(edges))
    return np.maximum(shares, shares.max(initial=0.0) * 1e-6)


def _polygon_areas(positions: Floats, polygons: Ints) -> Floats:
    corners = positions[polygons]
    relative = corners - corners[:, :1]
    areas: Floats = np.linalg.norm(np.cross(relative[:, 1:-1], relative[:, 2:]).sum(axis=1), axis=1) / 2.0
    return areas
