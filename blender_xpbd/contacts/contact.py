# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact within a substep: generate, then resolve.

Whoever finds that two things may touch writes the same record (``record``, ``generate``), and one function resolves all
(``resolve``). What comes after the substep is in ``restitution``.
"""

from typing import Any

import taichi as ti

from ..geometry.collider.bent_cells import SAME_NORMAL
from .clearance import keeps_clearance, note_clearance
from .collider_anchors import anchored_slide
from .depth import allowed_depth
from .generate import LOOKING_BACK, collider_contact, most_faces
from .record import element_inverse_mass, element_point, push_element
from .resolve import resolve_contact
from .restitution import note_contact
from .slots import (
    SLOT_COLLIDER,
    SLOT_FIRST,
    SLOT_FRICTION,
    SLOT_GIVEN,
    SLOT_HEIGHT,
    SLOT_MULTIPLIER,
    SLOT_NORMAL,
    SLOT_SURFACE,
    set_slot_vector,
    slot_of,
    slot_vector,
)
from .tables import BODY_OFFSET, POINT_BODY

# what a touch before the projection takes back of a dent. What it took back whole, elasticity would lift off, and what
# is lifted has no friction: a rubber cube on a slope then creeps by 20 mm in a second (docs/experiments.md, Crushed
# jelly)
EARLY_SHARE = 0.2
# in scenes of grains alone, points whose gap is this share of their offset when a substep begins touch nothing in it,
# for most lie among others, and colliders are asked after each sweep: so many touches stand for none to come
FAR_OFF, OUT_OF_REACH = 1.0, -1


def are_grains_alone(variant: Any) -> bool:
    """Whether nothing but grains moves, and colliders tell how far away they are; ``variant`` as in ``Variant``."""
    moves_others = variant.constraints or variant.has_pairs
    return variant.has_grains and not moves_others and not variant.shapes & LOOKING_BACK


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
            ``has_history`` (BDF2), what of a substep a velocity acts for (``step_share``), whether the multipliers of
            friction are read again (``keeps_friction``), whether contacts are touched before the projection too
            (``touches_early``), whether some body does not see some collider (``chooses``), whether some point
            ``starts_inside``, and whether what sticks is held by anchors (``has_anchors``).
    """
    # where points were when the substep began; BDF2's previous positions are its reference
    elements, weights = ti.static(contacts.elements, contacts.weights)
    starts = ti.static(particles.older_positions if variant.has_history else particles.previous_positions)
    share = ti.static(variant.step_share)
    if is_first_iteration:
        contacts.touches[k] = 0
    inverse_mass = element_inverse_mass(particles, elements, weights, k)
    if inverse_mass > 0.0:
        point = element_point(particles.positions, elements, weights, k)
        # most points touch nothing: without a shape that looks back, these do not need to know where they were
        start = point
        if ti.static(variant.shapes & LOOKING_BACK):
            start = element_point(starts, elements, weights, k)
        # the collider, how many of its faces were met, and the normal of the last one
        c, met, face = 0, 0, ti.Vector([0.0, 0.0, 0.0])
        nearest = 1e30
        while c < colliders.ints.shape[0]:
            allowed = 0.0
            if ti.static(variant.starts_inside):
                allowed = allowed_depth(contacts, k, c, s)
            contact, is_bent = collider_contact(
                particles, contacts, colliders, k, c, s, point, start, allowed, variant.shapes
            )
            slot, is_seen = -1, True
            nearest = ti.min(nearest, contact.gap)
            if ti.static(variant.chooses):
                is_seen = colliders.unseen[elements[k, POINT_BODY], c] == 0
            if ti.static(variant.has_pairs):
                # an open collider would hold the point where it came through
                is_seen = is_seen and contacts.passes[k] != c + 1
            most = most_faces(colliders, c, variant.shapes)
            if is_seen and contact.gap < 0.0 and (met == 0 or face.dot(contact.normal) < SAME_NORMAL):
                slot = slot_of(contacts, k, c, contact.normal, most, variant.keeps_friction)
            if slot >= 0:
                multiplier, given = contacts.slots[k, slot, SLOT_MULTIPLIER], ti.Vector([0.0, 0.0, 0.0])
                if ti.static(variant.keeps_friction):
                    given = slot_vector(contacts, k, slot, SLOT_GIVEN)
                # the reference is where the point would be without its velocity, which makes the way in a ``share`` of
                # the substep. Where it is after the push has less to lose along the normal
                reference = element_point(particles.previous_positions, elements, weights, k)
                gap = contact.gap
                if ti.static(variant.touches_early):
                    if is_first_iteration:
                        gap *= EARLY_SHARE
                slide = point - gap * contact.normal - reference - share * contact.carried
                if ti.static(variant.has_anchors):
                    slide += anchored_slide(contacts, k, c)
                resolved = resolve_contact(contact.normal, gap, slide, contact.friction, multiplier, given)
                contacts.slots[k, slot, SLOT_MULTIPLIER] = resolved.multiplier
                if ti.static(variant.keeps_friction):
                    set_slot_vector(contacts, k, slot, SLOT_GIVEN, resolved.given)
                push_element(particles.positions, particles, elements, weights, k, 1.0 / inverse_mass, resolved.push)
                point += resolved.push
                note_contact(particles, contacts, k, slot, contact, h, gravity_speed, variant.bounces)
                if ti.static(variant.has_pairs or variant.has_anchors):
                    contacts.slots[k, slot, SLOT_FRICTION] = contact.friction
                    set_slot_vector(contacts, k, slot, SLOT_SURFACE, contact.carried / h)
                if ti.static(variant.has_pairs):
                    contacts.slots[k, slot, SLOT_HEIGHT] = contact.normal.dot(point - resolved.push) - contact.gap
                    contacts.slots[k, slot, SLOT_FIRST] = resolved.multiplier
                    set_slot_vector(contacts, k, slot, SLOT_FIRST + 1, resolved.given)
                met, face = met + 1, contact.normal
            # a mesh may have another face where the point is now, such as a wall beside the floor
            if slot < 0 or met == most or not is_bent:
                c, met = c + 1, 0
        if ti.static(keeps_clearance(variant)):
            if contacts.touches[k] == 0:
                note_clearance(particles, contacts, colliders, k, s, point, variant)
        if ti.static(are_grains_alone(variant)):
            if is_first_iteration and nearest > FAR_OFF * particles.bodies[elements[k, POINT_BODY], BODY_OFFSET]:
                contacts.touches[k] = OUT_OF_REACH


