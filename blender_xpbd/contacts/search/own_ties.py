# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces that cross themselves at vertices alone, among all that may touch; see ``scene/ties/own_ties.py``."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from ...geometry.components import connected_components
from ...geometry.search.surfaces import Surfaces
from ...scene.starts import unlike_asides
from ...scene.ties import own_ties as ties
from .crossings import CrossingSearch

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


def own_ties(search: CrossingSearch, surfaces: Surfaces, positions: Floats) -> Ints:
    """What crosses itself at vertices alone: what would cross if points were moved by ``own_asides``.

    Args:
        search: of the surfaces.
        surfaces: of all objects.
        positions: of the surface points [m], shape (points, 3).

    Returns:
        edge and triangle of each crossing, shape (crossings, 2); none of what crosses by more than rounding, or touches
        alone.
    """
    if not surfaces.sees.diagonal().any():
        return np.zeros((0, 2), np.int32)
    owners = surfaces.point_objects

    def find(points: Floats) -> Ints:
        found = search.find(points)
        return found[owners[surfaces.edges[found[:, 0], 0]] == owners[surfaces.triangles[found[:, 1], 0]]]

    return ties.own_ties(surfaces, positions, own_asides(surfaces, positions), find, connected_components)


def own_asides(surfaces: Surfaces, positions: Floats) -> Floats:
    """By how much each point is moved so that edges pass, shape (points, 3) [m]."""
    starts = surfaces.point_starts
    own = (unlike_asides(positions[first:last]) for first, last in itertools.pairwise(starts))
    return np.concatenate([np.zeros((0, 3)), *own])
