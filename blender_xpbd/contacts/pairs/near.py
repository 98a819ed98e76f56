# SPDX-License-Identifier: GPL-3.0-or-later
"""Which pairs are near when a substep begins, with their closest points and the normal between them.

A pair that was measured is not measured again until its sides may have come near. Distances shrink by no more than what
the two sides have moved, in the frame of their island, which moves both alike. So the distance when measured, less
``travels`` of both objects since, is a lower bound. It is read from an array of its own: most pairs are done with that.
"""

import taichi as ti

from ..record import element_point
from .geometry import pair_geometry
from .tables import (
    APPROACH,
    DISTANCE,
    EDGE_EDGE,
    GAP,
    GIVEN,
    KIND,
    MULTIPLIER,
    NORMAL,
    POINTS,
    WEIGHTS,
)


@ti.func
def surface_point(vectors: ti.template(), surfaces: ti.template(), point, embeds: ti.template()):
    """The vector of a surface point: Σ uⱼ vⱼ, or where nothing ``embeds`` that of its only particle."""
    elements, weights = ti.static(surfaces.surface_elements, surfaces.surface_weights)
    result = ti.Vector([0.0, 0.0, 0.0])
    if ti.static(embeds):
        result = element_point(vectors, elements, weights, point)
    else:
        result = vectors[elements[point, 0]].xyz
    return result


@ti.func
def points_of(vectors: ti.template(), surfaces: ti.template(), pairs: ti.template(), k, embeds: ti.template()):
    """The vectors of the four points of pair ``k``."""
    first = surface_point(vectors, surfaces, pairs.pair_ints[k, POINTS], embeds)
    second = surface_point(vectors, surfaces, pairs.pair_ints[k, POINTS + 1], embeds)
    third = surface_point(vectors, surfaces, pairs.pair_ints[k, POINTS + 2], embeds)
    fourth = surface_point(vectors, surfaces, pairs.pair_ints[k, POINTS + 3], embeds)
    return first, second, third, fourth


@ti.func
def normal_of(pairs: ti.template(), k):
    """The unit normal of pair ``k``, from side b to side a; 0 before it was near."""
    floats = ti.static(pairs.pair_floats)
    return ti.Vector([floats[k, NORMAL], floats[k, NORMAL + 1], floats[k, NORMAL + 2]])


@ti.func
def find_near(particles: ti.template(), surfaces: ti.template(), pairs: ti.template(), k, reach, embeds: ti.template()):
    """Measure pair ``k`` when the substep begins, unless its bound says that it is far; begin its multipliers anew.

    Args:
        particles: the pack, positions and velocities those of the substep's start.
        surfaces: the pack.
        pairs: the pack.
        k: number of the pair.
        reach: how much nearer its sides may come in the substep [m].
        embeds: static: whether any point has more than one particle.

    Returns:
        1 where they may come nearer than GAP, else 0.
    """
    floats = ti.static(pairs.pair_floats)
    elements = ti.static(surfaces.surface_elements)
    way = surfaces.travels[elements[pairs.pair_ints[k, POINTS], 4]]
    way += surfaces.travels[elements[pairs.pair_ints[k, POINTS + 3], 4]]
    is_near = 0
    if pairs.pair_bounds[k] - way <= reach:
        x0, x1, x2, x3 = points_of(particles.positions, surfaces, pairs, k, embeds)
        found = pair_geometry(pairs.pair_ints[k, KIND] == EDGE_EDGE, x0, x1, x2, x3, normal_of(pairs, k))
        left = found.distance - floats[k, GAP]
        pairs.pair_bounds[k] = left + way
        if left <= reach:
            is_near = 1
            v0, v1, v2, v3 = points_of(particles.velocities, surfaces, pairs, k, embeds)
            w = found.weights
            floats[k, DISTANCE] = found.distance
            floats[k, APPROACH] = -found.normal.dot(w[0] * v0 + w[1] * v1 + w[2] * v2 + w[3] * v3)
            floats[k, MULTIPLIER] = 0.0
            for axis in ti.static(range(3)):
                floats[k, NORMAL + axis] = found.normal[axis]
                floats[k, GIVEN + axis] = 0.0
            for n in ti.static(range(4)):
                floats[k, WEIGHTS + n] = w[n]
    return is_near
