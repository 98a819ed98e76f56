# SPDX-License-Identifier: GPL-3.0-or-later
"""What a substep does, stage by stage: the one table that processors and graphics cards follow.

| act | what happens | in ``step`` of ``tests/reference/xpbd.py`` |
|---|---|---|
| PREDICT | gravity and drag change velocities, these move particles | ``v = (v + h g) exp(-drag h)``, ``x + h v`` |
| PLACE_TARGETS | pinned particles go on their way | ``x[particle] = target`` |
| SOLVE_LEVELS | pulls go far through stiff cloth, by its coarse levels | – |
| PROJECT | constraints move particles, one after the other | ``solve(constraint, …)`` |
| TOUCH | colliders push points out, and hold them by friction | – |
| UPDATE_VELOCITIES | how far particles came is their velocity | ``(x - start) / h`` |
| REBOUND | points that hit a collider bounce | – |
| BOUNCE | compact pieces bounce as a whole | – |
| DAMP | once, in the last substep of a frame: bodies lose internal motion | ``damp_internal_motion`` |

The turns of a stage share no movable particle, so they may be done in any order or at once; a stage begins when all
turns of the one before are done. A team of threads claims turn by turn (``team_kernels``); for a graphics card a stage
is a launch, or several where its turns are divided by colour (``colour_path``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .tasks import MOST_PARTS, ROUNDS

# the acts
PREDICT, PLACE_TARGETS, SOLVE_LEVELS, PROJECT, TOUCH, UPDATE_VELOCITIES, REBOUND, BOUNCE, DAMP = range(9)
# columns of a stage
ACT, TURNS, FIRST, DETAIL = range(4)


class Stage(NamedTuple):
    """A stage: so many turns of one act.

    Attributes:
        act: what its turns do.
        turns: how many there are.
        first: task of the first turn, or for SOLVE_LEVELS the first chain of operations.
        detail: for PROJECT and TOUCH the iteration, for SOLVE_LEVELS into how many shares a chain is divided.
    """

    act: int
    turns: int
    first: int = 0
    detail: int = 0


def substep_stages(
    part_count: int,
    iterations: int,
    has_targets: bool,
    has_contacts: bool,
    level_stages: Sequence[tuple[int, int, int]] = (),
    piece_count: int = 0,
    damped_count: int = 0,
) -> tuple[Stage, ...]:
    """The stages of a substep.

    Args:
        part_count: parts of ``tasks.Parts``; what does not go by tasks goes by as many equal parts.
        iterations: per substep.
        has_targets: whether particles follow a given motion.
        has_contacts: whether there are colliders.
        level_stages: of the coarse levels, as in ``LevelOperations``.
        piece_count: compact pieces that bounce as a whole; a turn takes an equal share of them.
        damped_count: bodies, where the internal motion of some is damped; likewise.

    Raises:
        ValueError: more turns than ``MOST_PARTS`` in a stage.
    """
    rounds, contact_rounds = _rounds(part_count, ROUNDS), _rounds(part_count, 1)
    stages = [Stage(PREDICT, part_count)]
    if has_targets:
        stages += [Stage(PLACE_TARGETS, 1)]
    stages += [Stage(SOLVE_LEVELS, chains * shares, chain, shares) for chain, chains, shares in level_stages]
    for iteration in range(iterations):
        stages += [Stage(PROJECT, turns, first, iteration) for turns, first in rounds]
        if has_contacts:
            stages += [Stage(TOUCH, turns, first, iteration) for turns, first in contact_rounds]
    stages += [Stage(UPDATE_VELOCITIES, part_count)]
    if has_contacts:
        stages += [Stage(REBOUND, turns, first) for turns, first in contact_rounds]
    if piece_count:
        stages += [Stage(BOUNCE, min(piece_count, MOST_PARTS))]
    if damped_count:
        stages += [Stage(DAMP, min(damped_count, MOST_PARTS))]
    most = max(stage.turns for stage in stages)
    if most > MOST_PARTS:
        raise ValueError(f"a stage has {most} turns, more than can be claimed")
    return tuple(stages)


def _rounds(part_count: int, count: int) -> list[tuple[int, int]]:
    """Turns and first task of each round; what reaches across all cuts is left to a single turn."""
    if part_count == 1:
        return [(1, 0)]
    return [*((part_count, number * part_count) for number in range(count)), (1, count * part_count)]
