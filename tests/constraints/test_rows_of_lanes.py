# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of several strands side by side: what is read and kept of them, and how much a chain keeps."""

import numpy as np
import pytest
import taichi as ti

from blender_xpbd.constraints.rods import chain_tables
from blender_xpbd.constraints.side_by_side import LANES
from blender_xpbd.device.arrays import make_array, make_vectors, read_array
from blender_xpbd.device.runtime import real_type
from tests.constraints.lanes_kernel import copy_rows, gather_rows

# numbers of each name of the tables that is more than one
WIDTHS = {
    **dict.fromkeys(("TANGENT", "DIRECTION", "AXIS", "WAY", "PULL", "MOMENT", "AXIS_NOW", "ALONG", "ABOUT"), 3),
    "OWN_TURN": 3,
    "TURN": 4,
    "BY_MOVE": 9,
    "BY_MOMENT": 6,
    **dict.fromkeys(("PLACE", "FORCE", "MOVE", "MOVED"), 3),
}
OF_EDGES = """LENGTH COMPLIANCE TANGENT SIGN DIRECTION BEND TWIST AXIS TURN BEFORE SHARE WAY SPAN PULL GIVE MISSING
    AXIS_NOW STIFF MORE MOMENT RESIST REACH BY_MOVE BY_MOMENT ALONG ABOUT LEAN YIELD OWN_TURN OWN_PULL SPUN PULLED
    MULTIPLIER EDGE_VALUES"""
OF_NODES = "MASS PLACE WEIGHT FORCE MOVE MOVED LEAST_WEIGHT NODE_VALUES"


@pytest.mark.parametrize("names", [OF_EDGES, OF_NODES], ids=["edges", "nodes"])
def test_rows_of_a_chain_follow_each_other(names):
    row = 0
    for name in names.split():
        assert getattr(chain_tables, name) == row, name
        row += WIDTHS.get(name, 1)


def test_a_segment_keeps_little():
    """A frame takes the time that memory takes: these were 96."""
    assert chain_tables.EDGE_VALUES + chain_tables.NODE_VALUES <= 84


@pytest.mark.usefixtures("taichi_cpu")
def test_rows_before_the_first_are_left():
    values = np.arange(1.0, 6.0 * LANES + 1.0)
    target = make_array(np.zeros(6 * LANES), real_type())
    copy_rows(make_array(values, real_type()), target, LANES)
    expected = np.zeros((6, LANES))
    expected[2:4] = values.reshape(6, LANES)[2:4]
    np.testing.assert_array_equal(read_array(target), expected.ravel())


@pytest.mark.usefixtures("taichi_cpu")
@pytest.mark.parametrize("count", [1, 3, LANES])
def test_lanes_without_a_strand_repeat_the_last_one(count):
    random = np.random.default_rng(2)
    vectors = random.normal(size=(20, 4)).astype(np.float32)
    indices = random.permutation(20).astype(np.int32)
    target = make_array(np.zeros(5 * LANES), real_type())
    held = make_vectors(vectors[:, :3], vectors[:, 3])
    gather_rows(held, make_array(indices, ti.i32), target, 2, count)
    expected = vectors[indices[2 + np.minimum(np.arange(LANES), count - 1)]].T
    found = read_array(target).reshape(5, LANES)
    np.testing.assert_array_equal(found[1:], expected)
    np.testing.assert_array_equal(found[0], 0.0)
