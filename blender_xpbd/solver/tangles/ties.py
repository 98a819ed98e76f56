# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that cross at vertices alone when a scene begins: one of two is moved aside by rounding, so that edges pass.

Of one that so crosses itself the points there are moved, each by another share of rounding.

Two grids that cross along their lines have no edge that goes through a triangle, for each ends in the plane of one. So
nothing of them was tangled, their pairs have no gap and no sides, and they stood still.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ...contacts.search.crossings import CrossingSearch
from ...contacts.search.own_ties import own_asides, own_ties
from ...contacts.search.touching import are_tied, possible_ties
from ...device.arrays import edited_array
from ...scene.starts import ASIDE, ROUNDING
from ..system.contact_objects import ContactObjects

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


def part_ties(objects: ContactObjects, search: CrossingSearch, particles: Any) -> None:
    """Move what can move of bodies that cross others, or themselves, at vertices alone: by what rounding may come to.

    Args:
        objects: whose surfaces may touch.
        search: of these surfaces.
        particles: the pack, as it is when the scene begins.
    """
    with edited_array(particles.positions) as rows:
        points, moves = objects.points(rows[:, :3].astype(np.float64)), rows[:, 3] > 0.0
        can_move = np.array([moves[first:last].any() for first, last in objects.particle_ranges], np.bool_)
        counts = _step_counts(objects, search, points, can_move)
        step = ROUNDING * float(np.abs(points[counts[objects.surfaces.point_objects] > 0]).max(initial=0.0))
        for number in np.flatnonzero(counts):
            first, last = objects.particle_ranges[number]
            rows[first:last, :3][moves[first:last]] += step * counts[number] * ASIDE
        own = _tied_points(objects, search, points)
        own = own[moves[objects.elements[own, 0]]]
        rows[objects.elements[own, 0], :3] += own_asides(objects.surfaces, points)[own]


def _tied_points(objects: ContactObjects, search: CrossingSearch, points: Floats) -> npt.NDArray[np.int32]:
    """The points where bodies cross themselves at vertices alone; not of solids, which were modelled so."""
    surfaces = objects.surfaces
    found = own_ties(search, surfaces, points)
    found = found[~objects.solids[surfaces.point_objects[surfaces.edges[found[:, 0], 0]]]]
    return np.union1d(surfaces.edges[found[:, 0]], surfaces.triangles[found[:, 1]])


def _step_counts(
    objects: ContactObjects, search: CrossingSearch, points: Floats, can_move: Mask
) -> npt.NDArray[np.int64]:
    """By how many steps each object is moved: of two that are tied not by as many.

    What others have moved apart already is not asked: each question takes many searches.

    Args:
        objects: as of ``part_ties``.
        search: likewise.
        points: where the surface points are [m], shape (points, 3).
        can_move: which objects can; the others stay, as does what is tied with nothing. Shape (objects,).
    """
    counts = np.zeros(len(can_move), np.int64)
    possible = possible_ties(search, objects.surfaces, points, objects.solids)
    for pair, found in possible.items():
        movable = [number for number in pair if can_move[number]]
        if movable and counts[pair[0]] == counts[pair[1]] and are_tied(search, objects.surfaces, points, found, pair):
            number = movable[-1]
            taken = {int(counts[other]) for both in possible if number in both for other in both if other != number}
            counts[number] = next(count for count in range(len(taken) + 1) if count not in taken)
    return counts
