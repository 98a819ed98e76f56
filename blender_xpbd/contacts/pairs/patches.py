# SPDX-License-Identifier: GPL-3.0-or-later
"""The two patches of surface that a contour ties together."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...geometry.components import connected_components
from ...geometry.edges import edge_lengths
from ...geometry.levels.tethers import nearest_sources
from ...geometry.search.surfaces import Surfaces
from ...scene.ties.contours import contours
from .swallowed import swallowed

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]


class Tangle(NamedTuple):
    """Two patches of surface that go through each other.

    Attributes:
        objects: of the first and of the second patch; the lower number comes first, and both may be the same.
        shares: how far each point goes with its patch, from 1 down to 0, shape (2, points).
        edge: the mean length of its edges, of the patch with the shorter ones [m].
        may_part: whether they are to be moved apart; else they were modelled so.
        of_solid: whether one of the objects fills the space inside its surface.
    """

    objects: tuple[int, int]
    shares: Floats
    edge: float
    may_part: bool
    of_solid: bool = False


def tangles(
    surfaces: Surfaces, found: Ints, positions: Floats, solids: Bools, touching: Collection[tuple[int, int]] = ()
) -> list[Tangle]:
    """What is tangled.

    A patch is what lies within the extent of its contour along the surface; with what lies within twice of that its
    share fades out. Contours of the same two objects whose patches overlap on both are one tangle. Two solids are
    tangled as a whole, for of these the inside counts too. Where a solid goes through itself it was modelled so: its
    patches are no more than the crossings.

    Args:
        surfaces: of all objects.
        found: edge and triangle of each crossing, shape (crossings, 2).
        positions: of the surface points [m], shape (points, 3).
        solids: which objects fill the space inside their surface, shape (objects,).
        touching: solids that touch without a gap, which are tangled too; the lower number comes first.
    """
    whole = {*swallowed(surfaces, positions, solids), *touching}
    single: list[Tangle] = []
    labels, signs = contours(surfaces, found, connected_components)
    for label in np.unique(labels):
        mine = labels == label
        objects = _objects(surfaces, found[mine])
        if objects[0] != objects[1] and solids[list(objects)].all():
            whole.add(objects)
        else:
            single.append(_patches(surfaces, found[mine], signs[mine], positions, solids))
    return [_whole(surfaces, objects, positions) for objects in sorted(whole)] + _merged(single)


def _objects(surfaces: Surfaces, found: Ints) -> tuple[int, int]:
    """The two objects that meet in a contour."""
    owners = surfaces.point_objects
    pair = owners[surfaces.edges[found[0, 0], 0]], owners[surfaces.triangles[found[0, 1], 0]]
    return int(min(pair)), int(max(pair))


def _whole(surfaces: Surfaces, objects: tuple[int, int], positions: Floats) -> Tangle:
    """All of two objects."""
    owners = surfaces.point_objects
    shares = np.array([owners == number for number in objects], np.float64)
    own = surfaces.edges[np.isin(owners[surfaces.edges[:, 0]], objects)]
    return Tangle(objects, shares, float(edge_lengths(positions, own).mean()), may_part=True, of_solid=True)


def _patches(surfaces: Surfaces, found: Ints, signs: Ints, positions: Floats, solids: Bools) -> Tangle:
    """The patches of one contour; arguments as of ``tangles``."""
    owners, objects = surfaces.point_objects, _objects(surfaces, found)
    is_own = objects[0] == objects[1]
    ends, corners = surfaces.edges[found[:, 0]], surfaces.triangles[found[:, 1]]
    is_first = signs > 0 if is_own else owners[ends[:, 0]] == objects[0]
    first = np.union1d(ends[is_first], corners[~is_first])
    second = np.union1d(ends[~is_first], corners[is_first])
    may_part = not (is_own and solids[objects[0]])
    # a collider's edges may be as long as a whole cloth, so the finer side tells how large a tangle is
    edges = [_mean_edge(positions, ends[mine], corners[~mine]) for mine in (is_first, ~is_first)]
    extent = edge = min(edges)
    if may_part:
        extent = float(np.linalg.norm(np.ptp(positions[(first, second)[edges.index(edge)]], axis=0)))
    distances = _distances(surfaces, positions, 2.0 * extent, (first, second))
    shares = np.clip(2.0 - distances / extent, 0.0, 1.0)
    if is_own and may_part:
        shares = np.where(distances <= distances[::-1], shares, 0.0)
    return Tangle(objects, shares, edge, may_part, bool(solids[list(objects)].any()))


def _mean_edge(positions: Floats, edges: Ints, triangles: Ints) -> float:
    """The mean length of edges and of the sides of triangles [m]."""
    sides = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    return float(edge_lengths(positions, np.concatenate([edges, sides])).mean())


def _distances(surfaces: Surfaces, positions: Floats, reach: float, sources: tuple[Ints, Ints]) -> Floats:
    """Distances along the surface from each of two sets of points [m], where within reach, shape (2, points)."""
    known = np.concatenate(sources)
    low, high = positions[known].min(axis=0) - reach, positions[known].max(axis=0) + reach
    near = np.flatnonzero(((positions >= low) & (positions <= high)).all(axis=1))
    places = np.full(len(positions), -1, np.int64)
    places[near] = np.arange(len(near))
    edges = places[surfaces.edges]
    edges = edges[(edges >= 0).all(axis=1)]
    distances = np.full((2, len(positions)), np.inf)
    lengths = edge_lengths(positions[near], edges)
    distances[:, near] = nearest_sources(len(near), edges, lengths, [places[nodes] for nodes in sources])[0]
    return distances


def _merged(single: list[Tangle]) -> list[Tangle]:
    """Tangles of the same two objects that overlap on both, as one."""
    touches = [tangle.shares > 0.0 for tangle in single]
    pairs = [
        (i, j)
        for j, later in enumerate(single)
        for i, earlier in enumerate(single[:j])
        if earlier.objects == later.objects
        and later.objects[0] != later.objects[1]
        and (touches[i] & touches[j]).any(axis=1).all()
    ]
    labels = connected_components(len(single), np.array(pairs, np.int32).reshape(-1, 2))
    result = []
    for root in np.unique(labels):
        parts = [single[k] for k in np.flatnonzero(labels == root)]
        shares = np.max([part.shares for part in parts], axis=0)
        result.append(parts[0]._replace(shares=shares, edge=min(part.edge for part in parts)))
    return result
