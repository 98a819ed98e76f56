# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces to search, and the search by trying all pairs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from blender_xpbd.contacts.search.pair_search import Contents, PairList, PairSearch
from blender_xpbd.device.arrays import read_array, write_array
from blender_xpbd.geometry.search.surfaces import SurfaceMesh, Surfaces, build_surface_mesh

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Pair = tuple[int, ...]


def sheet(columns: int, rows: int, edge: float = 0.1, height: float = 0.0) -> SurfaceMesh:
    """A flat grid of quads across Z, cut into triangles."""
    numbers = np.arange((columns + 1) * (rows + 1)).reshape(columns + 1, rows + 1)
    faces = np.stack([numbers[:-1, :-1], numbers[1:, :-1], numbers[1:, 1:], numbers[:-1, 1:]], axis=-1).reshape(-1, 4)
    x, y = np.meshgrid(edge * np.arange(columns + 1), edge * np.arange(rows + 1), indexing="ij")
    rest = np.stack([x.ravel(), y.ravel(), np.full(x.size, height)], axis=1)
    return build_surface_mesh(rest, np.full(len(faces), 4, np.int32), faces.ravel().astype(np.int32))


def soup(random: np.random.Generator, points: int, triangles: int, loose: int) -> SurfaceMesh:
    """Triangles, edges and points without order; some are degenerate, coincide or have no extent."""
    rest = random.uniform(-1.0, 1.0, (points, 3))
    rest[random.random(points) < 0.1] = rest[0]
    corners = random.integers(0, points, (triangles, 3)).astype(np.int32)
    edges = random.integers(0, points, (loose, 2)).astype(np.int32)
    left_out = np.flatnonzero(random.random(points) < 0.1).astype(np.int32)
    return build_surface_mesh(rest, np.full(triangles, 3, np.int32), corners.ravel(), edges, left_out)


