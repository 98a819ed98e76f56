# SPDX-License-Identifier: GPL-3.0-or-later
"""Relative motion of the sides of a near pair, and pushes that change it with momentum kept.

C depends on the particles by coefficients: of a particle Σ wᵢ uᵢⱼ over all points that it carries. Points of a jelly's
surface share particles, of one side and of both. So coefficients are summed up by particle, and a push moves side a
relative to side b by just what is asked, for embedded points too. The sum of all coefficients is 0, and so is the sum
of all impulses.

Where nothing ``embeds``, points are particles of their own, and a row has their numbers. Loops over what carries
embedded points are left to the compiler to unroll: written out they took Taichi seconds.
"""

import taichi as ti

from ..record import element_point
from .tables import CARRIERS, IS_EDGES, MASS, NEAR_INTS, NEAR_NORMAL, NEAR_WEIGHTS, NEAR_WIDTH


@ti.func
def normal_of(pairs: ti.template(), n):
    """The unit normal of near pair ``n``, from side b to side a."""
    floats = ti.static(pairs.near_floats)
    first = n * NEAR_WIDTH + NEAR_NORMAL
    return ti.Vector([floats[first], floats[first + 1], floats[first + 2]])


@ti.func
def weight_of(pairs: ti.template(), n, i):
    """The signed weight of one of the four points; the sum of all is 0."""
    floats = ti.static(pairs.near_floats)
    first = n * NEAR_WIDTH + NEAR_WEIGHTS
    result = -(floats[first] + floats[first + 1] + floats[first + 2])
    if i > 0:
        result = floats[first + i - 1]
    return result


@ti.func
def carried(vectors: ti.template(), surfaces: ti.template(), carrier, embeds: ti.template()):
    """The vector of a surface point by what carries it: Σ uⱼ vⱼ, or that of its particle."""
    result = ti.Vector([0.0, 0.0, 0.0])
    if ti.static(embeds):
        result = element_point(vectors, surfaces.surface_elements, surfaces.surface_weights, carrier)
    else:
        result = vectors[carrier].xyz
    return result


@ti.func
def relative(vectors: ti.template(), surfaces: ti.template(), pairs: ti.template(), n, embeds: ti.template()):
    """Σ wᵢ vᵢ: the vector from the closest point of side b to that of side a, or the relative motion of the two."""
    ints, floats = ti.static(pairs.near_ints, pairs.near_floats)
    first, weights = n * NEAR_INTS + CARRIERS, n * NEAR_WIDTH + NEAR_WEIGHTS
    # relative to one of them, since Σ wᵢ = 0: the size of the coordinates is not rounded
    v0 = carried(vectors, surfaces, ints[first], embeds)
    total = floats[weights] * (carried(vectors, surfaces, ints[first + 1], embeds) - v0)
    total += floats[weights + 1] * (carried(vectors, surfaces, ints[first + 2], embeds) - v0)
    total += floats[weights + 2] * (carried(vectors, surfaces, ints[first + 3], embeds) - v0)
    return total


@ti.func
def side_of(pairs: ti.template(), n, i):
    """The side of one of the four points of near pair ``n``: 0 for a, 1 for b."""
    return ti.cast(i > pairs.near_ints[n * NEAR_INTS + IS_EDGES], ti.i32)


@ti.func
def closest(vectors: ti.template(), surfaces: ti.template(), pairs: ti.template(), n, side, embeds: ti.template()):
    """The vector of the closest point of a side: 0 for a, 1 for b."""
    total = ti.Vector([0.0, 0.0, 0.0])
    for i in range(4):
        if side_of(pairs, n, i) == side:
            carrier = pairs.near_ints[n * NEAR_INTS + CARRIERS + i]
            total += ti.abs(weight_of(pairs, n, i)) * carried(vectors, surfaces, carrier, embeds)
    return total