@ti.func
def touch_again(particles: ti.template(), contacts: ti.template(), k, h, variant: ti.template()):
    """Hold contact point ``k`` against what it touched in this substep, after something else has pushed it.

    The surfaces are the planes in which they were touched, so no collider is asked. A push that is needless now is
    taken back.

    Args:
        particles: the pack.
        contacts: the pack.
        k: number of the point.
        h: duration of the substep [s].
        variant: as for ``project_contact``.
    """
    elements, weights, slots = ti.static(contacts.elements, contacts.weights, contacts.slots)
    for slot in range(contacts.touches[k]):
        normal, multiplier = slot_vector(contacts, k, slot, SLOT_NORMAL), slots[k, slot, SLOT_MULTIPLIER]
        point = element_point(particles.positions, elements, weights, k)
        height = normal.dot(point) - slots[k, slot, SLOT_HEIGHT]
        if height < 0.0 or multiplier > 0.0:
            carried = (ti.static(variant.step_share) * h) * slot_vector(contacts, k, slot, SLOT_SURFACE)
            slide = point - element_point(particles.previous_positions, elements, weights, k) - carried
            if ti.static(variant.has_anchors):
                slide += anchored_slide(contacts, k, ti.cast(slots[k, slot, SLOT_COLLIDER], ti.i32))
            resolved = resolve_contact(
                normal,
                ti.min(height, multiplier),
                slide,
                slots[k, slot, SLOT_FRICTION],
                multiplier,
                slot_vector(contacts, k, slot, SLOT_GIVEN),
            )
            slots[k, slot, SLOT_MULTIPLIER] = resolved.multiplier
            set_slot_vector(contacts, k, slot, SLOT_GIVEN, resolved.given)
            mass = 1.0 / element_inverse_mass(particles, elements, weights, k)
            push_element(particles.positions, particles, elements, weights, k, mass, resolved.push)


@ti.func
def forget_later_touches(contacts: ti.template(), k):
    """Let the multipliers of contact point ``k`` be those before ``touch_again``: what pairs pushed was put back."""
    for slot in range(contacts.touches[k]):
        contacts.slots[k, slot, SLOT_MULTIPLIER] = contacts.slots[k, slot, SLOT_FIRST]
        set_slot_vector(contacts, k, slot, SLOT_GIVEN, slot_vector(contacts, k, slot, SLOT_FIRST + 1))
