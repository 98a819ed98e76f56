# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of a body each edge stands for, so that a network of springs has the modulus of the material."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..geometry.tetrahedra import signed_volumes

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


def polygon_shares(positions: Floats, face_sizes: Ints, corners: Ints, pairs: Ints) -> Floats:
    """The area that each edge and diagonal stands for [m²]; the shares of a polygon sum up to its area.

    A diagonal takes twice the share of an edge, which has another one from the polygon across: so the four
    directions of a grid of quads weigh the same, which makes the network isotropic.
    """
    key = _pair_keys(pairs, len(positions))
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
            wanted = _pair_keys(np.stack([first, second], axis=1), len(positions))
            slot = np.minimum(np.searchsorted(key[order], wanted), len(key) - 1)
            found = key[order[slot]] == wanted
            np.add.at(shares, order[slot[found]], (areas * weight / total)[found])
    return np.maximum(shares, shares.max(initial=0.0) * 1e-6)


def tetrahedron_shares(vertices: Floats, tetrahedra: Ints, fill: Floats, edges: Ints) -> Floats:
    """The filled volume that each edge stands for [m³]; the shares of a tetrahedron sum up to its volume.

    They go by the squared lengths, so that all edges of a tetrahedron are springs of one stiffness. That makes the
    body-centred cubic lattice isotropic: its <100> edges get 2/5 and its <111> edges 3/5 of the volume.
    """
    key = _pair_keys(edges, len(vertices))
    order = np.argsort(key)
    volumes = signed_volumes(vertices, tetrahedra) * fill
    pairs = [(i, j) for i in range(4) for j in range(i)]
    squares = np.stack([((vertices[tetrahedra[:, i]] - vertices[tetrahedra[:, j]]) ** 2).sum(axis=1) for i, j in pairs])
    parts = volumes * squares / np.maximum(squares.sum(axis=0), 1e-300)
    shares = np.zeros(len(edges))
    for (i, j), part in zip(pairs, parts, strict=True):
        wanted = _pair_keys(tetrahedra[:, [i, j]], len(vertices))
        np.add.at(shares, order[np.searchsorted(key, wanted, sorter=order)], part)
    return shares


def _pair_keys(pairs: Ints, count: int) -> npt.NDArray[np.int64]:
    low, high = np.minimum(pairs[:, 0], pairs[:, 1]), np.maximum(pairs[:, 0], pairs[:, 1])
    keys: npt.NDArray[np.int64] = low.astype(np.int64) * count + high
    return keys


def _polygon_areas(positions: Floats, polygons: Ints) -> Floats:
    corners = positions[polygons]
    relative = corners - corners[:, :1]
    areas: Floats = np.linalg.norm(np.cross(relative[:, 1:-1], relative[:, 2:]).sum(axis=1), axis=1) / 2.0
    return areas
