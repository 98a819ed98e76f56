# SPDX-License-Identifier: GPL-3.0-or-later
"""What a substep does, stage by stage, as a table that ``team_kernels`` follows.

The turns of a stage share no movable particle, so any thread may take any of them at any time; a stage begins when all
turns of the one before are done.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .tasks import MOST_PARTS, ROUNDS

# what a turn does
PREDICT, PLACE, OPERATE, PROJECT, TOUCH, MOVE, REBOUND = range(7)
# columns: what its turns do, how many there are, task, share or group of the first one; which iteration, or for OPERATE
# into how many shares a group is divided
DOES, TURNS, FIRST_TASK, ITERATION = range(4)
SHARES = ITERATION


def substep_stages(
    part_count: int,
    iterations: int,
    has_targets: bool,
    has_contacts: bool,
    level_stages: Sequence[tuple[int, int, int]] = (),
) -> npt.NDArray[np.int32]:
    """The stages of a substep, shape (stages, 4).

    Args:
        part_count: parts of ``tasks.Parts``; what does not go by tasks goes by as many equal parts.
        iterations: per substep.
        has_targets: whether particles follow a given motion.
        has_contacts: whether there are colliders.
        level_stages: of the coarse levels, as in ``LevelOperations``.

    Raises:
        ValueError: more turns than ``MOST_PARTS`` in a stage.
    """
    # what reaches across all cuts is left to a single turn
    rest = [1] * (part_count > 1)
    stages = [(PREDICT, part_count, 0, 0)]
    if has_targets:
        stages.append((PLACE, 1, 0, 0))
    stages += [(OPERATE, groups * shares, group, shares) for group, groups, shares in level_stages]
    rounds = [part_count] * (ROUNDS if rest else 1) + rest
    for iteration in range(iterations):
        stages += [(PROJECT, turns, number * part_count, iteration) for number, turns in enumerate(rounds)]
        if has_contacts:
            stages += [
                (TOUCH, turns, number * part_count, iteration) for number, turns in enumerate([part_count, *rest])
            ]
    stages.append((MOVE, part_count, 0, 0))
    if has_contacts:
        stages += [(REBOUND, turns, number * part_count, 0) for number, turns in enumerate([part_count, *rest])]
    table = np.array(stages, np.int32)
    if table[:, TURNS].max() > MOST_PARTS:
        raise ValueError(f"a stage has {table[:, TURNS].max()} turns, more than can be claimed")
    return table
