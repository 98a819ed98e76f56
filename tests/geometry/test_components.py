# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.components import connected_components, dense_labels

NODES = 30
PAIRS = st.lists(st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)), max_size=40)


def as_array(pairs: list[tuple[int, int]]) -> np.ndarray:
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


@given(PAIRS)
def test_labels_are_the_smallest_nodes(pairs: list[tuple[int, int]]) -> None:
    expected = list(range(NODES))
    for _ in range(NODES):
        for first, second in pairs:
            expected[first] = expected[second] = min(expected[first], expected[second])
    labels = connected_components(NODES, as_array(pairs))
    assert labels.tolist() == expected
    dense, count = dense_labels(labels)
    assert sorted(set(dense.tolist())) == list(range(count))
    assert (np.diff(dense[labels == np.arange(NODES)]) == 1).all()


@given(PAIRS, PAIRS)
def test_pairs_may_come_one_lot_after_the_other(pairs: list[tuple[int, int]], more: list[tuple[int, int]]) -> None:
    known = connected_components(NODES, as_array(pairs))
    before = known.copy()
    together = connected_components(NODES, as_array(more), known)
    np.testing.assert_array_equal(together, connected_components(NODES, as_array(pairs + more)))
    np.testing.assert_array_equal(known, before)
