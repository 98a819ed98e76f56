# SPDX-License-Identifier: GPL-3.0-or-later
"""What is projected eight at a time has the bytes of one after the other."""

import numpy as np
import pytest
import taichi as ti

from blender_xpbd.constraints import CONSTRAINTS
from blender_xpbd.constraints.constraint import ACCUMULATE, DAMPED, MIXED, PBD, RATES, SWEPT, WARM
from blender_xpbd.constraints.distance import DISTANCE
from blender_xpbd.constraints.neo_hookean import NEO_HOOKEAN, build_neo_hookean
from blender_xpbd.constraints.side_by_side import LANES
from blender_xpbd.device.host_memory import numpy_type
from blender_xpbd.device.runtime import real_type
from blender_xpbd.solver.order.schedule import build_schedule
from tests.constraints.side_by_side_kernel import (
    SweptConstraints,
    SweptOrder,
    SweptParticles,
    sweep,
)

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def lattice(side):
    """Corners of side³ cells, and six tetrahedra in each, around a diagonal."""
    points = np.stack(np.meshgrid(*[np.arange(side + 1.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    steps = np.array([(side + 1) ** 2, side + 1, 1])
    cells = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), axis=-1).reshape(-1, 3) @ steps
    ways = [(a, b) for a in range(3) for b in range(3) if a != b]
    corners = [[0, steps[a], steps[a] + steps[b], steps.sum()] for a, b in ways]
    return points, (cells[:, None, None] + np.array(corners)).reshape(-1, 4).astype(np.int32)


def fan(count):
    """Tetrahedra around an edge, in a ring that is not closed, far from the origin and of odd sizes."""
    turns = np.linspace(0.0, 5.0, count + 1)
    rim = np.stack([np.cos(turns), 0.4 * np.sin(3.0 * turns), np.sin(turns)], axis=1) * (1.0 + 0.3 * turns[:, None])
    points = np.concatenate([[[0.0, -1.0, 0.0], [0.0, 1.2, 0.1]], rim])
    points += [40.0, -3.0, 7.0]
    k = np.arange(count)
    return points, np.stack([0 * k, 0 * k + 1, k + 2, k + 3], axis=1).astype(np.int32)


def loose(count):
    """Tetrahedra that share nothing: one colour, whose last bundle is not full."""
    points = np.random.default_rng(5).normal(0.0, 1.0, (4 * count, 3))
    return points, np.arange(4 * count, dtype=np.int32).reshape(-1, 4)


MESHES = {"lattice": lattice(3), "fan": fan(23), "loose": loose(2 * LANES + 3)}


@pytest.mark.parametrize("mesh", MESHES)
@pytest.mark.parametrize("mode", [0, WARM, WARM | DAMPED])
@pytest.mark.parametrize("parts", [1, 4])
def test_the_bytes_are_those_of_one_after_the_other(mesh, mode, parts):
    points, tetrahedra = MESHES[mesh]
    random = np.random.default_rng(1)
    weights = random.uniform(0.5, 2.0, len(points))
    # what is held is shared by tetrahedra of one colour
    weights[:: 5 if mesh == "lattice" else 9] = 0.0
    block = build_neo_hookean(points, tetrahedra, 300.0, 0.4)
    schedule = build_schedule([block], weights, points, parts=parts)
    start = points + random.normal(0.0, 0.2, points.shape)
    kept = random.normal(0.0, 1e-3, len(block) * NEO_HOOKEAN.slots(mode))
    ends = [swept(one_by_one, schedule, start, weights, kept, mode) for one_by_one in (False, True)]
    for ours, theirs in zip(*ends, strict=True):
        assert ours.tobytes() == theirs.tobytes()
    assert np.abs(ends[0][0][:, :3] - start)[weights > 0.0].max() > 1e-3
    np.testing.assert_array_equal(ends[0][0][weights == 0.0, :3], start[weights == 0.0].astype(ends[0][0].dtype))


def swept(one_by_one, schedule, start, weights, kept, mode):
    """Positions, corrections and what is kept after a sweep."""
    real = numpy_type(real_type())
    vector = ti.types.vector(4, real_type())

    def filled(values, dtype, kind):
        array = ti.ndarray(kind, values.shape if kind is not vector else len(values))
        array.from_numpy(np.ascontiguousarray(values, dtype))
        return array

    packed = np.concatenate([start, weights[:, None]], axis=1)
    corrections = np.concatenate([0.01 * start, np.zeros((len(start), 1))], axis=1)
    particles = SweptParticles(
        positions=filled(packed, real, vector),
        previous_positions=filled(packed, real, vector),
        corrections=filled(corrections, real, vector),
    )
    constraints = SweptConstraints(
        indices=filled(schedule.indices, np.int32, ti.i32),
        parameters=filled(schedule.parameters, np.float32, ti.f32),
        lagrange_multipliers=filled(kept, real, real_type()),
        table=filled(np.pad(schedule.table, ((0, 0), (0, 1))), np.int32, ti.i32),
    )
    order = SweptOrder(
        segments=filled(schedule.segments, np.int32, ti.i32),
        segment_starts=filled(schedule.segment_starts, np.int32, ti.i32),
    )
    sweep(particles, constraints, order, 20.0, mode, one_by_one)
    return (
        particles.positions.to_numpy(),
        particles.corrections.to_numpy(),
        constraints.lagrange_multipliers.to_numpy(),
    )


@pytest.mark.parametrize("mesh", MESHES)
@pytest.mark.parametrize("parts", [1, 4])
def test_a_segment_shares_no_movable_particle(mesh, parts):
    points, tetrahedra = MESHES[mesh]
    weights = np.ones(len(points))
    weights[::5] = 0.0
    schedule = build_schedule([build_neo_hookean(points, tetrahedra, 300.0, 0.4)], weights, points, parts=parts)
    rows = schedule.blocks[CONSTRAINTS.index(NEO_HOOKEAN)].indices
    for first, last in schedule.segments:
        members = rows[first:last].ravel()
        members = members[weights[members] > 0.0]
        assert len(np.unique(members)) == len(members)


@pytest.mark.parametrize("mode", [PBD, ACCUMULATE, MIXED, RATES, MIXED | WARM])
def test_what_is_projected_otherwise_goes_one_by_one(mode):
    assert not NEO_HOOKEAN.goes_side_by_side(mode)
    assert not DISTANCE.goes_side_by_side(mode)


@pytest.mark.parametrize("mode", [0, WARM, DAMPED, SWEPT])
def test_only_types_that_can_go_side_by_side(mode):
    assert NEO_HOOKEAN.goes_side_by_side(mode)
    assert not DISTANCE.goes_side_by_side(mode)
