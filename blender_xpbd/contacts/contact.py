# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact within a substep: generate, then resolve.

Whoever finds that two things may touch writes the same record (``record``, ``generate``), and one function resolves all
(``resolve``). What comes after the substep is in ``restitution``.
"""

import taichi as ti

from .generate import LOOKING_BACK, collider_contact
from .record import element_inverse_mass, element_point, push_element
from .resolve import resolve_contact
from .restitution import note_contact


@ti.func
def project_contact(
    particles: ti.template(),
    contacts: ti.template(),
    colliders: ti.template(),
    k,
    s,
    h,
    gravity_speed,
    is_first_iteration,
    variant: ti.template(),
):
    """Project contact point ``k`` against every collider in substep ``s``; remember what the velocity step needs.

    Args:
        particles: the pack.
        contacts: the pack.
        colliders: the pack.
        k: number of the point.
        s: of the substep.
        h: its duration [s].
        gravity_speed: what gravity adds in it [m/s].
        is_first_iteration: whether multipliers begin anew.
        variant: static: which ``shapes`` there are, whether pieces bounce (``bounces``), whether the integration
            ``has_history`` (BDF2), and whether the multipliers of friction are read again (``keeps_friction``).
    """
    # where points were when the substep began; BDF2's previous positions are its reference
    elements, weights = ti.static(contacts.elements, contacts.weights)
    starts = ti.static(particles.older_positions if variant.has_history else particles.previous_positions)
    share = ti.static(2.0 / 3.0 if variant.has_history else 1.0)
    if is_first_iteration:
        for c in range(colliders.ints.shape[0]):
            contacts.multipliers[k, c] = 0.0
    inverse_mass = element_inverse_mass(particles, elements, weights, k)
    if inverse_mass > 0.0:
        point = element_point(particles.positions, elements, weights, k)
        # most points touch nothing: without a shape that looks back, these do not need to know where they were
        start = point
        if ti.static(variant.shapes & LOOKING_BACK):
            start = element_point(starts, elements, weights, k)
        for c in range(colliders.ints.shape[0]):
            contact = collider_contact(particles, contacts, colliders, k, c, s, point, start, variant.shapes)
            if contact.gap < 0.0:
                multiplier, given = contacts.multipliers[k, c], ti.Vector([0.0, 0.0, 0.0])
                if ti.static(variant.keeps_friction):
                    if multiplier > 0.0:
                        given = contacts.frictions_given[k, c].xyz
                # the reference is where the point would be without its velocity, which makes the way in a ``share`` of
                # the substep. Where it is after the push has less to lose along the normal
                reference = element_point(particles.previous_positions, elements, weights, k)
                slide = point - contact.gap * contact.normal - reference - share * contact.carried
                resolved = resolve_contact(contact.normal, contact.gap, slide, contact.friction, multiplier, given)
                contacts.multipliers[k, c] = resolved.multiplier
                if ti.static(variant.keeps_friction):
                    given = resolved.given
                    contacts.frictions_given[k, c] = ti.Vector([given[0], given[1], given[2], 0.0])
                push_element(particles.positions, particles, elements, weights, k, 1.0 / inverse_mass, resolved.push)
                point += resolved.push
                note_contact(particles, contacts, k, c, contact, h, gravity_speed, variant.bounces)
