# SPDX-License-Identifier: GPL-3.0-or-later
"""Patches of a solid by which it is held at a point."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..components import connected_components
from ..edges import edge_lengths

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

# of the greatest extent of a body, the largest radius of a patch: chosen by hand
MOST_OF_BODY = 0.35
# by how much a patch grows that does not bear the body
GROWN = 1.2
# of how far attached vertices stand apart: where less is left, they are drawn together. Chosen by hand
_LEFT_APART = 0.5
# of how far vertices are from a strand on average: one that is nearer than that is where it holds. Chosen by hand
_AS_NEAR = 0.5
# vertices that are asked whether a strand draws them together: all pairs of them are
MOST_ASKED = 1000


class Solid(NamedTuple):
    """What patches are taken of.

    Attributes:
        positions: of the particles at rest [m], shape (particles, 3).
        is_free: what may be in a patch, shape (particles,).
        edges: shape (edges, 2).
        tetrahedra: shape (tetrahedra, 4).
        volumes: of the tetrahedra [m³].
    """

    positions: Floats
    is_free: Bools
    edges: Ints
    tetrahedra: Ints
    volumes: Floats


def patch_around(solid: Solid, point: Floats, particles: Ints, radius: float) -> Ints:
    """Particles around a point that hang together.

    Args:
        solid: of which.
        point: that is held [m], shape (3,).
        particles: that carry it; those that are free are in the patch wherever they are.
        radius: of the patch [m].
    """
    is_near = (np.linalg.norm(solid.positions - point, axis=1) < radius) & solid.is_free
    is_near[particles] = solid.is_free[particles]
    labels = connected_components(len(is_near), solid.edges[is_near[solid.edges].all(axis=1)])
    return np.flatnonzero(is_near & np.isin(labels, labels[particles])).astype(np.int32)


def cut_area(solid: Solid, patch: Ints) -> float:
    """How large the surface is by which a patch hangs together with all else [m²]: a layer of tetrahedra by its height.

    Args:
        solid: of which.
        patch: of ``patch_around``.
    """
    is_in = np.zeros(len(solid.positions), np.bool_)
    is_in[patch] = True
    inside = is_in[solid.tetrahedra].sum(axis=1)
    is_cut = (inside > 0) & (inside < 4)
    height = float(edge_lengths(solid.positions, solid.edges).mean())
    return float(solid.volumes[is_cut].sum()) / height


class Needed(NamedTuple):
    """What a patch has to have so that it bears a body.

    Attributes:
        area: of the surface by which it hangs together with all else [m²].
        mass: [kg].
        masses: of all particles [kg].
    """

    area: float
    mass: float
    masses: Floats


def bearing_patch(body: Solid, point: Floats, particles: Ints, needed: Needed, reach: float) -> Ints:
    """The patch around a point that bears the body, or the largest that there may be.

    Args:
        body: of which.
        point: that is held [m], shape (3,).
        particles: that carry it.
        needed: to bear it.
        reach: radius of the patch at least [m].
    """
    most = MOST_OF_BODY * float(np.ptp(body.positions, axis=0).max())
    radius = max(min(math.sqrt(needed.area / math.pi), most), reach)
    patch = patch_around(body, point, particles, radius)
    while radius < most and (needed.masses[patch].sum() < needed.mass or cut_area(body, patch) < needed.area):
        radius = min(GROWN * radius, most)
        patch = patch_around(body, point, particles, radius)
    return patch


def held_point(held: Floats, ends: Floats) -> tuple[int, Floats, bool]:
    """The point by which a patch is held instead of some vertices: one of them, or their middle.

    Args:
        held: places of the vertices [m], shape (vertices, 3).
        ends: points of a strand to which they are drawn, likewise.

    Returns:
        whose end is that of the patch; the point [m], shape (3,); and whether it is that vertex.
    """
    gaps, middle = np.linalg.norm(held - ends, axis=1), 0.5 * (held.min(axis=0) + held.max(axis=0))
    across = np.linalg.norm(ends - 0.5 * (ends.min(axis=0) + ends.max(axis=0)), axis=1)
    nearest = int((across + gaps).argmin())
    if len(held) > 1 and gaps[nearest] > _AS_NEAR * gaps.mean():
        return int(across.argmin()), middle, False
    return nearest, held[nearest], True


def drawn_together(held: Floats, ends: Floats, edges: Ints) -> Ints:
    """A number for each vertex, the same where a strand would draw them to nearly one point, shape (vertices,).

    A group is a vertex and all that would be drawn to it: no chain of them goes on along the strand.

    Args:
        held: places of the vertices [m], shape (vertices, 3).
        ends: to which they are drawn, likewise.
        edges: on which these are, rows of particles; of too many vertices all are together that are drawn to one edge.
    """
    count = len(held)
    if count > MOST_ASKED:
        return np.unique(edges, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32)
    apart, left = (np.linalg.norm(places[:, None] - places, axis=2) for places in (held, ends))
    are_drawn = left < _LEFT_APART * apart
    groups, partners = np.full(count, -1, np.int32), are_drawn.sum(axis=1)
    while (groups < 0).any():
        middle = int(np.where(groups < 0, partners, -1).argmax())
        members = np.flatnonzero(are_drawn[middle] & (groups < 0))
        members = np.append(members, middle)
        groups[members] = middle
        partners -= are_drawn[:, members].sum(axis=1)
    return groups
