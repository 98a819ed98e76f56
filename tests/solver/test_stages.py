# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of a substep's stages."""

import pytest

from blender_xpbd.solver.stages import (
    DOES,
    FIRST_TASK,
    ITERATION,
    MOVE,
    OPERATE,
    PLACE,
    PREDICT,
    PROJECT,
    REBOUND,
    SHARES,
    TOUCH,
    TURNS,
    substep_stages,
)
from blender_xpbd.solver.tasks import MOST_PARTS, ROUNDS


def tasks_of(table, does, iteration=0):
    return [
        row[FIRST_TASK] + turn
        for row in table
        if row[DOES] == does and row[ITERATION] == iteration
        for turn in range(row[TURNS])
    ]


def test_the_least_scene():
    assert substep_stages(1, 1, False, False)[:, :2].tolist() == [[PREDICT, 1], [PROJECT, 1], [MOVE, 1]]


@pytest.mark.parametrize("parts", [4, 16])
def test_each_iteration_projects_every_task_and_touches_after_it(parts):
    table = substep_stages(parts, 3, True, True, [(0, 2, 1)])
    for iteration in range(3):
        assert tasks_of(table, PROJECT, iteration) == list(range(ROUNDS * parts + 1))
        assert tasks_of(table, TOUCH, iteration) == list(range(parts + 1))
    assert tasks_of(table, REBOUND) == list(range(parts + 1))
    assert tasks_of(table, MOVE) == tasks_of(table, PREDICT) == list(range(parts))
    kinds = [int(kind) for kind in dict.fromkeys(table[:, DOES])]
    assert kinds == [PREDICT, PLACE, OPERATE, PROJECT, TOUCH, MOVE, REBOUND]
    # an iteration is over before the next one begins
    order = [int(row[ITERATION]) for row in table if row[DOES] in (PROJECT, TOUCH)]
    assert order == sorted(order)


def test_groups_of_operations_and_their_shares():
    table = substep_stages(4, 1, False, False, [(0, 1, 4), (1, 3, 1), (4, 1, 2)])
    operate = table[table[:, DOES] == OPERATE]
    assert operate[:, [TURNS, FIRST_TASK, SHARES]].tolist() == [[4, 0, 4], [3, 1, 1], [2, 4, 2]]


def test_more_turns_than_can_be_claimed_are_refused():
    substep_stages(4, 1, False, False, [(0, MOST_PARTS, 1)])
    with pytest.raises(ValueError, match="turns"):
        substep_stages(4, 1, False, False, [(0, MOST_PARTS + 1, 1)])
