# SPDX-License-Identifier: GPL-3.0-or-later
"""Flat arrays and colours, of constraints between few particles and any number."""

import dataclasses
import itertools

import numpy as np
import pytest

from blender_xpbd.constraints import CONSTRAINTS
from blender_xpbd.constraints.constraint import joined
from blender_xpbd.constraints.diagonal import DIAGONAL
from blender_xpbd.constraints.distance import DISTANCE, build_distance
from blender_xpbd.constraints.enclosed_volume import ENCLOSED_VOLUME, build_enclosed_volume
from blender_xpbd.constraints.pools import EXTRAS, FIRST_EXTRA, FIRST_MEMBER, FIRST_VALUE, MEMBERS, POOLED_ROW
from blender_xpbd.constraints.shape_matching import SHAPE_MATCHING, build_shape_matching
from blender_xpbd.solver.order.schedule import build_schedule
from blender_xpbd.solver.system.system import build_system
from tests.geometry.surfaces import cube, sphere
from tests.solver import scenes

CLUSTERS = [np.array(members, np.int32) for members in ([0, 1, 2, 3], [2, 3, 4, 5], [6, 7], [4, 5, 6])]


def blocks_of_two_bodies():
    """A cube with clusters, edges and a filling, and after it a ball with a filling."""
    corners, faces = cube()
    ball, ball_faces = sphere(8, 4)
    masses = np.arange(1.0, 9.0)
    edges = np.stack([np.arange(7), np.arange(1, 8)], axis=1).astype(np.int32)
    return [
        build_distance(corners, edges, 0.1),
        build_shape_matching(corners, masses, CLUSTERS, 0.2),
        build_enclosed_volume(corners, faces),
        build_enclosed_volume(ball, ball_faces).shifted(len(corners)),
        build_shape_matching(ball, np.ones(len(ball)), [np.arange(len(ball), dtype=np.int32)], 0.3).shifted(8),
    ], 8 + len(ball)


def row_of(schedule, kind, number):
    first = schedule.table[CONSTRAINTS.index(kind), 1] + number * POOLED_ROW
    return schedule.indices[first : first + POOLED_ROW]


@pytest.mark.parametrize("kind", [SHAPE_MATCHING, ENCLOSED_VOLUME])
def test_rows_point_at_their_pools_in_the_flat_arrays(kind):
    blocks, count = blocks_of_two_bodies()
    schedule = build_schedule(blocks, np.ones(count), np.zeros((count, 3)))
    block = schedule.blocks[CONSTRAINTS.index(kind)]
    assert len(block) == sum(len(each) for each in blocks if each.type is kind)
    for number in range(len(block)):
        flat, own = row_of(schedule, kind, number), block.indices[number]
        members = schedule.indices[flat[FIRST_MEMBER] : flat[FIRST_MEMBER] + flat[MEMBERS]]
        np.testing.assert_array_equal(members, block.members(number))
        np.testing.assert_array_equal(
            schedule.indices[flat[FIRST_EXTRA] : flat[FIRST_EXTRA] + flat[EXTRAS]],
            block.pools.extras[own[FIRST_EXTRA] : own[FIRST_EXTRA] + own[EXTRAS]],
        )
        size = 4 * own[MEMBERS]
        np.testing.assert_array_equal(
            schedule.parameters[flat[FIRST_VALUE] : flat[FIRST_VALUE] + size],
            block.pools.values[own[FIRST_VALUE] : own[FIRST_VALUE] + size].astype(np.float32),
        )


def test_nothing_overlaps_and_nothing_is_lost():
    blocks, count = blocks_of_two_bodies()
    schedule = build_schedule(blocks, np.ones(count), np.zeros((count, 3)))
    indices = sum(block.flat_indices(0, 0).size for block in blocks)
    assert len(schedule.indices) == indices
    assert len(schedule.parameters) == sum(block.flat_parameters().size for block in blocks)
    starts = schedule.table[:, 1:]
    assert (np.diff(starts, axis=0) >= 0).all()


def test_pooled_constraints_of_one_colour_share_no_particle():
    blocks, count = blocks_of_two_bodies()
    schedule = build_schedule(blocks, np.ones(count), np.zeros((count, 3)))
    for kind, colours in enumerate(schedule.colours[0]):
        block = schedule.blocks[kind]
        for first, last in itertools.pairwise(colours):
            together = np.concatenate([block.members(k) for k in range(first, last)])
            assert len(np.unique(together)) == len(together)
    # 0–3, 6–7 and the ball fit into one colour, 2–5 is apart, and 4–6 overlaps both
    assert len(schedule.colours[0][CONSTRAINTS.index(SHAPE_MATCHING)]) - 1 == 3


