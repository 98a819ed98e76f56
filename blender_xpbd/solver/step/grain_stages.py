# SPDX-License-Identifier: GPL-3.0-or-later
"""The stages of grains, turn by turn."""

import taichi as ti

from ...contacts.external import external_acceleration
from ...contacts.grains.listing import check_grains, list_grains, sort_grains
from ...contacts.grains.push import rest_grain, settle_slab, sweep_slab
from ...contacts.grains.tables import GRAIN_PARTICLE
from ..order.stages import (
    ACT,
    CHECK_GRAINS,
    DETAIL,
    FIRST,
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
        check_grains(particles, contacts, turn, turns, substep)
    if act == SORT_GRAINS:
        sort_grains(particles, contacts, substep)
    if act == LIST_GRAINS:
        list_grains(particles, contacts, turn, turns, substep)
    if act == TOUCH_GRAINS:
        sweep_slab(particles, starts, contacts, slab, order.stages[stage, DETAIL], h, variant)
    if act == REST_GRAINS:
        rest_share(particles, starts, contacts, turn, turns, h, variant)
    if act == SETTLE_GRAINS:
        settle_slab(particles, starts, contacts, slab, particles.gravity[0].norm() * h)


@ti.func
def rest_share(
    particles: ti.template(), starts: ti.template(), contacts: ti.template(), turn, turns, h, variant: ti.template()
):
    """Leave those of one of ``turns`` equal shares of the grains where they were that hardly moved."""
    count = contacts.grain_ints.shape[0]
    for g in range(count * turn // turns, count * (turn + 1) // turns):
        speed = external_acceleration(particles, contacts.grain_ints[g, GRAIN_PARTICLE], h, variant).norm() * h
        rest_grain(particles, starts, contacts, g, speed, h)
