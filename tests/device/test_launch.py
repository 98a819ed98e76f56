# SPDX-License-Identifier: GPL-3.0-or-later
"""Launches do what Taichi's own do."""

import numpy as np
import pytest
import taichi as ti

from blender_xpbd.device import version
from blender_xpbd.device.launch import launch
from blender_xpbd.solver.step.packs import FLOATS, INT_TABLE, INTS, VECTORS

pytestmark = pytest.mark.usefixtures("taichi_cpu")


@ti.kernel
def combine(
    found: FLOATS,
    vectors: VECTORS,
    mode: ti.template(),
    indices: INTS,
    table: INT_TABLE,
    h: float,
    first: ti.i32,
    is_twice: ti.i32,
    factor: ti.template(),
):
    for i in range(first, found.shape[0]):
        value = vectors[indices[i]][2] * h + table[i, 1]
        if is_twice:
            value *= 2.0
        found[i] = factor * value
        if ti.static(mode & 1):
            found[i] = -found[i]


def arguments(count, seed, **kinds):
    random = np.random.default_rng(seed)
    vectors = ti.ndarray(ti.types.vector(4, ti.f64), count)
    vectors.from_numpy(random.normal(size=(count, 4)))
    indices = random.permutation(count).astype(np.int32)
    table = random.integers(-9, 9, (count, 3)).astype(np.int32)
    if kinds.get("is_taichi"):
        own = ti.ndarray(ti.i32, count), ti.ndarray(ti.i32, (count, 3))
        for array, values in zip(own, (indices, table), strict=True):
            array.from_numpy(values)
        indices, table = own
    return vectors, indices, table


@pytest.mark.parametrize("knows_taichi", [False, True])
@pytest.mark.parametrize("is_taichi", [False, True])
@pytest.mark.parametrize(("mode", "factor"), [(0, 1), (1, 1), (1, 3)])
def test_every_launch_takes_its_own_arguments(is_taichi, mode, factor, knows_taichi, monkeypatch):
    if not knows_taichi:
        monkeypatch.setattr(version, "KNOWN", (0,))
    for count, seed, h, first, is_twice in ((7, 0, 0.5, 0, False), (12, 1, np.float32(0.25), np.int64(3), True)):
        vectors, indices, table = arguments(count, seed, is_taichi=is_taichi)
        mine, expected = (ti.ndarray(ti.f64, count) for _ in range(2))
        launch(combine, mine, vectors, mode, indices, table, h, first, is_twice, factor)
        combine(expected, vectors, mode, indices, table, h, first, is_twice, factor)
        np.testing.assert_array_equal(mine.to_numpy(), expected.to_numpy())
        assert np.abs(mine.to_numpy()[first:]).min() > 0.0
