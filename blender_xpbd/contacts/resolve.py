# SPDX-License-Identifier: GPL-3.0-or-later
"""Resolves a contact, whatever its other side is: non-penetration and Coulomb friction.

C = n·x − offset ≥ 0, Δx = n Δλₙ (PBD 2007, §3.4). Friction takes back the tangential motion relative to the other side
by a multiplier of its own, λₜ, of which the sum over all iterations of a substep is at most μ λₙ (Coulomb's law for
the impulses of the substep; Macklin et al. 2014, §6.1, has it for a single iteration). Both multipliers are
displacements of the element's point [m]; their impulses are λ / (h Σ wⱼ² mⱼ⁻¹).
"""

import taichi as ti


@ti.func
def resolve_contact(
    contacts: ti.template(), k, c, contact: ti.template(), point, reference, share, keeps: ti.template()
):
    """Move the point of the element out of the other side; keep the multipliers of the pair.

    Args:
        contacts: the pack.
        k: number of the point, and ...
        c: ... of the other side; their λₙ is 0 when the substep begins.
        contact: the record, its gap negative.
        point: where the point of the element is [m].
        reference: where it would be without its velocity, which makes the way from there in a ...
        share: ... part of the substep: 1, with BDF2 2/3.
        keeps: static, whether λₜ is read again: by further iterations, or after the substep.

    Returns:
        the displacement of the point [m].
    """
    normal = contact.normal
    multiplier, given = contacts.multipliers[k, c], ti.Vector([0.0, 0.0, 0.0])
    if ti.static(keeps):
        if multiplier > 0.0:
            given = contacts.frictions_given[k, c].xyz
    multiplier -= contact.gap
    push = -contact.gap * normal
    slide = point + push - reference - share * contact.carried
    slide -= slide.dot(normal) * normal
    wanted = given - slide
    given_now = wanted * ti.min(1.0, contact.friction * multiplier / ti.max(wanted.norm(), 1e-30))
    contacts.multipliers[k, c] = multiplier
    if ti.static(keeps):
        contacts.frictions_given[k, c] = ti.Vector([given_now[0], given_now[1], given_now[2], 0.0])
    return push + (given_now - given)
