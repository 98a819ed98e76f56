# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of a substep's stages."""

import pytest

from blender_xpbd.solver.stages import (
    DOES,
    FIRST_TASK,
    ITERATION,
    MOVE,
    PLACE,
    PREDICT,
    PROJECT,
    PROLONG,
    REBOUND,
    RESTRICT,
    SOLVE_LEVELS,
    TOUCH,
    TURNS,
    substep_stages,
)
from blender_xpbd.solver.tasks import ROUNDS


def tasks_of(stages, does, iteration=0):
    return [
        stage[FIRST_TASK] + turn
        for stage in stages
        if stage[DOES] == does and stage[ITERATION] == iteration
        for turn in range(stage[TURNS])
    ]


def test_the_least_scene():
    assert [tuple(row) for row in substep_stages(1, 1, False, False, False)] == [
        (PREDICT, 1, 0, 0),
        (PROJECT, 1, 0, 0),
        (MOVE, 1, 0, 0),
    ]


@pytest.mark.parametrize("parts", [4, 16])
def test_each_iteration_projects_every_task_and_touches_after_it(parts):
    stages = substep_stages(parts, 3, True, True, True)
    for iteration in range(3):
        assert tasks_of(stages, PROJECT, iteration) == list(range(ROUNDS * parts + 1))
        assert tasks_of(stages, TOUCH, iteration) == list(range(parts + 1))
    assert tasks_of(stages, REBOUND) == list(range(parts + 1))
    assert tasks_of(stages, MOVE) == tasks_of(stages, PREDICT) == list(range(parts))
    kinds = [int(kind) for kind in dict.fromkeys(stages[:, DOES])]
    assert kinds == [PREDICT, PLACE, RESTRICT, SOLVE_LEVELS, PROLONG, PROJECT, TOUCH, MOVE, REBOUND]
    # an iteration is over before the next one begins
    order = [int(stage[ITERATION]) for stage in stages if stage[DOES] in (PROJECT, TOUCH)]
    assert order == sorted(order)
