# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks that share no particle."""

import itertools

import numpy as np
import pytest

from blender_xpbd.constraints.distance import build_distance
from blender_xpbd.constraints.shape_matching import build_shape_matching
from blender_xpbd.geometry.solid.clusters import overlapping_clusters
from blender_xpbd.geometry.surface.topology import unique_edges
from blender_xpbd.solver.order import tasks
from blender_xpbd.solver.order.schedule import build_schedule
from blender_xpbd.solver.order.tasks import ROUNDS, cut, part_count, segments_of
from tests.solver.scenes import grid

POSITIONS, SIZES, CORNERS = grid(40)
EDGES = unique_edges(SIZES, CORNERS)


def blocks():
    clusters = overlapping_clusters(POSITIONS, EDGES, 0.1)
    return [build_distance(POSITIONS, EDGES, 0.0), build_shape_matching(POSITIONS, np.ones(1600), clusters, 0.0)]


@pytest.mark.parametrize("count", [4, 16])
def test_tasks_of_a_round_share_no_movable_particle(count):
    inverse_masses = np.ones(1600)
    inverse_masses[[0, 39]] = 0.0
    mine = blocks()
    owned = cut(mine, POSITIONS, inverse_masses > 0.0, count)
    for number in range(ROUNDS):
        owner = np.full(1600, -1)
        for block, block_tasks in zip(mine, owned.tasks, strict=True):
            for row in np.flatnonzero(block_tasks // count == number):
                members = block.members(row)
                members = members[inverse_masses[members] > 0.0]
                assert np.isin(owner[members], [-1, block_tasks[row]]).all()
                owner[members] = block_tasks[row]
    # the later rounds leave next to nothing for one thread alone
    springs = owned.tasks[0]
    assert (springs < count).mean() > 0.8
    assert (springs == ROUNDS * count).mean() < 0.1 * (springs >= count).mean()


def test_a_round_keeps_to_the_parts_of_its_particles():
    owned = cut(blocks(), POSITIONS, np.ones(1600, bool), 8)
    first = owned.tasks[0] < 8
    assert (owned.particles[EDGES[first]] == owned.tasks[0][first][:, None]).all()


def test_segments_hold_every_constraint_once():
    mine = blocks()
    schedule = build_schedule(mine, np.ones(1600), POSITIONS, parts=8)
    assert schedule.segment_starts.shape[0] == schedule.parts.task_count
    for kind, row in enumerate(schedule.table):
        found = [
            np.arange(*schedule.segments[segment])
            for starts in schedule.segment_starts
            for segment in range(starts[kind], starts[kind + 1])
        ]
        np.testing.assert_array_equal(np.sort(np.concatenate([*found, np.zeros(0, int)])), np.arange(row[0]))
        for colours in schedule.colours:
            for first, last in itertools.pairwise(colours[kind]):
                together = np.concatenate([schedule.blocks[kind].members(k) for k in range(first, last)])
                assert len(np.unique(together)) == len(together)


def test_runs_of_tasks():
    runs, starts = segments_of(np.array([0, 0, 2, 2, 0, 2], np.int32), 3)
    np.testing.assert_array_equal(runs, [[0, 2], [4, 5], [2, 4], [5, 6]])
    np.testing.assert_array_equal(starts, [0, 2, 2, 4])
    runs, starts = segments_of(np.zeros(0, np.int32), 2)
    assert len(runs) == 0
    assert list(starts) == [0, 0, 0]


def test_the_longer_an_iteration_the_more_parts(monkeypatch):
    seconds = 1e-9 * sum(len(block) * block.type.nanoseconds for block in blocks())
    for share, parts in ((1.0, 1), (0.7, 1), (0.5, 4), (0.13, 4), (0.12, 8), (0.06, 16), (1e-6, tasks.MOST_PARTS)):
        monkeypatch.setattr(tasks, "TASK_SECONDS", share * seconds)
        assert part_count(blocks()) == parts
