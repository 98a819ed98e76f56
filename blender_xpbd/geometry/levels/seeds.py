# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices spread evenly over a mesh: each some edges from the next."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..ragged import ramp

Indices = npt.NDArray[np.int64]


def adjacency(count: int, pairs: npt.NDArray[np.integer]) -> tuple[Indices, Indices]:
    """For each node where its neighbours begin, shape (count + 1,), and the neighbours, ascending.

    Args:
        count: number of nodes.
        pairs: linked nodes, each pair once, shape (pairs, 2).
    """
    start, end = pairs.T.reshape(-1), pairs[:, ::-1].T.reshape(-1)
    order = np.lexsort((end, start))
    starts = np.concatenate([[0], np.cumsum(np.bincount(start, minlength=count))])
    return starts.astype(np.int64), end[order].astype(np.int64)


def spread_seeds(starts: Indices, neighbours: Indices, classes: Indices, hops: int) -> Indices:
    """A maximal set of nodes more than ``hops`` links apart.

    Greedily, one class after the other and within it in the order of breadth-first search, which packs them as evenly
    as the mesh is; random orders leave gaps. Nodes without neighbours are none.

    Args:
        starts: as from ``adjacency``.
        neighbours: as from ``adjacency``.
        classes: nodes of a greater class are chosen first, shape (nodes,).
        hops: links between seeds at least, less one.

    Returns:
        The seeds, ascending.
    """
    degrees = np.diff(starts)
    free = degrees > 0
    order = _breadth_first(starts, neighbours, classes)
    seeds = []
    for node in order[free[order]].tolist():
        if not free[node]:
            continue
        seeds.append(node)
        free[node] = False
        front = neighbours[starts[node] : starts[node + 1]]
        for hop in range(hops):
            free[front] = False
            if hop + 1 < hops:
                reach = degrees[front]
                front = np.unique(neighbours[np.repeat(starts[front], reach) + ramp(reach)])
    return np.sort(np.array(seeds, np.int64))


def _breadth_first(starts: Indices, neighbours: Indices, classes: Indices) -> Indices:
    """Nodes by class, greatest first, then by the links from the first node of the greatest class."""
    count = len(classes)
    degrees = np.diff(starts)
    depths = np.full(count, -1)
    depth = 0
    waiting = np.lexsort((np.arange(count), -classes))
    waiting = waiting[degrees[waiting] > 0]
    while len(waiting):
        front = waiting[:1]
        depths[front] = depth
        while len(front):
            depth += 1
            reach = degrees[front]
            reached = np.unique(neighbours[np.repeat(starts[front], reach) + ramp(reach)])
            front = reached[depths[reached] < 0]
            depths[front] = depth
        waiting = waiting[depths[waiting] < 0]
    return np.lexsort((np.arange(count), depths, -classes))
