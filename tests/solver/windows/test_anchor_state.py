# SPDX-License-Identifier: GPL-3.0-or-later
"""Anchors come back from the device as they were written, and what there is room for is not copied with them."""

import numpy as np
import pytest
import taichi as ti

from blender_xpbd.contacts.pairs.tables import ANCHOR_FLOATS, ANCHOR_INTS, ANCHOR_NEXT
from blender_xpbd.device.arrays import make_zeros, read_array
from blender_xpbd.solver.windows import anchor_state

pytestmark = pytest.mark.usefixtures("taichi_cpu")

POINTS, CAPACITY = 6, 5000


@pytest.fixture
def arrays():
    return {
        "anchor_ints": make_zeros((CAPACITY, ANCHOR_INTS), ti.i32),
        "anchor_floats": make_zeros((CAPACITY, ANCHOR_FLOATS), ti.f64),
        "anchor_heads": make_zeros((POINTS,), ti.i32),
        "anchor_count": make_zeros((1,), ti.i32),
    }


def rows(first_points):
    """Anchors of pairs with these first points."""
    result = np.random.default_rng(0).uniform(size=(len(first_points), anchor_state.ROW_WIDTH))
    result[:, :ANCHOR_NEXT] = np.floor(POINTS * result[:, :ANCHOR_NEXT])
    result[:, 0], result[:, 1] = 0, first_points
    return result


def test_fewer_anchors_take_the_place_of_more(arrays):
    for first_points in ([0, 3, 3, 5, 3], [2, 4, 2], []):
        written = rows(first_points)
        anchor_state.write_anchors(arrays, written)
        np.testing.assert_array_equal(anchor_state.read_anchors(arrays), written)
        # each point leads through its own rows, from the last one back
        heads, ints = read_array(arrays["anchor_heads"]), read_array(arrays["anchor_ints"])
        for point in range(POINTS):
            row, found = heads[point], []
            while row:
                found.append(row - 1)
                row = ints[row - 1, ANCHOR_NEXT]
            assert found == [n for n, mine in reversed(list(enumerate(first_points))) if mine == point]


def test_only_anchors_that_there_are_are_copied(arrays, monkeypatch):
    copied = []

    def read(array, *options):
        values = read_array(array, *options)
        copied.append(values.size)
        return values

    monkeypatch.setattr(anchor_state, "read_array", read)
    anchor_state.write_anchors(arrays, rows([1, 4]))
    anchor_state.read_anchors(arrays)
    assert sum(copied) < CAPACITY
