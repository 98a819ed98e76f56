# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of a substep's stages."""

import numpy as np
import pytest

from blender_xpbd.solver import stages
from blender_xpbd.solver.hierarchy_tables import (
    BELOW_COUNT,
    COUNT,
    FIRST_LINK,
    LINK_COUNT,
    SWEEPS,
    build_hierarchy_tables,
)
from blender_xpbd.solver.stages import (
    CHAIN,
    DOES,
    FIRST_PULL,
    FIRST_TASK,
    ITERATION,
    LAST_PULL,
    LEVEL,
    MOVE,
    NOTE,
    PLACE,
    PREDICT,
    PROJECT,
    PROLONG,
    PULL,
    REBOUND,
    RESTRICT,
    TOUCH,
    TURNS,
    level_stages,
    substep_stages,
)
from blender_xpbd.solver.system import build_system
from blender_xpbd.solver.tasks import ROUNDS
from tests.solver.scenes import cloth, scene


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
    table = substep_stages(parts, 3, True, True, [(CHAIN, 2)])
    for iteration in range(3):
        assert tasks_of(table, PROJECT, iteration) == list(range(ROUNDS * parts + 1))
        assert tasks_of(table, TOUCH, iteration) == list(range(parts + 1))
    assert tasks_of(table, REBOUND) == list(range(parts + 1))
    assert tasks_of(table, MOVE) == tasks_of(table, PREDICT) == list(range(parts))
    kinds = [int(kind) for kind in dict.fromkeys(table[:, DOES])]
    assert kinds == [PREDICT, PLACE, CHAIN, PROJECT, TOUCH, MOVE, REBOUND]
    # an iteration is over before the next one begins
    order = [int(row[ITERATION]) for row in table if row[DOES] in (PROJECT, TOUCH)]
    assert order == sorted(order)


def tables_of(*bodies):
    system = build_system(scene(*bodies, substeps=4))
    return build_hierarchy_tables(system.models, system.starts, system.scene.settings, 1 / 24)


def test_small_bodies_are_a_turn_each():
    tables = tables_of(cloth(30, pinned=(0,)), cloth(24, pinned=(0,), identifier="b1"))
    rows, chains = level_stages(tables, 4)
    assert rows == [(CHAIN, 2)]
    np.testing.assert_array_equal(chains.ravel(), [0, chains[0, 1], chains[0, 1], len(tables.levels)])


def test_alone_everything_is_a_chain(monkeypatch):
    monkeypatch.setattr(stages, "FEWEST_LINKS", 1)
    tables = tables_of(cloth(20, pinned=(0,)))
    assert level_stages(tables, 1)[0] == [(CHAIN, 1)]


def test_great_levels_are_restricted_downwards_and_solved_upwards(monkeypatch):
    tables = tables_of(cloth(30, pinned=(0,)), cloth(40, pinned=(0,), identifier="b1"))
    fewest = sorted(tables.levels[:, LINK_COUNT])[-3]
    monkeypatch.setattr(stages, "FEWEST_LINKS", fewest)
    great = np.flatnonzero(tables.levels[:, LINK_COUNT] >= fewest).tolist()
    rows, chains = level_stages(tables, 4)
    table = substep_stages(4, 1, False, False, rows)
    kinds = table[:, DOES].tolist()
    assert table[table[:, DOES] == RESTRICT, LEVEL].tolist() == great
    assert table[table[:, DOES] == PROLONG, LEVEL].tolist() == great[::-1]
    assert kinds.index(RESTRICT) < kinds.index(CHAIN) < kinds.index(PULL) < kinds.index(NOTE) < kinds.index(PROLONG)
    left = sorted({level for first, last in chains for level in range(first, last)} | set(great))
    assert left == list(range(len(tables.levels)))
    for level in great:
        level_row = tables.levels[level]
        for sweep in range(level_row[SWEEPS]):
            pulls = table[(table[:, DOES] == PULL) & (table[:, LEVEL] == level) & (table[:, ITERATION] == sweep)]
            covered = np.concatenate([np.arange(row[FIRST_PULL], row[LAST_PULL]) for row in pulls])
            np.testing.assert_array_equal(covered, level_row[FIRST_LINK] + np.arange(level_row[LINK_COUNT]))
        for does, count in ((RESTRICT, COUNT), (NOTE, COUNT), (PROLONG, BELOW_COUNT)):
            turns = table[(table[:, DOES] == does) & (table[:, LEVEL] == level), TURNS].tolist()
            assert turns == [min(max(level_row[count] // stages.VERTICES_PER_TURN, 1), 4)]