def contents(surfaces: Surfaces, gap: float, parts: int = 1) -> Contents:
    """A particle for each point, in parts by their number."""
    count = len(surfaces.rest)
    elements = np.zeros((count, 5), np.int32)
    elements[:, :4] = np.arange(count)[:, None]
    elements[:, 4] = surfaces.point_objects
    weights = np.zeros((count, 4), np.float32)
    weights[:, 0] = 1.0
    labels = (np.arange(count) * parts // max(count, 1)).astype(np.int32)
    gaps = np.full((surfaces.object_count,) * 2, gap)
    return Contents(elements, weights, labels, parts, gaps, np.full(count, 0.5), np.zeros(surfaces.object_count))


def open_window(search: PairSearch, positions: Floats, margins: Floats | float, travels: Floats | float = 0.0) -> None:
    """Write the window of a search."""
    rows = np.zeros((len(positions), 4))
    rows[:, :3], rows[:, 3] = positions, margins
    write_array(search.window.window_starts, rows)
    rows[:, :3] += travels
    write_array(search.window.window_ends, rows)
    write_array(search.window.window_stays, rows)


def listed(search: PairSearch, team_size: int = 1) -> list[Pair]:
    """Rows of ``pair_ints`` that a search lists, corners of triangles ascending."""
    rows = listed_pairs(search.search(team_size))[0].tolist()
    return [(0, row[1], *sorted(row[2:])) if row[0] == 0 else tuple(row) for row in rows]


def all_pairs(
    surfaces: Surfaces, positions: Floats, margins: Floats | float, travels: Floats | float, gap: float
) -> set[Pair]:
    """The pairs whose travelling boxes come nearer than the gap, by trying all; corners of triangles ascending."""
    margin = np.broadcast_to(np.asarray(margins, float)[..., None] * np.ones(3), positions.shape)
    ends = positions + travels
    low, high = np.stack([positions - margin, ends - margin]), np.stack([positions + margin, ends + margin])
    # the first of those with the same points
    different = {tuple(sorted(row)): row for row in reversed(surfaces.triangles.tolist())}
    triangles = [np.array(row) for row in different.values() if len(set(row)) == 3 and surfaces.takes_part[row].all()]
    edges = [row for row in surfaces.edges if surfaces.takes_part[row].all()]
    owners = surfaces.point_objects
    found: set[Pair] = set()

    def are_near(first: npt.NDArray[np.int32], other: npt.NDArray[np.int32]) -> bool:
        if not surfaces.sees[owners[first[0]], owners[other[0]]] or set(first) & set(other):
            return False
        above = low[:, first].min(axis=1) - high[:, other].max(axis=1)
        below = low[:, other].min(axis=1) - high[:, first].max(axis=1)
        return not ((above > gap).all(axis=0) | (below > gap).all(axis=0)).any()

    for point in np.flatnonzero(surfaces.takes_part):
        for triangle in triangles:
            if are_near(np.array([point]), triangle):
                found.add((0, int(point), *sorted(map(int, triangle))))
    for number, edge in enumerate(edges):
        for other in edges[number + 1 :]:
            if are_near(edge, other):
                found.add((1, *map(int, edge), *map(int, other)))
    return found


def least_distance(pair: Pair, positions: Floats, margins: Floats | float, travels: Floats | float = 0.0) -> float:
    """The least distance of a pair that was found by moving its points in their travelling boxes towards each other."""
    random, own, side = np.random.default_rng(0), list(pair[1:]), 2 - (pair[0] == 0)
    margins, travels = np.broadcast_to(margins, len(positions)), np.broadcast_to(travels, positions.shape)
    least = np.inf
    for share in (0.0, 1.0, *random.random(6)):
        centres = positions[own] + share * travels[own]
        for way in (*np.eye(3), *random.standard_normal((6, 3)), centres[side:].mean(0) - centres[:side].mean(0)):
            corner = np.where(np.arange(4)[:, None] < side, np.sign(way), -np.sign(way))
            x = centres + (corner if way @ (centres[-1] - centres[0]) > 0.0 else -corner) * margins[own, None]
            for _ in range(3):
                weights = nearest_weights(x, side)
                least = min(least, float(np.linalg.norm(weights @ x)))
                # each point as far along the way between the nearest points as its box lets it
                x = centres - np.sign(weights @ x) * margins[own, None] * np.where(np.arange(4) < side, 1, -1)[:, None]
    return least


def nearest_weights(x: Floats, side: int) -> Floats:
    """Signed weights of nearest points of a vertex and a triangle or of two edges, among a grid of them."""
    ways = GRIDS[side] @ x
    best: Floats = GRIDS[side][np.einsum("ni,ni->n", ways, ways).argmin()]
    return best


def weight_grid(side: int) -> Floats:
    """Signed weights of many pairs of points of the two sides, shape (pairs, 4)."""
    steps = np.linspace(0.0, 1.0, 11)
    a, b = (grid.ravel() for grid in np.meshgrid(steps, steps))
    if side == 1:
        a, b = a[a + b <= 1.0], b[a + b <= 1.0]
        return np.stack([np.ones(len(a)), a + b - 1.0, -a, -b], axis=1)
    return np.stack([1.0 - a, a, b - 1.0, -b], axis=1)


GRIDS = {side: weight_grid(side) for side in (1, 2)}


def listed_pairs(found: PairList) -> tuple[Ints, Floats, Ints]:
    """Copies of the rows of ``pair_ints`` and ``pair_floats``, and of the tasks' starts."""
    rows = slice(0, found.count)
    return (
        read_array(found.pairs.pair_ints)[rows],
        read_array(found.pairs.pair_floats)[rows],
        read_array(found.task_starts),
    )


def crossings_between(surfaces: Surfaces, found: Ints) -> Ints:
    """How many crossings there are of the edges of one object with the triangles of another.

    Args:
        surfaces: of all objects.
        found: as ``crossings`` returns them.

    Returns:
        By the edges' object and the triangles' object, shape (objects, objects).
    """
    counts = np.zeros((surfaces.object_count, surfaces.object_count), np.int32)
    owners = surfaces.point_objects
    np.add.at(counts, (owners[surfaces.edges[found[:, 0], 0]], owners[surfaces.triangles[found[:, 1], 0]]), 1)
    return counts