def test_pooled_constraints_of_fixed_particles_are_left_out():
    blocks, count = blocks_of_two_bodies()
    inverse_masses = np.ones(count)
    inverse_masses[[6, 7]] = 0.0
    schedule = build_schedule(blocks, inverse_masses, np.zeros((count, 3)))
    assert schedule.counts()["shape_matching"] == 4
    inverse_masses[:] = 0.0
    assert build_schedule(blocks, inverse_masses, np.zeros((count, 3))).counts() == {}


def test_joined_blocks_keep_their_members():
    blocks, _ = blocks_of_two_bodies()
    mine = [block for block in blocks if block.type is ENCLOSED_VOLUME]
    whole = joined(mine)
    np.testing.assert_array_equal(whole.members(1), mine[1].members(0))
    positions = np.concatenate([cube()[0], sphere(8, 4)[0]])
    np.testing.assert_allclose(whole.type.evaluate(positions, whole), 0.0, atol=1e-12)


@pytest.mark.parametrize("parts", [1, 4])
def test_layers_come_one_after_the_other(parts):
    """Whatever order the blocks have, and in each task of its own; colours do not reach across layers."""
    positions = np.stack([np.arange(200.0), np.zeros(200), np.zeros(200)], axis=1)
    blocks = [
        dataclasses.replace(build_distance(positions, np.stack([own[:-hops], own[hops:]], axis=1), 0.1), layer=layer)
        for own in (np.arange(100, dtype=np.int32), np.arange(100, 200, dtype=np.int32))
        for hops, layer in ((1, 2), (3, 0), (2, 1))
    ]
    schedule = build_schedule(blocks, np.ones(200), positions, parts)
    kind = CONSTRAINTS.index(blocks[0].type)
    pairs = schedule.blocks[kind].indices
    assert len(pairs) == sum(len(block) for block in blocks)
    # from the longest to the shortest: layers 0, 1, 2
    hops = pairs[:, 1] - pairs[:, 0]
    for task in range(len(schedule.segment_starts)):
        first, last = schedule.segment_starts[task, kind : kind + 2]
        order = np.concatenate([hops[slice(*segment)] for segment in schedule.segments[first:last]] or [[]])
        assert (np.diff(order) <= 0).all()
    for colours in schedule.colours:
        for first, last in itertools.pairwise(colours[kind]):
            assert len(np.unique(hops[first:last])) == 1
            assert len(np.unique(pairs[first:last])) == pairs[first:last].size


def test_springs_of_cloth_are_visited_from_the_longest_to_the_shortest():
    given = {"stiffness_input": "COMPLIANCE", "stretch_compliance": 1e-4, "bending_compliance": 1e-2}
    body = scenes.cloth(12, pinned=(0, 11), bending_model="DISTANCE", area_density=1.0, **given)
    schedule = build_system(scenes.scene(body)).schedule
    lengths = schedule.blocks[CONSTRAINTS.index(DISTANCE)].parameters[:, 0]
    np.testing.assert_allclose(lengths, np.sort(lengths)[::-1], rtol=1e-6)
    np.testing.assert_allclose(np.unique((11.0 * lengths).round(3)), [1.0, 1.414, 2.0])


def test_diagonals_of_quads_are_visited_before_edges():
    """What comes last holds best: here they are a type of their own."""
    schedule = build_system(scenes.scene(scenes.cloth(12, pinned=(0, 11)))).schedule
    assert schedule.counts()["diagonal"] == 2 * 11 * 11
    assert CONSTRAINTS.index(DIAGONAL) < CONSTRAINTS.index(DISTANCE)


def test_constraints_to_one_fixed_particle_share_a_colour():
    pairs = np.stack([np.arange(1, 100), np.zeros(99, int)], axis=1).astype(np.int32)
    block = build_distance(np.random.default_rng(0).normal(size=(100, 3)), pairs, 0.0)
    inverse_masses = np.ones(100)
    colours = build_schedule([block], inverse_masses, np.zeros((100, 3))).colours[0][CONSTRAINTS.index(block.type)]
    assert len(colours) - 1 == 99
    inverse_masses[0] = 0.0
    colours = build_schedule([block], inverse_masses, np.zeros((100, 3))).colours[0][CONSTRAINTS.index(block.type)]
    assert len(colours) - 1 == 1
