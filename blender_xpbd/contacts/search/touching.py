# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that touch and do not cross: what an artist has stacked face on face crosses by rounding, and by ties."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...geometry.search.surfaces import Surfaces
from ...scene.starts import ASIDE, ROUNDING, ends_clear, go_on_at_vertices, parting_shifts, touching_shifts
from .crossings import CrossingSearch
from .own_ties import own_ties

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

# how many times that a solid is blown up to see what it touches
BLOWN_UP = 4.0


def without_touching(surfaces: Surfaces, positions: Floats, found: Ints) -> Ints:
    """Leave out the crossings of two objects that touch alone, and add what crosses at vertices alone.

    A move by no more than rounding frees what touches: the one as a whole, or each edge that crosses by itself, as it
    does hair whose roots lie on a surface. At vertices no edge passes, until one of the two is moved.

    Args:
        surfaces: of all objects.
        positions: of the surface points [m], shape (points, 3).
        found: edge and triangle of each crossing there, shape (crossings, 2).
    """
    search = CrossingSearch(surfaces)
    own, several = _with_ties(search, surfaces, positions, found)
    own = np.unique(np.concatenate([own, own_ties(search, surfaces, positions)]), axis=0)
    kept = [rows for pair, rows in several.items() if not _is_freed(search, surfaces, positions, rows, pair)]
    return np.concatenate([own, *kept])


def possible_ties(
    search: CrossingSearch, surfaces: Surfaces, positions: Floats, solids: Bools
) -> dict[tuple[int, int], Ints]:
    """Pairs of objects that may cross each other at vertices alone, by the numbers of both, the lower one first.

    Of two solids the inside counts too, see ``touching_solids``, so they are none of these.

    Args:
        search: of the surfaces.
        surfaces: of all objects.
        positions: of the surface points [m], shape (points, 3).
        solids: which objects fill the space inside their surface, shape (objects,).

    Returns:
        edge and triangle of what crosses by no more than rounding, or would if it were moved by that.
    """
    if surfaces.object_count < 2:
        return {}
    _, several = _with_ties(search, surfaces, positions, search.find(positions))
    return {
        pair: rows
        for pair, rows in sorted(several.items())
        if not solids[list(pair)].all() and not _is_clear(surfaces, positions, rows)
    }


def are_tied(search: CrossingSearch, surfaces: Surfaces, positions: Floats, found: Ints, pair: tuple[int, int]) -> bool:
    """Whether two objects cross at vertices, and do not touch alone; ``found`` as of ``possible_ties``."""
    return not _is_freed(search, surfaces, positions, found, pair)


def _with_ties(
    search: CrossingSearch, surfaces: Surfaces, positions: Floats, found: Ints
) -> tuple[Ints, dict[tuple[int, int], Ints]]:
    """As ``_by_objects``, and with what would cross of two objects that do not, if they were moved by rounding."""
    own, told = _by_objects(surfaces, found)
    moved = positions + _asides(surfaces, positions)
    _, ties = _by_objects(surfaces, search.find(moved)) if surfaces.object_count > 1 else (found, {})
    return own, {pair: told.get(pair, rows) for pair, rows in {**ties, **told}.items()}


def _by_objects(surfaces: Surfaces, found: Ints) -> tuple[Ints, dict[tuple[int, int], Ints]]:
    """Crossings of objects with themselves, and those of two by their numbers, the lower one first."""
    pairs = _pairs(surfaces, found)
    is_own = pairs[:, 0] == pairs[:, 1]
    several = np.unique(pairs[~is_own], axis=0)
    return found[is_own], {(int(a), int(b)): found[(pairs == (a, b)).all(axis=1)] for a, b in several}


def _asides(surfaces: Surfaces, positions: Floats) -> Floats:
    """By how much points are moved to see what would cross, each object farther than the one before [m]."""
    step = ROUNDING * float(np.abs(positions).max(initial=0.0))
    return step * np.outer((surfaces.point_objects + 1.0) / surfaces.object_count, ASIDE)


