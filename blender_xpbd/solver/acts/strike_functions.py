# SPDX-License-Identifier: GPL-3.0-or-later
"""Impacts of hard pieces on other solids in a substep, by one thread; see ``contacts.pairs.strike``."""

import taichi as ti

from ...contacts.impact import LEAST_CHANGE, MOST_SWEEPS, RESTING
from ...contacts.pairs.push import external_speed
from ...contacts.pairs.strike import (
    aim_strike,
    comes_fast,
    knows_struck,
    may_strike,
    note_struck,
    strike_pair,
    take_back_push,
)
from ...contacts.pairs.struck_motion import IS_STRUCK, begin_strike, end_strike, is_struck, part_piece
from ...contacts.pairs.tables import MULTIPLIER, NEAR_WIDTH, SETTLED
from ...device.apart import apart
from ..windows.pair_tables import PUSHING
from .pair_functions import count_pair

# what goes over the near pairs, one after the other: note what is struck fast, and what hangs together with it; take
# pushes back; aim; strike, again and again; and leave the pairs as if they had not pushed
NOTE_FAST, NOTE_ALL, TAKE_BACK, AIM, STRIKE, LEAVE, OVER = range(7)


@apart
def strike_pieces(
    particles: ti.template(),
    starts: ti.template(),
    pairs: ti.template(),
    pieces: ti.template(),
    h,
    variant: ti.template(),
):
    """Let hard pieces that other solids hit in the substep part from them, before moves are truncated."""
    for piece in range(pieces.struck_rows.shape[0]):
        pieces.struck_motions[piece, IS_STRUCK] = 0.0
    act, sweep, approach = NOTE_FAST, 0, ti.cast(0.0, float)
    # each act is written once: Taichi compiles functions anew wherever they are called
    while act < OVER:
        told = ti.cast(0.0, float)
        for task in range(pairs.near_counts.shape[0]):
            first = pairs.pair_starts[task]
            for n in range(first, first + pairs.near_counts[task]):
                told = ti.max(told, _go_over(particles, starts, pairs, pieces, act, n, h, variant))
        act, sweep, approach = _next(act, sweep, told, approach)
        if act == AIM or act == OVER:
            for piece in range(pieces.struck_rows.shape[0]):
                if is_struck(pieces, piece):
                    if act == AIM:
                        begin_strike(particles, starts, pairs.moves, pieces, piece, h)
                    else:
                        end_strike(particles, starts, pieces, piece, h)


@ti.func
def _go_over(
    particles: ti.template(),
    starts: ti.template(),
    pairs: ti.template(),
    pieces: ti.template(),
    act,
    n,
    h,
    variant: ti.template(),
):
    """Do an act for near pair ``n``; what it tells."""
    told, resting = ti.cast(0.0, float), ti.cast(0.0, float)
    if act == NOTE_FAST or act == AIM:
        resting = RESTING * external_speed(particles, pairs, pairs, n, h, variant)
    if act <= TAKE_BACK and may_strike(pairs, pairs, pieces, n, variant.embeds):
        is_known = knows_struck(pairs, pairs, pieces, n, variant.embeds)
        if act == NOTE_FAST:
            is_known = comes_fast(pairs.start_velocities, pairs, pairs, n, resting, variant.embeds)
        if is_known and act < TAKE_BACK:
            told = ti.cast(note_struck(pairs, pairs, pieces, n, variant.embeds), float)
        if is_known and act == TAKE_BACK:
            count_pair(pairs, n, PUSHING)
            take_back_push(particles, pairs, pairs, n, variant.embeds)
    if act > TAKE_BACK and pairs.near_floats[n * NEAR_WIDTH + SETTLED] < 0.0:
        if act == AIM:
            told = aim_strike(particles, starts, pairs, pairs, pieces, n, resting, 1.0 / h, variant.embeds)
        elif act == STRIKE:
            told = strike_pair(particles, starts, pairs, pairs, pieces, n, 1.0 / h, variant.embeds)
        else:
            pairs.near_floats[n * NEAR_WIDTH + MULTIPLIER] = 0.0
    return told


@ti.func
def _next(act, sweep, told, approach):
    """The act that follows one, with the number of strikes so far and the greatest approach [m/s]."""
    following = act + 1
    if act == NOTE_FAST and told == 0.0:
        following = OVER
    elif act == NOTE_ALL and told > 0.0:
        following = NOTE_ALL
    elif act == AIM:
        approach = told
    elif act == STRIKE:
        sweep += 1
        if told > LEAST_CHANGE * approach and sweep < MOST_SWEEPS:
            following = STRIKE
    return following, sweep, approach


@apart
def part_pieces(particles: ti.template(), pieces: ti.template(), h):
    """Give struck pieces the velocities with which they part."""
    for piece in range(pieces.struck_rows.shape[0]):
        if is_struck(pieces, piece):
            part_piece(particles, pieces, piece, 1.0 / h)
