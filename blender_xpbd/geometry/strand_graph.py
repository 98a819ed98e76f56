# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands in a graph of edges: who follows whom, and where edges join."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Joint:
    """Where an edge goes on in another one.

    Attributes:
        vertex: that both have.
        first, second: the edges; ``second`` is the one that is reached later, unless it closes a loop.
        ends: their other vertices.
    """

    vertex: int
    first: int
    second: int
    ends: tuple[int, int]


@dataclass(frozen=True)
class Strand:
    """A connected piece of the graph; numbers are those of the whole.

    Attributes:
        vertices: leaves first, as they are eliminated; the last is where the walk began.
        edges: likewise.
        joints: each edge with the one that the walk came by, and where the walk closes a loop with the one there.
        closing: how many of the joints, the last ones, close loops.
    """

    vertices: list[int]
    edges: list[int]
    joints: list[Joint]
    closing: int


def find_strands(vertex_count: int, edges: Ints) -> list[Strand]:
    """The strands of a graph, each walked in depth from an end of it.

    Args:
        vertex_count: number of vertices; those without edges are in no strand.
        edges: of two different vertices, each pair once, shape (edges, 2).
    """
    around: list[list[tuple[int, int]]] = [[] for _ in range(vertex_count)]
    for number, (a, b) in enumerate(edges.tolist()):
        around[a].append((b, number))
        around[b].append((a, number))
    seen = np.zeros(vertex_count, np.bool_)
    # ends first, so that a chain is walked from one to the other
    order = sorted(range(vertex_count), key=lambda vertex: (len(around[vertex]) != 1, vertex))
    return [_walk(root, around, seen) for root in order if around[root] and not seen[root]]


def _walk(root: int, around: list[list[tuple[int, int]]], seen: npt.NDArray[np.bool_]) -> Strand:
    vertices, edges = [root], list[int]()
    joints, loops = list[Joint](), list[Joint]()
    seen[root] = True
    came_by: dict[int, tuple[int, int]] = {}
    used: set[int] = set()
    stack = [(root, iter(around[root]))]
    while stack:
        vertex, ways = stack[-1]
        for other, edge in ways:
            if edge in used:
                continue
            used.add(edge)
            edges.append(edge)
            joints += _joint_before(vertex, edge, other, came_by, around)
            if seen[other]:
                loops += _closing_joint(vertex, edge, other, came_by, around)
                continue
            seen[other] = True
            came_by[other] = (edge, vertex)
            vertices.append(other)
            stack.append((other, iter(around[other])))
            break
        else:
            stack.pop()
    return Strand(vertices[::-1], edges[::-1], [*joints, *loops], len(loops))


def _joint_before(
    vertex: int, edge: int, other: int, came_by: dict[int, tuple[int, int]], around: list[list[tuple[int, int]]]
) -> Iterator[Joint]:
    """With the edge by which the walk came; at its root with the first edge there."""
    if vertex in came_by:
        before, end = came_by[vertex]
        yield Joint(vertex, before, edge, (end, other))
    elif around[vertex][0][1] != edge:
        end, before = around[vertex][0]
        yield Joint(vertex, before, edge, (end, other))


def _closing_joint(
    vertex: int, edge: int, other: int, came_by: dict[int, tuple[int, int]], around: list[list[tuple[int, int]]]
) -> Iterator[Joint]:
    """Where an edge comes to a vertex that was walked before."""
    end, before = (came_by[other][1], came_by[other][0]) if other in came_by else around[other][0]
    if before != edge:
        yield Joint(other, before, edge, (end, vertex))