def touching_solids(
    search: CrossingSearch, surfaces: Surfaces, positions: Floats, solids: Bools
) -> set[tuple[int, int]]:
    """Pairs of solids of which one, blown up by rounding, crosses the other; the lower number comes first.

    What is stacked face on face keeps no gap, and where the gap is nothing no normal tells the sides of a pair.

    Args:
        search: of the surfaces.
        surfaces: of all objects.
        positions: of the surface points [m], shape (points, 3).
        solids: which objects fill the space inside their surface, shape (objects,).
    """
    numbers = np.flatnonzero(solids)
    touching: set[tuple[int, int]] = set()
    if len(numbers) < 2:
        return touching
    starts = surfaces.point_starts
    places = [positions[starts[n] : starts[n + 1]] for n in numbers]
    steps = np.array([_step(own) for own in places])
    lows = np.array([own.min(axis=0) for own in places]) - steps[:, None]
    highs = np.array([own.max(axis=0) for own in places]) + steps[:, None]
    meet = (lows[:, None] <= highs[None]).all(axis=2) & (lows[None] <= highs[:, None]).all(axis=2)
    meet &= surfaces.sees[np.ix_(numbers, numbers)] & ~np.eye(len(numbers), dtype=np.bool_)
    normals = _point_normals(surfaces, positions)
    for number, step in zip(numbers[meet.any(axis=1)], steps[meet.any(axis=1)], strict=True):
        own = slice(starts[number], starts[number + 1])
        moved = positions.copy()
        moved[own] += step * normals[own]
        pairs = _pairs(surfaces, search.find(moved))
        met = pairs[(pairs == number).any(axis=1) & (pairs[:, 0] != pairs[:, 1]) & solids[pairs].all(axis=1)]
        touching.update((int(first), int(second)) for first, second in np.unique(met, axis=0))
    return touching


def blown_up(surfaces: Surfaces, positions: Floats, numbers: Ints) -> Floats:
    """The same positions, with the points of some objects moved outwards by as much as ``touching_solids`` does.

    Args:
        surfaces: of all objects.
        positions: of the surface points [m], shape (points, 3).
        numbers: of the objects, shape (n,).
    """
    moved, normals = positions.copy(), _point_normals(surfaces, positions)
    for number in numbers:
        own = slice(surfaces.point_starts[number], surfaces.point_starts[number + 1])
        moved[own] += _step(positions[own]) * normals[own]
    return moved


def _step(places: Floats) -> float:
    """By how much what has these places is blown up [m].

    By its own coordinates: a ground of a kilometre says nothing of how solids are rounded that stand in its middle.
    """
    return float(BLOWN_UP * ROUNDING * np.abs(places).max(initial=0.0))


def _point_normals(surfaces: Surfaces, positions: Floats) -> Floats:
    """Of each point, the unit normal of the triangles around it, 0 without any; shape (points, 3)."""
    a, b, c = np.moveaxis(positions[surfaces.triangles], 1, 0)
    normals = np.cross(b - a, c - a)
    sums = np.stack(
        [np.bincount(surfaces.triangles.ravel(), np.repeat(normals[:, k], 3), len(positions)) for k in range(3)], axis=1
    )
    unit: Floats = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-300)
    return unit


def _pairs(surfaces: Surfaces, found: Ints) -> Ints:
    """The two objects of each crossing, the lower number first, shape (crossings, 2)."""
    owners = surfaces.point_objects
    pairs = np.stack([owners[surfaces.edges[found[:, 0], 0]], owners[surfaces.triangles[found[:, 1], 0]]], axis=1)
    return np.sort(pairs, axis=1).astype(np.int32)


def _is_freed(
    search: CrossingSearch, surfaces: Surfaces, positions: Floats, found: Ints, pair: tuple[int, int]
) -> bool:
    """Whether the first of two objects crosses the second no more where it is moved by rounding, or by that alone."""
    ends, corners = surfaces.edges[found[:, 0]], surfaces.triangles[found[:, 1]]
    step = _rounding(positions, ends, corners)
    shifts = touching_shifts
    if not _is_clear(surfaces, positions, found):
        if not go_on_at_vertices(positions, ends, corners, surfaces.edges, step):
            return True
        shifts = parting_shifts
    beside = np.isin(surfaces.triangles, np.unique(ends)).sum(axis=1) > 1
    is_first = surfaces.point_objects == pair[0]
    for shift in shifts(positions[np.concatenate([corners, surfaces.triangles[beside]])], step):
        moved = positions.copy()
        moved[is_first] += shift
        if not (_pairs(surfaces, search.find(moved)) == pair).all(axis=1).any():
            return True
    return False


def _is_clear(surfaces: Surfaces, positions: Floats, found: Ints) -> bool:
    """Whether any of some crossings is more than rounding."""
    ends, corners = surfaces.edges[found[:, 0]], surfaces.triangles[found[:, 1]]
    return bool(ends_clear(positions[ends], positions[corners], _rounding(positions, ends, corners)).any())


def _rounding(positions: Floats, ends: Ints, corners: Ints) -> float:
    """What rounding may come to, of the points of some crossings [m]."""
    return ROUNDING * float(np.abs(positions[np.concatenate([ends.ravel(), corners.ravel()])]).max())
