# SPDX-License-Identifier: GPL-3.0-or-later
"""Which constraints take shares away (PBD), where others of the same scene have compliances (XPBD)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ...bodies.own_settings import is_pbd
from ...constraints import CONSTRAINTS
from ...constraints.constraint import ConstraintBlock
from ...scene.body import Body
from ...scene.settings import SolverSettings
from ..order.schedule import Schedule


def share_blocks(owners: Sequence[Body], settings: SolverSettings) -> tuple[int, ...]:
    """Numbers of the blocks of bodies in PBD mode; none where all bodies have the same mode.

    Args:
        owners: the body of each block.
        settings: of the scene.
    """
    found = tuple(number for number, owner in enumerate(owners) if is_pbd(owner, settings))
    return found if len(found) < len(owners) else ()


def share_rows(schedule: Schedule, blocks: Sequence[ConstraintBlock], shared: Sequence[int]) -> npt.NDArray[np.int32]:
    """Of each constraint, in scheduled order and type by type, whether it takes a share away.

    Args:
        schedule: of the blocks, which has watched those that do.
        blocks: constraints.
        shared: numbers of those blocks.

    Returns:
        1 or 0, shape (constraints,); empty where no block does.
    """
    if not shared:
        return np.zeros(0, np.int32)
    counts = schedule.table[:, 0]
    firsts = np.cumsum(counts) - counts
    flags = np.zeros(int(counts.sum()), np.int32)
    for number in shared:
        if number in schedule.rows:
            flags[firsts[CONSTRAINTS.index(blocks[number].type)] + schedule.rows[number]] = 1
    return flags
