# SPDX-License-Identifier: GPL-3.0-or-later
"""The stages of contact between bodies, turn by turn, for ``team_kernels``."""

import taichi as ti

from ..order.stages import (
    ACT,
    BEGIN_LIMIT,
    BEGIN_PAIRS,
    CHECK_WINDOW,
    CLOSE_ISLANDS,
    COUNT_PAIRS,
    DETAIL,
    FIND_NEAR,
    FIRST,
    KEEP_SPINS,
    LIMIT,
    MEASURE_ISLANDS,
    MEASURE_MEANS,
    NOTE_CANDIDATES,
    NOTE_PLACES,
    OPEN_LIST,
    OPEN_WINDOW,
    REOPEN_WINDOW,
    SETTLE_PAIRS,
    SLIDE,
    SLIDES,
    SPAN_BEGIN,
    SPAN_OF,
    TOUCH_PAIRS,
    TRUNCATE,
    TURNS,
)
from ..windows.clear_functions import note_places_share
from ..windows.island_functions import begin_limit_share, close_islands, measure_islands, slide_share, truncate_share
from ..windows.island_spins import keep_spins, note_spins
from ..windows.list_functions import check_list_share, open_list_share
from ..windows.pair_tables import IS_IN_DOUBT
from ..windows.window_functions import begin_share, check_share, note_share, open_share, reopen_share
from .functions import projection_step
from .near_functions import find_near_task
from .pair_functions import count_pushing, judge_task, limit_task
from .sweep_functions import keep_anchors, settle_task, touch_pair_task


@ti.func
def take_pair_turn(world: ti.template(), order: ti.template(), stage, turn, substep, variant: ti.template()):
    """Do one turn of a stage of contact between bodies, but for PLACE_VERTICES."""
    mode = ti.static(variant.mode)
    # where particles were when the substep began; BDF2's previous positions are its reference
    starts = ti.static(world.particles.older_positions if variant.has_history else world.particles.previous_positions)
    act, turns, h = order.stages[stage, ACT], order.stages[stage, TURNS], order.duration[0]
    task, detail = order.stages[stage, FIRST] + turn, order.stages[stage, DETAIL]
    if act == BEGIN_PAIRS:
        begin_share(world.particles, world.pairs, turn, turns, detail, variant)
    if act == NOTE_CANDIDATES:
        note_share(world, turn, turns, variant)
    if act == MEASURE_ISLANDS:
        measure_islands(world.particles, starts, world.pairs, world.pairs.frames)
    if act == OPEN_WINDOW:
        open_share(world.particles, starts, world.pairs, turn, turns, detail, h, mode)
        check_list_share(starts, world.pairs, turn, turns, substep)
    if act == OPEN_LIST:
        open_list_share(starts, world.pairs, turn, turns, order.span[SPAN_OF], h)
    if act == FIND_NEAR:
        find_near_task(world.particles, starts, world.pairs, task, substep, h, variant.embeds)
    if act == TOUCH_PAIRS:
        touch_pair_task(world.particles, starts, world.contacts, world.pairs, task, detail, h, variant)
    if act == CHECK_WINDOW:
        check_share(world.particles, world.pairs, turn, turns, substep)
    if act == REOPEN_WINDOW:
        reopen_share(world, turn, turns, variant.shapes)
    if act == MEASURE_MEANS:
        measure_islands(world.particles, starts, world.pairs, world.pairs.means)
        if ti.static(not variant.has_history):
            note_spins(world.particles, starts, world.pairs)
    if act == BEGIN_LIMIT:
        begin_limit_share(world.particles, starts, world.pairs, turn, turns)
    if act == LIMIT:
        limit_task(starts, world.pairs, task, detail == SLIDES, variant.embeds)
    if act == SLIDE:
        slide_share(world.particles, starts, world.pairs, turn, turns)
    if act == TRUNCATE:
        truncate_share(world.particles, starts, world.pairs, turn, turns)
    if act == CLOSE_ISLANDS:
        close_islands(world.particles, starts, world.pairs)
    if act == SETTLE_PAIRS:
        if detail == 0 and world.pairs.told[IS_IN_DOUBT] == 1:
            judge_task(world.particles, starts, world.pairs, task, variant.embeds)
        inverse_h = projection_step(h, 0, 0, mode)[2]
        settle_task(world.particles, starts, world.contacts, world.pairs, task, detail, inverse_h, h, variant)
    if ti.static(not variant.has_history):
        if act == KEEP_SPINS:
            keep_spins(world.particles, world.pairs)
    if act == COUNT_PAIRS:
        count_pushing(world.pairs)
        keep_anchors(world.pairs)
    if act == NOTE_PLACES:
        note = substep - order.span[SPAN_BEGIN] // order.stages.shape[0] + detail
        # what ends a substep begins the next one
        if note == 0 or detail == 1:
            note_places_share(world.particles, world.pairs, turn, turns, note)
