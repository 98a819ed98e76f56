# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks that compute their parameters when they are read are as those that hold them."""

import numpy as np
import pytest

from blender_xpbd.constraints.deferred import MOST_DEFERRED, DeferredBlock, together
from blender_xpbd.constraints.neo_hookean import NEO_HOOKEAN, build_neo_hookean
from blender_xpbd.solver.order.schedule import build_schedule

RNG = np.random.default_rng(0)
POSITIONS = RNG.normal(size=(30, 3))
TETRAHEDRA = np.stack([RNG.permutation(30)[:4] for _ in range(50)]).astype(np.int32)
MODULI = RNG.uniform(1e3, 1e5, 50)


def held(numbers=slice(None)):
    return build_neo_hookean(POSITIONS, TETRAHEDRA[numbers], MODULI[numbers], 0.3)


def deferred():
    return DeferredBlock(NEO_HOOKEAN, TETRAHEDRA, lambda numbers: held(numbers).parameters)


def assert_same(block, other):
    assert block.type is other.type
    np.testing.assert_array_equal(block.indices, other.indices)
    np.testing.assert_array_equal(block.parameters, other.parameters)


@pytest.mark.parametrize("chosen", [RNG.permutation(50)[:20], RNG.random(50) < 0.4])
def test_rows(chosen):
    assert len(deferred()) == 50
    assert_same(deferred().rows(chosen), held().rows(chosen))
    assert_same(deferred().rows(chosen).rows(np.arange(5)), held().rows(chosen).rows(np.arange(5)))
    assert_same(deferred().shifted(7).rows(chosen), held().shifted(7).rows(chosen))


def test_prepared():
    inverse_masses = RNG.uniform(0.5, 2.0, 30)
    assert_same(deferred().prepared(inverse_masses), held().prepared(inverse_masses))


@pytest.mark.parametrize("count", [1, 2, MOST_DEFERRED, MOST_DEFERRED + 1])
def test_several_blocks_are_scheduled_as_one(count):
    inverse_masses = np.ones(30 * count)
    inverse_masses[:4] = 0.0
    positions = np.tile(POSITIONS, (count, 1))
    schedules = [
        build_schedule([block.shifted(30 * k) for k in range(count)], inverse_masses, positions)
        for block in (deferred(), held())
    ]
    np.testing.assert_array_equal(schedules[0].indices, schedules[1].indices)
    np.testing.assert_array_equal(schedules[0].parameters, schedules[1].parameters)


def test_what_is_together_stays_deferred():
    asked = []

    def parameters_of(numbers):
        asked.append(len(numbers))
        return held(numbers).parameters

    block = together([DeferredBlock(NEO_HOOKEAN, TETRAHEDRA, parameters_of), held()])
    assert not asked
    assert_same(block.rows(np.array([3, 60, 4])), together([held(), held()]).rows(np.array([3, 60, 4])))
    assert asked == [2]