@ti.func
def _first_particle(surfaces: ti.template(), carrier, embeds: ti.template()):
    """One of the particles that carry a surface point; all are of one body."""
    particle = carrier
    if ti.static(embeds):
        particle = surfaces.surface_elements[carrier, 0]
    return particle


@ti.func
def external_speed(
    particles: ti.template(), surfaces: ti.template(), pairs: ti.template(), n, h, variant: ti.template()
):
    """What gravity, and what else acts from outside, adds to the speed of near pair ``n`` in the substep [m/s].

    Of its sides that counts which is pushed more: one may be held.
    """
    speed = ti.cast(0.0, float)
    for i in range(4):
        particle = _first_particle(surfaces, pairs.near_ints[n * NEAR_INTS + CARRIERS + i], variant.embeds)
        speed = ti.max(speed, particles.gravity[particle].norm() * h)
    if ti.static(variant.is_forced):
        most = ti.cast(0.0, float)
        for side in range(2):
            most = ti.max(most, closest(particles.pushes, surfaces, pairs, n, side, variant.embeds).norm())
        speed += most / variant.step_share
    return speed


@ti.func
def pair_mass(particles: ti.template(), pairs: ti.template(), n, embeds: ti.template()):
    """1 / Σ wᵢ² mᵢ⁻¹ [kg] of a near pair of particles; 0 where none of them moves, and where points are embedded."""
    mass = ti.cast(0.0, float)
    if ti.static(not embeds):
        total = ti.cast(0.0, float)
        for i in ti.static(range(4)):
            w = weight_of(pairs, n, i)
            total += w * w * particles.positions[pairs.near_ints[n * NEAR_INTS + CARRIERS + i]][3]
        if total > 0.0:
            mass = 1.0 / total
    return mass


@ti.func
def gather_coefficients(
    particles: ti.template(), surfaces: ti.template(), pairs: ti.template(), n, embeds: ti.template()
):
    """Sum up the coefficients of near pair ``n`` in ``gradients`` where it needs them, until ``push_pair`` clears them.

    Returns:
        1 / Σ coefficient² m⁻¹ over the particles [kg], or 0 where none of them moves.
    """
    mass = pairs.near_floats[n * NEAR_WIDTH + MASS]
    if ti.static(embeds):
        elements, weights, gradients = ti.static(
            surfaces.surface_elements, surfaces.surface_weights, surfaces.gradients
        )
        total = ti.cast(0.0, float)
        for i in range(4):
            point, w = pairs.near_ints[n * NEAR_INTS + CARRIERS + i], weight_of(pairs, n, i)
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
        mass = 0.0
        if total > 0.0:
            mass = 1.0 / total
    return mass


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
    n,
    impulse,
    embeds: ti.template(),
):
    """Give the particles of near pair ``n`` an impulse, along their coefficients, and clear these.

    Args:
        vectors: what to change: positions, by an impulse times the duration of the substep, or velocities.
        particles: the pack.
        surfaces: the pack.
        pairs: the pack.
        n: row of the near pair.
        impulse: that side a gets, side b the opposite.
        embeds: static: whether any point has more than one particle.
    """
    if ti.static(embeds):
        elements, weights, gradients = ti.static(
            surfaces.surface_elements, surfaces.surface_weights, surfaces.gradients
        )
        for i in range(4):
            point = pairs.near_ints[n * NEAR_INTS + CARRIERS + i]
            for j in range(4):
                if weights[point, j] != 0.0:
                    particle = elements[point, j]
                    inverse_mass = particles.positions[particle][3]
                    if inverse_mass > 0.0:
                        _push_particle(vectors, particle, (gradients[particle] * inverse_mass) * impulse)
                        gradients[particle] = 0.0
    else:
        for i in ti.static(range(4)):
            particle = pairs.near_ints[n * NEAR_INTS + CARRIERS + i]
            inverse_mass = particles.positions[particle][3]
            if inverse_mass > 0.0:
                _push_particle(vectors, particle, (weight_of(pairs, n, i) * inverse_mass) * impulse)
