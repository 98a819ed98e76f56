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
def relative(vectors: ti.template(), surfaces: ti.template(), pairs: ti.template(), k, embeds: ti.template()):
    """Σ wᵢ vᵢ: the vector from the closest point of side b to that of side a, or the relative motion of the two."""
    floats = ti.static(pairs.pair_floats)
    v0, v1, v2, v3 = points_of(vectors, surfaces, pairs, k, embeds)
    # relative to one of them, since Σ wᵢ = 0: the size of the coordinates is not rounded
    return floats[k, WEIGHTS + 1] * (v1 - v0) + floats[k, WEIGHTS + 2] * (v2 - v0) + floats[k, WEIGHTS + 3] * (v3 - v0)


@ti.func
def gather_coefficients(
    particles: ti.template(), surfaces: ti.template(), pairs: ti.template(), k, embeds: ti.template()
):
    """Sum up the coefficients of pair ``k`` in ``gradients``, until ``push_pair`` clears them.

    Returns:
        Σ coefficient² m⁻¹ over the particles, the inverse mass of the pair [1/kg].
    """
    elements, weights, gradients = ti.static(surfaces.surface_elements, surfaces.surface_weights, surfaces.gradients)
    total = 0.0
    for i in ti.static(range(4)):
        point, w = pairs.pair_ints[k, POINTS + i], pairs.pair_floats[k, WEIGHTS + i]
        if ti.static(embeds):
            for j in range(4):
                if weights[point, j] != 0.0:
                    particle = elements[point, j]
                    inverse_mass = particles.positions[particle][3]
                    # tasks may share particles without mass, so these are left alone
                    if inverse_mass > 0.0:
                        before = gradients[particle]
                        now = before + w * weights[point, j]
                        gradients[particle] = now
                        total += (now * now - before * before) * inverse_mass
        else:
            total += w * w * particles.positions[elements[point, 0]][3]
    return total


@ti.func
def _push_particle(vectors: ti.template(), particle, push):
    moved = vectors[particle]
    for axis in ti.static(range(3)):
        moved[axis] += push[axis]
    vectors[particle] = moved


@ti.func
def push_pair(
    vectors: ti.template(),
    particles: ti.template(),
    surfaces: ti.template(),
    pairs: ti.template(),
    k,
    impulse,
    embeds: ti.template(),
):
    """Give the particles of pair ``k`` an impulse, along their coefficients, and clear these.

    Args:
        vectors: what to change: positions, by an impulse times the duration of the substep, or velocities.
        particles: the pack.
        surfaces: the pack.
        pairs: the pack.
        k: number of the pair.
        impulse: that side a gets, side b the opposite.
        embeds: static: whether any point has more than one particle.
    """
    elements, weights, gradients = ti.static(surfaces.surface_elements, surfaces.surface_weights, surfaces.gradients)
    for i in ti.static(range(4)):
        point = pairs.pair_ints[k, POINTS + i]
        if ti.static(embeds):
            for j in range(4):
                if weights[point, j] != 0.0:
                    particle = elements[point, j]
                    inverse_mass = particles.positions[particle][3]
                    if inverse_mass > 0.0:
                        _push_particle(vectors, particle, (gradients[particle] * inverse_mass) * impulse)
                        gradients[particle] = 0.0
        else:
            particle = elements[point, 0]
            inverse_mass = particles.positions[particle][3]
            if inverse_mass > 0.0:
                _push_particle(vectors, particle, (pairs.pair_floats[k, WEIGHTS + i] * inverse_mass) * impulse)
