# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes of scenes of the gallery, as arrays of points and polygons."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


def grid(columns: int, rows: int, width: float, height: float) -> tuple[Points, Indices]:
    """A flat sheet of columns × rows vertices in the XY plane.

    Returns:
        Its points [m], row by row, shape (rows * columns, 3), around the origin; its quads.
    """
    x, y = np.meshgrid(np.linspace(-width / 2, width / 2, columns), np.linspace(-height / 2, height / 2, rows))
    points = np.column_stack((x.ravel(), y.ravel(), np.zeros(x.size)))
    first = np.arange(columns * rows).reshape(rows, columns)[:-1, :-1].ravel()
    return points, np.column_stack((first, first + 1, first + columns + 1, first + columns))


def box(size: Sequence[float], cells: Sequence[int]) -> tuple[Points, Indices]:
    """The surface of a box with a corner at the origin, so many quads along X, Y and Z.

    Returns:
        Its points [m], shape (points, 3); its quads, seen from outside.
    """
    sides = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        i, j = (numbers.ravel() for numbers in np.meshgrid(np.arange(cells[u]), np.arange(cells[v]), indexing="ij"))
        for place in (0, cells[axis]):
            corners = np.full((i.size, 4, 3), place)
            corners[:, :, u] = np.column_stack((i, i + 1, i + 1, i))
            corners[:, :, v] = np.column_stack((j, j, j + 1, j + 1))
            sides.append(corners if place else corners[:, ::-1])
    lattice, numbers = np.unique(np.concatenate(sides).reshape(-1, 3), axis=0, return_inverse=True)
    return lattice / np.asarray(cells) * np.asarray(size), numbers.reshape(-1, 4)


def voxels(cells: npt.ArrayLike, size: float) -> tuple[Points, Indices]:
    """The surface of cubes of an edge [m], at whole coordinates, shape (cubes, 3).

    Returns:
        Its points [m], shape (points, 3); its quads, seen from outside.
    """
    places = np.asarray(cells)
    taken = set(map(tuple, places.tolist()))
    corners, sides = box((1, 1, 1), (1, 1, 1))
    quads = []
    for side in sides:
        outwards = (2.0 * corners[side].mean(axis=0) - 1.0).astype(np.int64)
        open_ones = [place for place in places if tuple((place + outwards).tolist()) not in taken]
        quads += [place + corners[side] for place in open_ones]
    lattice, numbers = np.unique(np.concatenate(quads), axis=0, return_inverse=True)
    return lattice * size, numbers.reshape(-1, 4)


def line_edges(points: int, lines: int = 1) -> Indices:
    """The edges of lines of so many points each, which lie one after the other, shape (edges, 2)."""
    first = np.arange(points * lines).reshape(lines, points)[:, :-1].ravel()
    return np.column_stack((first, first + 1))


def layers_of_points(counts: Sequence[int], spacing: float, jitter: float, seed: int = 1) -> Points:
    """Points in layers that are turned against each other, so that no column of balls stands.

    Args:
        counts: along X, along Y, of layers.
        spacing: of points in a layer, and of layers [m].
        jitter: how far points are off at most along each axis [m].
        seed: of the turns.

    Returns:
        Points [m], shape (points, 3), the lowest layer at height 0 around the origin.
    """
    random = np.random.default_rng(seed)
    rows = np.stack(np.meshgrid(np.arange(counts[0]), np.arange(counts[1]), indexing="ij"), axis=-1).reshape(-1, 2)
    rows = (rows - rows.mean(axis=0)) * spacing
    layers = []
    for number in range(counts[2]):
        angle = random.uniform(0.0, 2.0 * np.pi)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        layers.append(np.column_stack((rows @ turn, np.full(len(rows), number * spacing))))
    points = np.concatenate(layers)
    return points + random.uniform(-jitter, jitter, points.shape)
