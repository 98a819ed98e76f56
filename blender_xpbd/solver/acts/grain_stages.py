# SPDX-License-Identifier: GPL-3.0-or-later
"""The stages of grains and of attraction, turn by turn."""

import taichi as ti

from ...contacts.external import external_acceleration
from ...contacts.grains.gather import gather_contacts
from ...contacts.grains.listing import check_grains, list_grains, sort_grains
from ...contacts.grains.push import rest_grain, settle_slab, sweep_slab
from ...contacts.grains.tables import GRAIN_PARTICLE
from ...device.apart import apart
from ...forces.attraction import attraction_at
from ...forces.tables import ACTS_FIELD
from ..order.stages import (
    ACT,
    CHECK_GRAINS,
    DETAIL,
    FIRST,
    GATHER_GRAINS,
    LIST_GRAINS,
    REST_GRAINS,
    SETTLE_GRAINS,
    SORT_GRAINS,
    TOUCH_GRAINS,
    TURNS,
)


@ti.func
def take_grain_turn(
    particles: ti.template(),
    contacts: ti.template(),
    pairs: ti.template(),
    order: ti.template(),
    stage,
    turn,
    substep,
    h,
    variant: ti.template(),
):
    """Do one turn of a stage, if it is one of grains."""
    act, turns = order.stages[stage, ACT], order.stages[stage, TURNS]
    # where particles were when the substep began; BDF2's previous positions are its reference
    starts = ti.static(particles.older_positions if variant.has_history else particles.previous_positions)
    slab = 2 * turn + order.stages[stage, FIRST]
    if act == CHECK_GRAINS:
        check_grains(particles, pairs, turn, turns, substep)
    if act == SORT_GRAINS:
        sort_grains(particles, pairs, substep)
    if act == LIST_GRAINS:
        list_grains(particles, pairs, turn, turns, substep)
    if act == GATHER_GRAINS:
        gather_contacts(particles, starts, pairs, slab, h, variant)
    if act == TOUCH_GRAINS:
        sweep_slab(particles, pairs, slab, order.stages[stage, DETAIL])
    if act == REST_GRAINS:
        rest_share(particles, starts, contacts, pairs, turn, turns, h, variant)
    if act == SETTLE_GRAINS:
        settle_slab(particles, pairs, slab, h)


@apart
def attract_share(particles: ti.template(), pairs: ti.template(), turn, turns, substep):
    """What attraction does to one of ``turns`` equal shares of the particles, added to ``pushes``."""
    starts = ti.static(particles.body_starts)
    count = starts[particles.bodies.shape[0]]
    first, last = count * turn // turns, count * (turn + 1) // turns
    for b in range(particles.bodies.shape[0]):
        duration = particles.acts[substep, b, ACTS_FIELD]
        for i in range(ti.max(starts[b], first), ti.min(starts[b + 1], last)):
            if particles.positions[i][3] > 0.0:
                change = duration * attraction_at(particles, pairs, i)
                particles.pushes[i] = particles.pushes[i] + ti.Vector([change[0], change[1], change[2], 0.0])


@apart
def rest_share(
    particles: ti.template(),
    starts: ti.template(),
    contacts: ti.template(),
    pairs: ti.template(),
    turn,
    turns,
    h,
    variant: ti.template(),
):
    """Leave those of one of ``turns`` equal shares of the grains where they were that hardly moved."""
    count = pairs.grain_ints.shape[0]
    for g in range(count * turn // turns, count * (turn + 1) // turns):
        speed = external_acceleration(particles, pairs.grain_ints[g, GRAIN_PARTICLE], h, variant).norm() * h
        rest_grain(particles, starts, contacts, pairs, g, speed, h)
