# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.levels.seeds import adjacency, spread_seeds
from blender_xpbd.geometry.surface.topology import unique_pairs

COUNT = 30


def hop_distances(count: int, pairs: np.ndarray) -> np.ndarray:
    """Links between any two nodes, by Floyd and Warshall."""
    hops = np.where(np.eye(count, dtype=bool), 0.0, np.inf)
    hops[pairs[:, 0], pairs[:, 1]] = hops[pairs[:, 1], pairs[:, 0]] = 1.0
    for middle in range(count):
        hops = np.minimum(hops, hops[:, middle, None] + hops[None, middle])
    return hops


graphs = st.lists(st.tuples(st.integers(0, COUNT - 1), st.integers(0, COUNT - 1)), max_size=70)


@given(graphs, st.integers(1, 3), st.lists(st.integers(0, 2), min_size=COUNT, max_size=COUNT))
def test_seeds_are_apart_and_no_more_fit_in(links, hops, classes):
    pairs = unique_pairs(np.array(links, np.int64).reshape(-1, 2))
    starts, neighbours = adjacency(COUNT, pairs)
    seeds = spread_seeds(starts, neighbours, np.array(classes), hops)
    distances = hop_distances(COUNT, pairs)
    between = distances[np.ix_(seeds, seeds)]
    assert (between[~np.eye(len(seeds), dtype=bool)] > hops).all()
    linked = np.unique(pairs)
    if len(linked):
        assert set(seeds) <= set(linked)
        assert (distances[np.ix_(linked, seeds)].min(axis=1) <= hops).all()


def test_nodes_of_the_greatest_class_come_first():
    line = np.stack([np.arange(9), np.arange(1, 10)], axis=1)
    classes = np.zeros(10, np.int64)
    classes[[2, 7]] = 1
    starts, neighbours = adjacency(10, line)
    assert {2, 7} <= set(spread_seeds(starts, neighbours, classes, 3))


@pytest.mark.parametrize("side", [17, 33])
def test_a_grid_is_packed_regularly(side):
    """Every fourth vertex of a row and column: as many as that, but for some at the border."""
    index = np.arange(side * side).reshape(side, side)
    sides = [(index[1:], index[:-1]), (index[:, 1:], index[:, :-1])]
    sides += [(index[1:, 1:], index[:-1, :-1]), (index[1:, :-1], index[:-1, 1:])]
    pairs = unique_pairs(np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in sides]))
    classes = np.zeros(side * side, np.int64)
    classes[[0, side - 1]] = 2
    seeds = spread_seeds(*adjacency(side * side, pairs), classes, 3)
    assert len(seeds) == pytest.approx(((side - 1) // 4 + 1) ** 2, rel=0.15)
