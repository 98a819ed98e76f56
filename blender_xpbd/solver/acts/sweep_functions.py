# SPDX-License-Identifier: GPL-3.0-or-later
"""Sweeps over near pairs, and over what colliders hold: which pairs and points each of them asks.

Where bodies are embedded, the first sweep of a substep gives the forces of the one before again. A whole sweep asks
all pairs, and lists those that push or will soon. The sweeps after it ask only these, and of them only pairs of which
a particle was pushed since. When they are calm, a whole sweep looks whether all are. Most near pairs never push, and
most that push are right after two or three sweeps. ``pairs`` is the pack ``packs.Pairs``.
"""

from typing import Any

import taichi as ti

from ...contacts.contact import touch_again
from ...contacts.pairs.anchors import forget_anchors, keep_anchor, note_slide
from ...contacts.pairs.press import note_force, press_pair
from ...contacts.pairs.push import external_speed
from ...contacts.pairs.settle import PARTED, REBOUNDED, settle_pair
from ...contacts.pairs.tables import FORCE, MULTIPLIER, NEAR_FRICTION, NEAR_WIDTH
from ...contacts.pairs.touch import IS_BUSY, IS_LISTED, IS_STILL, touch_pair, was_pushed
from ...device.apart import apart
from ..order.stages import MOST_SWEEPS
from ..windows.pair_tables import PUSHING, SETTLING_SWEEPS, SWEPT
from .pair_functions import count_pair, keeps_force

# which pairs a sweep asks; those that are pressed it only pushes by what they had
NONE, LISTED, ALL, PRESSED = range(4)
# what a sweep tells the next one, the greatest of all tasks: it asked what was listed, or all, and had nothing to push;
# or it had
CALM_LISTED, CALM_ALL, BUSY = range(3)
CODES = 4

# of the force of a pair in the substep before, what is left where it lost its backing. What lies on light cloth loses
# and finds it from substep to substep: with 0 an odd body on cloth lacks 57 % of its gap, with ½ 8, with 1 24. Chosen
# by trying
FORGOTTEN = 0.5
# how often at most the pairs of a task are settled within a sweep, where some come apart
PARTING_SWEEPS = 32


def may_be_backed(variant: Any) -> bool:
    """Whether a collider may stand behind the light side of a pair; ``variant`` as in ``Variant``."""
    return variant.embeds and variant.shapes != 0


@ti.func
def sweep_code(sweep, answer):
    """What ``told`` keeps of a sweep; greater for later ones."""
    return CODES * (sweep + 1) + answer


@ti.func
def asked(pairs: ti.template(), sweep):
    """Which pairs a sweep asks, by what the one before told; other tasks of this one may have told already."""
    result = NONE
    before = pairs.told[SWEPT + (sweep + 1) % 2] - CODES * sweep
    if sweep % MOST_SWEEPS == 0 or before == CALM_LISTED:
        result = ALL
    elif before == BUSY:
        result = LISTED
    return result


@apart
def touch_pair_task(
    particles: ti.template(),
    starts: ti.template(),
    contacts: ti.template(),
    pairs: ti.template(),
    task,
    sweep,
    h,
    variant: ti.template(),
):
    """Push the near pairs of a task apart; of listed ones, in every other sweep from the last one to the first."""
    embeds, backs = ti.static(variant.embeds, may_be_backed(variant))
    scope, first, answer = asked(pairs, sweep), pairs.pair_starts[task], CALM_LISTED
    count, listed = 0, 0
    if ti.static(embeds):
        # what it answers lets the next one ask all
        if sweep == 0:
            scope = PRESSED
            for n in range(first, first + pairs.near_counts[task]):
                press_pair(particles, pairs, contacts, pairs, n, h, embeds, backs)
    if scope == ALL:
        answer, count = CALM_ALL, pairs.near_counts[task]
    elif scope == LISTED:
        count = pairs.listed_counts[task]
    for m in range(count):
        n = first + m
        if scope == LISTED:
            n = pairs.near_listed[first + (m if sweep % 2 == 0 else count - 1 - m)]
        if scope == ALL or was_pushed(pairs, pairs, n, sweep, embeds):
            found = touch_pair(particles, starts, pairs, contacts, pairs, n, sweep, embeds, backs)
            if found == IS_BUSY:
                answer = BUSY
            if scope == ALL and found >= IS_LISTED:
                pairs.near_listed[first + listed] = n
                listed += 1
    if scope == ALL:
        pairs.listed_counts[task] = listed
    if scope != NONE:
        ti.atomic_max(pairs.told[SWEPT + sweep % 2], sweep_code(sweep, answer))


