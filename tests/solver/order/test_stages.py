# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of a substep's stages."""

import itertools

import pytest

from blender_xpbd.solver.order.stages import (
    BEGIN_PAIRS,
    BOUNCE,
    DAMP,
    DAMP_RATES,
    FIND_NEAR,
    HOLD_PUSHED,
    LIMIT,
    MOST_SWEEPS,
    OPEN_LIST,
    OPEN_WINDOW,
    PART,
    PLACE_TARGETS,
    PREDICT,
    PROJECT,
    REBOUND,
    REOPEN_WINDOW,
    SETTLE_PAIRS,
    SETTLE_SWEEPS,
    SOLVE_LEVELS,
    STRIKE,
    TOUCH,
    TOUCH_AGAIN,
    TOUCH_PAIRS,
    UPDATE_VELOCITIES,
    Contents,
    Stage,
    substep_stages,
)
from blender_xpbd.solver.order.tasks import MOST_PARTS, ROUNDS


def tasks_of(stages, act, iteration=0):
    return [
        stage.first + turn
        for stage in stages
        if stage.act == act and stage.detail == iteration
        for turn in range(stage.turns)
    ]


def test_the_least_scene():
    stages = substep_stages(1, 1, Contents(False, False))
    assert stages == (Stage(PREDICT, 1), Stage(PROJECT, 1), Stage(UPDATE_VELOCITIES, 1))


@pytest.mark.parametrize("parts", [4, 16])
def test_each_iteration_projects_every_task_and_touches_after_it(parts):
    stages = substep_stages(parts, 3, Contents(True, True, [(0, 2, 1)]))
    for iteration in range(3):
        assert tasks_of(stages, PROJECT, iteration) == list(range(ROUNDS * parts + 1))
        assert tasks_of(stages, TOUCH, iteration) == list(range(parts + 1))
    assert tasks_of(stages, REBOUND) == list(range(parts + 1))
    assert tasks_of(stages, UPDATE_VELOCITIES) == tasks_of(stages, PREDICT) == list(range(parts))
    acts = list(dict.fromkeys(stage.act for stage in stages))
    assert acts == [PREDICT, PLACE_TARGETS, SOLVE_LEVELS, PROJECT, TOUCH, UPDATE_VELOCITIES, REBOUND]
    # an iteration is over before the next one begins
    order = [stage.detail for stage in stages if stage.act in (PROJECT, TOUCH)]
    assert order == sorted(order)


def test_a_warm_start_is_touched_before_it_is_projected():
    stages = substep_stages(4, 2, Contents(False, True, touches_first=True))
    acts = [(stage.act, stage.detail) for stage in stages if stage.act in (PROJECT, TOUCH)]
    first_of_each = list(dict.fromkeys(acts))
    assert first_of_each == [(TOUCH, 0), (PROJECT, 0), (TOUCH, 1), (PROJECT, 1), (TOUCH, 2)]
    assert tasks_of(stages, TOUCH, 0) == list(range(5))
    assert TOUCH not in [stage.act for stage in substep_stages(4, 1, Contents(False, False, touches_first=True))]


def test_chains_of_operations_and_their_shares():
    stages = substep_stages(4, 1, Contents(False, False, [(0, 1, 4), (1, 3, 1), (4, 1, 2)]))
    levels = [stage[1:] for stage in stages if stage.act == SOLVE_LEVELS]
    assert levels == [(4, 0, 4), (3, 1, 1), (2, 4, 2)]


def test_more_turns_than_can_be_claimed_are_refused():
    substep_stages(4, 1, Contents(False, False, [(0, MOST_PARTS, 1)]))
    with pytest.raises(ValueError, match="turns"):
        substep_stages(4, 1, Contents(False, False, [(0, MOST_PARTS + 1, 1)]))


def test_pieces_bounce_last_in_equal_shares():
    assert substep_stages(4, 1, Contents(False, True, (), 3))[-1] == Stage(BOUNCE, 3)
    assert substep_stages(4, 1, Contents(False, True, (), 1000))[-1] == Stage(BOUNCE, MOST_PARTS)


def test_bodies_are_damped_after_all_else():
    assert substep_stages(4, 1, Contents(False, True, (), 3, 2))[-2:] == (Stage(BOUNCE, 3), Stage(DAMP, 2))
    assert substep_stages(4, 1, Contents(False, False, (), 0, 1000))[-1] == Stage(DAMP, MOST_PARTS)


def test_rates_are_damped_by_what_is_kept_and_then_mended_right_after_velocities():
    stages = substep_stages(4, 2, Contents(False, True, damps_rates=True))
    for sweep in range(2):
        assert tasks_of(stages, DAMP_RATES, sweep) == list(range(4 * ROUNDS + 1))
    acts = list(dict.fromkeys((stage.act, stage.detail) for stage in stages))
    found = acts.index((DAMP_RATES, 0))
    assert acts[found - 1][0] == UPDATE_VELOCITIES
    assert acts[found + 1 : found + 3] == [(DAMP_RATES, 1), (REBOUND, 0)]


def test_pairs_are_searched_once_after_the_first_iteration_and_pushed_in_all():
    stages = substep_stages(4, 2, Contents(False, True, has_pairs=True, rebounds=True))
    acts = [stage.act for stage in stages]
    assert acts[0] == BEGIN_PAIRS
    assert acts.count(OPEN_WINDOW) == acts.count(REOPEN_WINDOW) == 1
    first = acts.index(OPEN_WINDOW)
    assert acts[first : first + 3] == [OPEN_WINDOW, OPEN_LIST, FIND_NEAR]
    wanted = [PROJECT, TOUCH, OPEN_WINDOW, TOUCH_PAIRS, REOPEN_WINDOW, PROJECT, TOUCH, TOUCH_PAIRS, HOLD_PUSHED, LIMIT]
    acts = [act for act in acts if act != TOUCH_AGAIN]
    found = [act for act, _ in itertools.groupby(act for act in acts if act in wanted)]
    assert found[: len(wanted)] == wanted
    assert [tasks_of(stages, SETTLE_PAIRS, sweep) for sweep in range(SETTLE_SWEEPS)] == [list(range(5))] * SETTLE_SWEEPS
    # sweeps are counted through the substep, and colliders hold what each has pushed
    for sweep in range(2 * MOST_SWEEPS):
        assert tasks_of(stages, TOUCH_PAIRS, sweep) == tasks_of(stages, TOUCH_AGAIN, sweep) == list(range(5))


def test_velocities_of_pairs_are_swept_once_where_nothing_rebounds():
    stages = substep_stages(4, 2, Contents(False, True, has_pairs=True))
    assert [stage.detail for stage in stages if stage.act == SETTLE_PAIRS] == [0, 0]


def test_hard_pieces_part_between_the_last_push_and_the_truncation():
    stages = substep_stages(4, 2, Contents(False, True, has_pairs=True, strikes=True))
    wanted = (TOUCH_PAIRS, STRIKE, LIMIT, UPDATE_VELOCITIES, PART, REBOUND, SETTLE_PAIRS)
    acts = [act for act, _ in itertools.groupby(stage.act for stage in stages if stage.act in wanted)]
    assert acts[acts.index(STRIKE) - 1 :] == list(wanted)
    assert STRIKE not in [stage.act for stage in substep_stages(4, 2, Contents(False, True, has_pairs=True))]
