# SPDX-License-Identifier: GPL-3.0-or-later
"""Which pairs and points sweeps ask, and what is left when they are calm."""

from dataclasses import replace

import numpy as np
import pytest
import taichi as ti

from blender_xpbd.contacts.pairs.tables import MULTIPLIER, NEAR_INTS, NEAR_NORMAL, NEAR_WEIGHTS, NEAR_WIDTH, WANTED
from blender_xpbd.contacts.pairs.touch import CALM
from blender_xpbd.device.arrays import make_array
from blender_xpbd.device.packs import pack_type
from blender_xpbd.solver.acts.sweep_functions import (
    ALL,
    BUSY,
    CALM_ALL,
    CALM_LISTED,
    LISTED,
    NONE,
    asked,
    sweep_code,
)
from blender_xpbd.solver.order.stages import MOST_SWEEPS
from blender_xpbd.solver.windows.pair_tables import SWEPT, TOLD_WIDTH
from tests.solver.scenes import cloth, pins, plane, touching
from tests.solver.step.test_pair_substeps import array
from tests.solver.test_rest import layers

pytestmark = pytest.mark.usefixtures("taichi_cpu")

INTS = ti.types.ndarray(dtype=ti.i32, ndim=1)
Told = pack_type(told=INTS)
Scope = pack_type(scope=INTS)
GAP = 0.005


@ti.kernel
def ask(pairs: Told, result: Scope, sweep: ti.i32, answer: ti.i32):
    """Which pairs a sweep asks after one that told an answer; none where the answer is negative."""
    ti.loop_config(serialize=True)
    for _ in range(1):
        if answer >= 0:
            pairs.told[SWEPT + (sweep + 1) % 2] = sweep_code(sweep - 1, answer)
        result.scope[0] = asked(pairs, sweep)


@pytest.mark.parametrize(
    ("sweep", "answer", "scope"),
    [
        (0, -1, ALL),
        (MOST_SWEEPS, CALM_ALL, ALL),
        (1, BUSY, LISTED),
        (6, BUSY, LISTED),
        (7, CALM_LISTED, ALL),
        (8, CALM_ALL, NONE),
        (9, -1, NONE),
    ],
)
def test_a_sweep_asks_what_the_one_before_left(sweep, answer, scope):
    result, told = make_array(np.zeros(1, np.int32), ti.i32), make_array(np.zeros(TOLD_WIDTH, np.int32), ti.i32)
    ask(Told(told=told), Scope(scope=result), sweep, answer)
    assert result.to_numpy()[0] == scope


def test_what_pushes_is_listed_and_nothing_is_left_too_near():
    """After the sweeps of a substep, most of which ask only what others have pushed."""
    simulation = touching(*layers(3), colliders=[plane()], substeps=10)
    for _ in range(12):
        simulation.advance()
    starts, counts = array(simulation, "pair_starts"), array(simulation, "near_counts")
    assert list(starts[1:]) == [starts[1]] * (len(starts) - 1)
    listed = array(simulation, "near_listed")[: array(simulation, "listed_counts")[0]]
    rows = array(simulation, "near_floats").reshape(-1, NEAR_WIDTH)[: counts[0]]
    pushes = np.flatnonzero(rows[:, MULTIPLIER] > 0.0)
    assert 20 < len(pushes) <= len(listed) < counts[0]
    assert set(pushes) <= set(listed.tolist())
    assert (np.diff(listed) > 0).all()
    # the sheets hardly move: what truncation and velocities do after the last push is as nothing
    carriers = array(simulation, "near_ints").reshape(-1, NEAR_INTS)[: counts[0], :4]
    weights = np.column_stack([-rows[:, NEAR_WEIGHTS : NEAR_WEIGHTS + 3].sum(axis=1), rows[:, NEAR_WEIGHTS:WANTED]])
    ways = np.einsum("pi,pik->pk", weights, simulation.positions()[carriers])
    heights = np.einsum("pk,pk->p", rows[:, NEAR_NORMAL : NEAR_NORMAL + 3], ways)
    assert (heights - rows[:, WANTED]).min() > -4.0 * CALM * GAP


def test_a_point_that_pairs_push_into_a_collider_is_held_by_it():
    """A sheet just above a floor that it does not touch, and another one that comes down on it within a substep."""
    below = cloth(6, size=0.3, height=1.2 * GAP, contact_offset=GAP)
    above = cloth(5, size=0.2, height=3.0 * GAP, identifier="b1", contact_offset=GAP)
    ways = np.stack([above.positions, above.positions - [0.0, 0.0, 1.6 * GAP]])
    every = np.arange(len(above.positions))
    above = replace(above, pins=pins(above.positions, every, targets=ways))
    settings = {"colliders": [plane()], "substeps": 1, "gravity": (0.0, 0.0, 0.0), "frames": (1, 2)}
    simulation = touching(below, above, **settings)
    simulation.advance()
    heights = simulation.positions()[:36, 2] + simulation.system.origin[2]
    assert heights.min() > 0.95 * GAP
