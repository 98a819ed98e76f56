# SPDX-License-Identifier: GPL-3.0-or-later
"""Relative motion of the sides of a pair, and pushes that change it with momentum kept.

C depends on the particles by coefficients: of a particle Σ wᵢ uᵢⱼ over all points that it carries. Points of a jelly's
surface share particles, of one side and of both. So coefficients are summed up by particle, and a push moves side a
relative to side b by just what is asked, for embedded points too. The sum of all coefficients is 0, and so is the sum
of all impulses.
"""

import taichi as ti

from .near import points_of
from .tables import POINTS, WEIGHTS


@ti.func
def relative(vectors: ti.template(), surfaces: ti.template(), pairs: ti.template(), k):
    """Σ wᵢ vᵢ: the vector from the closest point of side b to that of side a, or the relative motion of the two."""
    floats = ti.static(pairs.pair_floats)
    v0, v1, v2, v3 = points_of(vectors, surfaces, pairs, k)
    # relative to one of them, since Σ wᵢ = 0: the size of the coordinates is not rounded
    return floats[k, WEIGHTS + 1] * (v1 - v0) + floats[k, WEIGHTS + 2] * (v2 - v0) + floats[k, WEIGHTS + 3] * (v3 - v0)


@ti.func
def gather_coefficients(particles: ti.template(), surfaces: ti.template(), pairs: ti.template(), k):
    """Sum up the coefficients of pair ``k`` in ``gradients``, until ``push_pair`` clears them.

    Returns:
        Σ coefficient² m⁻¹ over the particles, the inverse mass of the pair [1/kg].
    """
    elements, weights, gradients = ti.static(
        surfaces.surface_elements, surfaces.surface_weights, surfaces.gradients
    )
    total = 0.0
    for i in ti.static(range(4)):
        point, w = pairs.pair_ints[k, POINTS + i], pairs.pair_floats[k, WEIGHTS + i]
        for j in ti.static(range(4)):
            if weights[point, j] != 0.0:
                particle = elements[point, j]
                inverse_mass = particles.positions[particle][3]
                # tasks may share particles without mass, so these are left alone
                if inverse_mass > 0.0:
                    before = gradients[particle]
                    now = before + w * weights[point, j]
                    gradients[particle] = now
                    total += (now * now - before * before) * inverse_mass
    return total


@ti.func
def push_pair(
    vectors: ti.template(), particles: ti.template(), surfaces: ti.template(), pairs: ti.template(), k, impulse
):
    """Give the particles of pair ``k`` an impulse, along their coefficients, and clear these.

    Args:
        vectors: what to change: positions, by an impulse times the duration of the substep, or velocities.
        particles: the pack.
        surfaces: the pack.
        pairs: the pack.
        k: number of the pair.
        impulse: that side a gets, side b the opposite.
    """
    elements, weights, gradients = ti.static(
        surfaces.surface_elements, surfaces.surface_weights, surfaces.gradients
    )
    for i in ti.static(range(4)):
        point = pairs.pair_ints[k, POINTS + i]
        for j in ti.static(range(4)):
            if weights[point, j] != 0.0:
                particle = elements[point, j]
                coefficient = gradients[particle] if particles.positions[particle][3] > 0.0 else 0.0
                if coefficient != 0.0:
                    gradients[particle] = 0.0
                    share = coefficient * particles.positions[particle][3]
                    moved = vectors[particle]
                    for axis in ti.static(range(3)):
                        moved[axis] += share * impulse[axis]
                    vectors[particle] = moved
