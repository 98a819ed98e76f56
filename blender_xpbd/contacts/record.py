# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a contact: what whoever finds a contact tells whoever resolves it; and elements, its sides that move.

One side is a point in an element: x = Σ wⱼ xⱼ over up to four particles (the embedded surface of a jelly, a vertex of a
cloth; embedding as in Müller & Gross 2004). The other side is a point of a surface that has its own displacement over
the substep. Each pair of sides that may touch keeps its own multipliers.
"""

import taichi as ti


@ti.func
def contact_record(normal, gap, carried, friction, restitution):
    """One contact.

    Args:
        normal: unit vector from the other side to the element.
        gap: C, the signed distance less the gap to keep [m]; the sides touch where it is negative, and only there
            the rest is filled in.
        carried: displacement of the other side's point over the substep [m].
        friction: Coulomb's μ of the pair.
        restitution: e of the pair.
    """
    return ti.Struct(normal=normal, gap=gap, carried=carried, friction=friction, restitution=restitution)


@ti.func
def element_point(vectors: ti.template(), elements: ti.template(), weights: ti.template(), k):
    """Σ wⱼ vⱼ of element ``k``: row ``k`` of ``elements`` has its particles, that of ``weights`` their wⱼ."""
    total = ti.Vector([0.0, 0.0, 0.0])
    for j in ti.static(range(4)):
        if weights[k, j] != 0.0:
            total += weights[k, j] * vectors[elements[k, j]].xyz
    return total


@ti.func
def element_inverse_mass(particles: ti.template(), elements: ti.template(), weights: ti.template(), k):
    """Σ wⱼ² mⱼ⁻¹ [1/kg]."""
    total = 0.0
    for j in ti.static(range(4)):
        if weights[k, j] != 0.0:
            total += weights[k, j] * weights[k, j] * particles.positions[elements[k, j]][3]
    return total


@ti.func
def push_element(
    vectors: ti.template(), particles: ti.template(), elements: ti.template(), weights: ti.template(), k, mass, push
):
    """Move one side of a contact by its share of a push, so that momentum is kept: Δxⱼ = wⱼ mⱼ⁻¹ · mass · push.

    Args:
        vectors: what moves, positions or velocities.
        particles: the pack that has inverse masses.
        elements: as in ``element_point``, and so are ...
        weights: ... these, and ...
        k: ... the number of the element.
        mass: 1 / (sum of the two sides' inverse masses) [kg]; a collider's is 0.
        push: of this side relative to the other one, so the second side gets the opposite.
    """
    for j in ti.static(range(4)):
        if weights[k, j] != 0.0:
            particle = elements[k, j]
            share = weights[k, j] * particles.positions[particle][3] * mass
            moved = vectors[particle]
            for axis in ti.static(range(3)):
                moved[axis] += share * push[axis]
            vectors[particle] = moved
