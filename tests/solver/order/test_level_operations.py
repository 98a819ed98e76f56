# SPDX-License-Identifier: GPL-3.0-or-later
"""The cycle over the coarse levels as a list of operations."""

import itertools

import numpy as np

from blender_xpbd.solver.order import level_operations
from blender_xpbd.solver.order.level_operations import (
    BEGIN,
    END,
    LEVEL,
    NOTE,
    OPERATION,
    PROLONG,
    PULL,
    RESTRICT,
    SWEEP,
)
from blender_xpbd.solver.order.level_tables import (
    BELOW_COUNT,
    COUNT,
    FIRST,
    FIRST_LINK,
    LINK_COUNT,
    SWEEPS,
    build_hierarchy_tables,
)
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import cloth, scene


def tables_of(*bodies):
    system = build_system(scene(*bodies, substeps=4))
    return build_hierarchy_tables(system.models, system.starts, system.scene)


def two_cloths():
    return tables_of(cloth(30, pinned=(0,)), cloth(40, pinned=(0,), identifier="b1"))


def assert_whole_cycle(tables, rows):
    """Down and up again over each level once, every vertex, link and parent taken once in each operation of it."""
    for level, row in enumerate(tables.levels):
        mine = rows[rows[:, LEVEL] == level]
        kinds = [int(kind) for kind in dict.fromkeys(mine[:, OPERATION])]
        assert kinds == [RESTRICT, PULL, NOTE, PROLONG]
        vertices, links = (row[FIRST], row[COUNT]), (row[FIRST_LINK], row[LINK_COUNT])
        for kind, (first, count) in ((RESTRICT, vertices), (NOTE, vertices), (PROLONG, (0, row[BELOW_COUNT]))):
            assert mine[mine[:, OPERATION] == kind][:, [BEGIN, END]].tolist() == [[first, first + count]]
        for sweep in range(row[SWEEPS]):
            pulls = mine[(mine[:, OPERATION] == PULL) & (mine[:, SWEEP] == sweep)]
            covered = np.concatenate([np.arange(pull[BEGIN], pull[END]) for pull in pulls])
            np.testing.assert_array_equal(covered, links[0] + np.arange(links[1]))
    for first, last in level_operations._bodies(tables):
        order = [row for row in rows[:, [OPERATION, LEVEL]].tolist() if first <= row[1] < last]
        assert [level for kind, level in order if kind == RESTRICT] == list(range(first, last))
        assert [level for kind, level in order if kind == PROLONG] == list(reversed(range(first, last)))


def test_small_bodies_are_a_chain_each():
    tables = two_cloths()
    found = level_operations.level_operations(tables, 4)
    assert found.stages == ((0, 2, 1),)
    np.testing.assert_array_equal(found.starts[[0, -1]], [0, len(found.rows)])
    firsts = [first for first, _ in level_operations._bodies(tables)]
    assert found.rows[found.starts[:-1], LEVEL].tolist() == firsts
    assert_whole_cycle(tables, found.rows)


def test_many_bodies_share_chains(monkeypatch):
    monkeypatch.setattr(level_operations, "MOST_PARTS", 3)
    bodies = [cloth(20 + number, pinned=(0,), identifier=f"b{number}") for number in range(7)]
    tables = tables_of(*bodies)
    found = level_operations.level_operations(tables, 4)
    assert found.stages == ((0, 3, 1),)
    assert_whole_cycle(tables, found.rows)
    levels = [set(found.rows[first:last, LEVEL]) for first, last in itertools.pairwise(found.starts)]
    assert sorted(level for mine in levels for level in mine) == list(range(len(tables.levels)))
    assert all(levels)


def test_for_one_thread_everything_is_a_chain(monkeypatch):
    monkeypatch.setattr(level_operations, "FEWEST_LINKS", 1)
    assert level_operations.level_operations(two_cloths(), 1).stages == ((0, 2, 1),)


def test_great_levels_are_shared_out(monkeypatch):
    tables = two_cloths()
    fewest = sorted(tables.levels[:, LINK_COUNT])[-3]
    monkeypatch.setattr(level_operations, "FEWEST_LINKS", fewest)
    monkeypatch.setattr(level_operations, "LEAST_SHARE", {RESTRICT: 100, PULL: 20, NOTE: 100, PROLONG: 100})
    found = level_operations.level_operations(tables, 4)
    assert_whole_cycle(tables, found.rows)
    great = np.flatnonzero(tables.levels[:, LINK_COUNT] >= fewest).tolist()
    done = [group for first, groups, _ in found.stages for group in range(first, first + groups)]
    assert done == list(range(len(found.starts) - 1))
    for group, groups, shares in found.stages:
        rows = found.rows[found.starts[group] : found.starts[group + groups]]
        if set(rows[:, LEVEL]) & set(great):
            assert (groups, len(rows)) == (1, 1)
            count = rows[0, END] - rows[0, BEGIN]
            assert shares == min(max(count // (20 if rows[0, OPERATION] == PULL else 100), 1), 4)
        else:
            assert shares == 1
    shared = [row for row in found.rows if row[LEVEL] in great and row[OPERATION] == PULL]
    assert len(shared) > len(great)


def test_without_levels_there_is_nothing_to_do():
    found = level_operations.level_operations(tables_of(cloth(6)), 4)
    assert found.stages == ()
    assert len(found.rows) == 0
