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
    starts = ti.static(particles.older_positions if variant.has_history else particles.previous_positions)
    share = ti.static(2.0 / 3.0 if variant.has_history else 1.0)
    if is_first_iteration:
        for c in range(colliders.ints.shape[0]):
            contacts.multipliers[k, c] = 0.0
    if element_inverse_mass(particles, contacts, k) > 0.0:
        point = element_point(particles.positions, contacts, k)
        # most points touch nothing: without a shape that looks back, these do not need to know where they were
        start = point
        if ti.static(variant.shapes & LOOKING_BACK):
            start = element_point(starts, contacts, k)
        for c in range(colliders.ints.shape[0]):
            contact = collider_contact(particles, contacts, colliders, k, c, s, point, start, variant.shapes)
            if contact.gap < 0.0:
                reference = element_point(particles.previous_positions, contacts, k)
                push = resolve_contact(contacts, k, c, contact, point, reference, share, variant.keeps_friction)
                push_element(particles.positions, particles, contacts, k, push)
                point += push
                note_contact(particles, contacts, k, c, contact, h, gravity_speed, variant.bounces)
