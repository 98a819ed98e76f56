# SPDX-License-Identifier: GPL-3.0-or-later
"""Resolves a contact, whatever its two sides are: non-penetration and Coulomb friction.

C = n·(x_a − x_b) − gap ≥ 0, Δx = n Δλₙ (PBD 2007, §3.4). Friction takes back the tangential motion of a relative to b
by a multiplier of its own, λₜ, of which the sum over all iterations of a substep is at most μ λₙ (Coulomb's law for the
impulses of the substep; Macklin et al. 2014, §6.1, has it for a single iteration). Both multipliers are displacements
of a relative to b [m]; their impulses are λ / (h (w_a + w_b)), with the inverse masses w of the sides. No table and no
mass is known here: who calls shares the push by w, which leaves all of it to a where b is a collider.
"""

import taichi as ti

# a contact slips from this share of its cone on, for rounding must not decide whether it does
SLIPS = 0.999


@ti.func
def resolve_contact(normal, gap, slide, friction, multiplier, given):
    """How two sides that are too near part, and slide less.

    Args:
        normal: unit vector from side b to side a.
        gap: C [m], negative.
        slide: displacement of a relative to b over the substep so far [m]; what of it is along the normal does not
            count.
        friction: Coulomb's μ of the pair.
        multiplier: λₙ of the substep so far [m]; 0 when it begins.
        given: λₜ of the substep so far [m], likewise.

    Returns:
        ``push``, by which a moves relative to b [m], and ``multiplier`` and ``given`` with it.
    """
    push = -gap * normal
    multiplier_now = multiplier - gap
    tangential = slide - slide.dot(normal) * normal
    wanted = given - tangential
    given_now = wanted * ti.min(1.0, friction * multiplier_now / ti.max(wanted.norm(), 1e-30))
    return ti.Struct(push=push + (given_now - given), multiplier=multiplier_now, given=given_now)