@apart
def touch_again_task(world: ti.template(), order: ti.template(), task, sweep, h, variant: ti.template()):
    """Hold the contact points of a task against what they touched in this substep, where a sweep has pushed them.

    An iteration's first sweep lists those that touch anything and that pairs may push.
    """
    starts, segments = ti.static(order.contact_segment_starts, order.contact_segments)
    points, counts = ti.static(world.pairs.held_points, world.pairs.held_counts)
    if world.pairs.told[SWEPT + sweep % 2] >= sweep_code(sweep, 0):
        for segment in range(starts[task], starts[task + 1]):
            first = segments[segment, 0]
            if sweep % MOST_SWEEPS == 0:
                held = 0
                for k in range(first, segments[segment, 1]):
                    points[first + held] = k
                    if world.contacts.touches[k] > 0:
                        held += ti.cast(may_be_pushed(world.contacts, world.pairs, k), ti.i32)
                counts[segment] = held
            for m in range(first, first + counts[segment]):
                if is_stirred(world.particles, world.contacts, world.pairs, points[m], sweep):
                    touch_again(world.particles, world.contacts, points[m], h, variant)


@ti.func
def may_be_pushed(contacts: ti.template(), pairs: ti.template(), k):
    """Whether a sweep of this substep may push contact point ``k``; one of several particles others may push on."""
    return contacts.weights[k, 0] != 1.0 or pairs.pushed[contacts.elements[k, 0]] != IS_STILL


@ti.func
def is_stirred(particles: ti.template(), contacts: ti.template(), pairs: ti.template(), k, sweep):
    """Whether a sweep has pushed contact point ``k``; then it has pushed all that carries it."""
    elements, weights = ti.static(contacts.elements, contacts.weights)
    last = pairs.pushed[elements[k, 0]]
    # most are carried by a single particle
    if weights[k, 0] != 1.0:
        for j in range(1, 4):
            if weights[k, j] != 0.0:
                last = ti.max(last, pairs.pushed[elements[k, j]])
    if last > sweep:
        for j in range(4):
            if weights[k, j] != 0.0 and particles.positions[elements[k, j]][3] > 0.0:
                pairs.pushed[elements[k, j]] = last
    return last > sweep


@ti.func
def _note_push(
    particles: ti.template(),
    starts: ti.template(),
    contacts: ti.template(),
    pairs: ti.template(),
    n,
    h,
    variant: ti.template(),
):
    """Note what is left of the slide of near pair ``n``, the force between its sides, and that it pushed."""
    if pairs.near_floats[n * NEAR_WIDTH + NEAR_FRICTION] > 0.0:
        note_slide(particles, starts, pairs, pairs, n, variant.embeds)
    if ti.static(variant.embeds):
        if keeps_force(particles, pairs, n):
            backs = ti.static(may_be_backed(variant))
            note_force(particles, pairs, contacts, pairs, n, h, variant.embeds, backs)
        else:
            pairs.near_floats[n * NEAR_WIDTH + FORCE] *= FORGOTTEN
    count_pair(pairs, n, PUSHING)


@apart
def settle_task(
    particles: ti.template(),
    starts: ti.template(),
    contacts: ti.template(),
    pairs: ti.template(),
    task,
    sweep,
    inverse_h,
    h,
    variant: ti.template(),
):
    """Velocities of the near pairs of a task after the push; once, what is left of slides, and how many pushed."""
    if sweep == 0 or pairs.told[SETTLING_SWEEPS] >= sweep:
        # what pushed is listed
        first, count, asked, number, last = pairs.pair_starts[task], pairs.listed_counts[task], 0, sweep, sweep + 1
        while number < last:
            parted = 0
            for m in range(count):
                n = pairs.near_listed[first + (m if number % 2 == 0 else count - 1 - m)]
                if pairs.near_floats[n * NEAR_WIDTH + MULTIPLIER] > 0.0:
                    if number == 0:
                        _note_push(particles, starts, contacts, pairs, n, h, variant)
                    speed = external_speed(particles, pairs, pairs, n, h, variant)
                    asks = settle_pair(particles, pairs, pairs, n, inverse_h, speed, variant.embeds)
                    asked, parted = asked | asks, parted | (asks & PARTED)
            number += 1
            if sweep == 0 and parted > 0:
                last = ti.min(number + 1, PARTING_SWEEPS)
        if asked & REBOUNDED:
            ti.atomic_max(pairs.told[SETTLING_SWEEPS], sweep + 1)


@apart
def keep_anchors(pairs: ti.template()):
    """Let the anchors be those that near pairs leave behind."""
    forget_anchors(pairs)
    for task in range(pairs.near_counts.shape[0]):
        first = pairs.pair_starts[task]
        for m in range(first, first + pairs.listed_counts[task]):
            keep_anchor(pairs, pairs.near_listed[m])
