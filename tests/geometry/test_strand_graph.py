# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands of a graph: every edge in one, leaves first, and joined to what is beside it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.components import connected_components
from blender_xpbd.geometry.strand_graph import find_strands

COUNT = 8


@st.composite
def graphs(draw):
    pairs = draw(st.sets(st.tuples(st.integers(0, COUNT - 1), st.integers(0, COUNT - 1)), min_size=1, max_size=12))
    edges = sorted({(min(a, b), max(a, b)) for a, b in pairs if a != b})
    return np.array(edges, np.int32).reshape(-1, 2)


@given(graphs())
def test_every_edge_is_in_one_strand_and_joined(edges):
    strands = find_strands(COUNT, edges)
    assert sorted(edge for strand in strands for edge in strand.edges) == list(range(len(edges)))
    labels = connected_components(COUNT, edges)
    for strand in strands:
        assert len(set(strand.vertices)) == len(strand.vertices)
        assert set(strand.vertices) == {int(vertex) for edge in strand.edges for vertex in edges[edge]}
        assert len(set(labels[strand.vertices].tolist())) == 1
        for joint in strand.joints:
            assert set(edges[joint.first].tolist()) == {joint.vertex, joint.ends[0]}
            assert set(edges[joint.second].tolist()) == {joint.vertex, joint.ends[1]}
            assert joint.first != joint.second
        # a tree of edges has a joint fewer than edges, and each loop one more
        loops = len(strand.edges) - len(strand.vertices) + 1
        assert strand.closing <= loops
        assert len(strand.joints) == len(strand.edges) - 1 + strand.closing


def test_a_chain_is_walked_from_one_end_to_the_other():
    strand = find_strands(5, np.array([[3, 1], [1, 4], [4, 0], [0, 2]], np.int32))[0]
    assert strand.vertices == [3, 1, 4, 0, 2][::-1] or strand.vertices == [3, 1, 4, 0, 2]
    assert strand.closing == 0
    assert len(strand.joints) == 3


def test_a_ring_has_as_many_joints_as_edges():
    strand = find_strands(4, np.array([[0, 1], [1, 2], [2, 3], [3, 0]], np.int32))[0]
    assert len(strand.joints) == 4
    assert {joint.vertex for joint in strand.joints} == {0, 1, 2, 3}
