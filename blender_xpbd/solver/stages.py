# SPDX-License-Identifier: GPL-3.0-or-later
"""What a substep does, stage by stage, as a table that ``team_kernels`` follows.

The turns of a stage share no movable particle, so any thread may take any of them at any time; a stage begins when all
turns of the one before are done.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .hierarchy_tables import BELOW_COUNT, COUNT, IS_FINEST, LINK_COUNT, SWEEPS, HierarchyTables
from .tasks import ROUNDS

Ints = npt.NDArray[np.int32]

# what a turn does
PREDICT, PLACE, RESTRICT, CHAIN, PULL, NOTE, PROLONG, PROJECT, TOUCH, MOVE, REBOUND = range(11)
# columns: what its turns do, how many there are, the task or share of the first one, iteration or sweep,
# and for coarse levels which one and its links from FIRST_PULL to LAST_PULL
DOES, TURNS, FIRST_TASK, ITERATION, LEVEL, FIRST_PULL, LAST_PULL = range(7)
# levels of fewer links are done by one thread, one level after the other
FEWEST_LINKS = 1500
# what a turn takes at least: enough to be worth the claim
LINKS_PER_TURN, VERTICES_PER_TURN = 100, 400


def substep_stages(
    part_count: int, iterations: int, has_targets: bool, has_contacts: bool, levels: Sequence[Sequence[int]] = ()
) -> Ints:
    """The stages of a substep, shape (stages, 7).

    Args:
        part_count: parts of ``tasks.Parts``; what does not go by tasks goes by as many equal parts.
        iterations: per substep.
        has_targets: whether particles follow a given motion.
        has_contacts: whether there are colliders.
        levels: stages of the coarse levels, from ``level_stages``.
    """
    # what reaches across all cuts is left to a single turn
    rest = [1] * (part_count > 1)
    stages: list[Sequence[int]] = [(PREDICT, part_count)]
    if has_targets:
        stages.append((PLACE, 1))
    stages += levels
    rounds = [part_count] * (ROUNDS if rest else 1) + rest
    for iteration in range(iterations):
        stages += [(PROJECT, turns, number * part_count, iteration) for number, turns in enumerate(rounds)]
        if has_contacts:
            stages += [
                (TOUCH, turns, number * part_count, iteration) for number, turns in enumerate([part_count, *rest])
            ]
    stages.append((MOVE, part_count))
    if has_contacts:
        stages += [(REBOUND, turns, number * part_count) for number, turns in enumerate([part_count, *rest])]
    return np.array([(*stage, *[0] * (7 - len(stage))) for stage in stages], np.int32)


def level_stages(tables: HierarchyTables, part_count: int) -> tuple[list[tuple[int, ...]], Ints]:
    """The stages of the cycle over the coarse levels.

    Great levels are stages of their own, colour by colour. The others of a body, which are coarser, are a *chain* that
    is one turn.

    Returns:
        Stages, and per chain its first level and the one after its last, shape (chains, 2).
    """
    down: list[tuple[int, ...]] = []
    up: list[list[tuple[int, ...]]] = []
    chains = []
    for first, last in _bodies(tables):
        split = first
        while part_count > 1 and split < last and tables.levels[split, LINK_COUNT] >= FEWEST_LINKS:
            split += 1
        for level in range(first, split):
            down.append(
                (RESTRICT, _turns(int(tables.levels[level, COUNT]), VERTICES_PER_TURN, part_count), 0, 0, level)
            )
            up.append(_solve(tables, level, part_count))
        if split < last:
            chains.append((split, last))
    chain = [(CHAIN, len(chains))] if chains else []
    return [*down, *chain, *itertools.chain(*reversed(up))], np.array(chains, np.int32).reshape(-1, 2)


def _bodies(tables: HierarchyTables) -> list[tuple[int, int]]:
    """First level of each body and the one after its last."""
    firsts = [*np.flatnonzero(tables.levels[:, IS_FINEST]).tolist(), len(tables.levels)]
    return list(itertools.pairwise(firsts))


def _solve(tables: HierarchyTables, level: int, part_count: int) -> list[tuple[int, ...]]:
    row = tables.levels[level]
    pulls = [
        (PULL, _turns(last - first, LINKS_PER_TURN, part_count), 0, sweep, level, first, last)
        for sweep in range(int(row[SWEEPS]))
        for first, last in itertools.pairwise(tables.colours[level].tolist())
    ]
    return [
        *pulls,
        (NOTE, _turns(int(row[COUNT]), VERTICES_PER_TURN, part_count), 0, 0, level),
        (PROLONG, _turns(int(row[BELOW_COUNT]), VERTICES_PER_TURN, part_count), 0, 0, level),
    ]


def _turns(count: int, per_turn: int, most: int) -> int:
    return max(min(count // per_turn, most), 1)
