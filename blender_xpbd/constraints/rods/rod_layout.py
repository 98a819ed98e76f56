# SPDX-License-Identifier: GPL-3.0-or-later
"""A strand as the integers and numbers that its constraint reads, see ``rod_tables``."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ...geometry.elimination import Elimination, eliminate
from ...geometry.strand_graph import Strand
from ..pools import Pools
from .rod_tables import (
    EDGE_DIRECTOR,
    EDGE_INTS,
    EDGE_STATES,
    EDGE_TURN,
    HEADER,
    JOINT_END,
    JOINT_INTS,
    JOINT_NODE,
    JOINT_OTHER,
    JOINT_STATES,
    NODE_INTS,
)

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class RodParts:
    """A strand among the particles of a body.

    Attributes:
        strand: see there.
        members: its particles: those of its vertices, then of its directors.
        edges: of all strands, shape (edges, 2).
        numbers: of each particle, which member it is; of others anything.
        is_movable: of each particle, shape (particles,).
    """

    strand: Strand
    members: Ints
    edges: Ints
    numbers: Indices
    is_movable: npt.NDArray[np.bool_]


def rod_pools(parts: RodParts, edge_values: Floats, joint_values: Floats, directors: Ints, first_turn: int) -> Pools:
    """What the constraint of a strand reads.

    Args:
        parts: the strand.
        edge_values: constants of all edges, shape (edges, EDGE_VALUES).
        joint_values: of its joints, shape (joints, JOINT_VALUES).
        directors: particle that tells how an edge is turned, of all edges; −1 for none.
        first_turn: number of the body's first orientation.
    """
    strand = parts.strand
    ends = parts.numbers[parts.edges[strand.edges]]
    is_movable = parts.is_movable[strand.vertices]
    layout = _layout(tuple(is_movable.tolist()), tuple(map(tuple, ends.tolist())), tuple(_joint_rows(parts)))
    edge_rows = layout.edge_rows.copy()
    edge_rows[:, EDGE_TURN] = first_turn + np.array(strand.edges)
    mine = directors[strand.edges]
    edge_rows[:, EDGE_DIRECTOR] = np.where(mine >= 0, parts.numbers[mine], -1)
    sections = [layout.node_rows.ravel(), edge_rows.ravel(), layout.joint_rows.ravel(), layout.pattern]
    places = HEADER + np.cumsum([0, *(len(section) for section in sections[:-1])])
    constants = edge_values[strand.edges]
    counts = [len(strand.vertices), len(ends), len(strand.joints), layout.row_count]
    sizes = [
        *(constants.size, joint_values.size, layout.number_count),
        *(3 * counts[0], layout.row_count, 3 * counts[0], EDGE_STATES * counts[1], JOINT_STATES * counts[2]),
    ]
    header = [*counts, *places, *(np.cumsum(sizes) - sizes)]
    values = np.zeros(sum(sizes))
    values[: constants.size] = constants.ravel()
    values[constants.size : constants.size + joint_values.size] = joint_values.ravel()
    extras = np.concatenate([np.array(header), *sections]).astype(np.int32)
    return Pools(parts.members, extras, values)


@dataclass(frozen=True)
class _Layout:
    """What strands of the same edges and pins share: integers as in ``rod_tables``, and those of the elimination."""

    node_rows: Indices
    edge_rows: Indices
    joint_rows: Indices
    pattern: Ints
    row_count: int
    number_count: int


# all hairs of a head have the same
@lru_cache(maxsize=16)
def _layout(
    is_movable: tuple[bool, ...], ends: tuple[tuple[int, int], ...], joints: tuple[tuple[int, ...], ...]
) -> _Layout:
    """The layout of a strand.

    Args:
        is_movable: of its nodes.
        ends: of its edges, tail and head.
        joints: the first integers of each.
    """
    rows = _rows(is_movable, ends)
    triples = [(joint[JOINT_END], joint[JOINT_NODE], joint[JOINT_OTHER]) for joint in joints]
    pairs = [joint[:JOINT_NODE] for joint in joints]
    matrix = eliminate(rows.count, _coupled(rows, ends, triples, pairs))
    node_rows = [[row, *(matrix.place(*pair) for pair in _own_pairs(row))] for row in rows.nodes]
    edge_rows = [
        [*pair, -1, tension, -1, *_edge_places(matrix, rows, tension, pair)]
        for pair, tension in zip(ends, rows.tensions, strict=True)
    ]
    joint_rows = [
        [*joint, *_joint_places(matrix, rows, triple), *_turn_places(matrix, rows, triple, pair)]
        for joint, triple, pair in zip(joints, triples, pairs, strict=True)
    ]
    return _Layout(
        _table(node_rows, NODE_INTS),
        _table(edge_rows, EDGE_INTS),
        _table(joint_rows, JOINT_INTS),
        np.concatenate([matrix.starts, matrix.rows, matrix.targets]),
        rows.count,
        matrix.number_count,
    )


@dataclass(frozen=True)
class _Rows:
    """Which rows of the matrix nodes, tensions and turns have, −1 for none.

    The tension of an edge comes after the first of its ends, and after it its turn.
    """

    nodes: list[int]
    tensions: list[int]
    count: int

    def axes(self, nodes: Iterable[int]) -> list[int]:
        """The three rows of each of some nodes."""
        return [row + axis if row >= 0 else -1 for row in (self.nodes[node] for node in nodes) for axis in range(3)]

    def turn(self, edge: int) -> int:
        """The row of the turn of an edge."""
        return self.tensions[edge] + 1 if self.tensions[edge] >= 0 else -1


def _rows(is_movable: Sequence[bool], ends: Sequence[tuple[int, int]]) -> _Rows:
    nodes, tensions = [-1] * len(is_movable), [-1] * len(ends)
    firsts: dict[int, list[int]] = {}
    for edge, pair in enumerate(ends):
        movable = [node for node in pair if is_movable[node]]
        if movable:
            firsts.setdefault(min(movable), []).append(edge)
    count = 0
    for node, moves in enumerate(is_movable):
        if moves:
            nodes[node] = count
            count += 3
        for edge in firsts.get(node, []):
            tensions[edge] = count
            count += 2
    return _Rows(nodes, tensions, count)


def _table(rows: list[list[int]], width: int) -> Indices:
    return np.array(rows, np.int64).reshape(len(rows), width)


def _own_pairs(row: int) -> list[tuple[int, int]]:
    x, y, z = (row, row + 1, row + 2) if row >= 0 else (-1, -1, -1)
    return [(x, y), (x, z), (y, z)]


def _coupled(
    rows: _Rows, ends: Iterable[tuple[int, int]], triples: Iterable[tuple[int, ...]], pairs: Iterable[tuple[int, ...]]
) -> Iterator[tuple[int, int]]:
    """Rows and columns that are not 0: nodes of a joint and turns of its edges, ends of an edge with its tension."""
    for triple, pair in zip(triples, pairs, strict=True):
        yield from itertools.combinations([*rows.axes(triple), *map(rows.turn, pair)], 2)
    for pair, tension in zip(ends, rows.tensions, strict=True):
        yield from itertools.combinations([*rows.axes(pair), tension], 2)


def _edge_places(matrix: Elimination, rows: _Rows, tension: int, ends: tuple[int, int]) -> list[int]:
    axes = rows.axes(ends)
    along = [matrix.place(axis, tension) for axis in axes]
    return [*along, *(matrix.place(a, b) for a, b in zip(axes[:3], axes[3:], strict=True))]


def _joint_places(matrix: Elimination, rows: _Rows, triple: tuple[int, ...]) -> list[int]:
    axes = rows.axes(triple)
    end, node, other = axes[:3], axes[3:6], axes[6:]
    return [matrix.place(a, b) for one, two in ((end, node), (node, other), (end, other)) for a in one for b in two]


def _turn_places(matrix: Elimination, rows: _Rows, triple: tuple[int, ...], pair: tuple[int, ...]) -> list[int]:
    first, second = map(rows.turn, pair)
    axes = rows.axes(triple)
    return [*(matrix.place(turn, axis) for turn in (first, second) for axis in axes), matrix.place(first, second)]


def _joint_rows(parts: RodParts) -> Iterator[tuple[int, ...]]:
    """Of each joint its first integers."""
    own = {edge: number for number, edge in enumerate(parts.strand.edges)}
    for joint in parts.strand.joints:
        end, node, other = (int(parts.numbers[n]) for n in (joint.ends[0], joint.vertex, joint.ends[1]))
        forward = 1 if parts.edges[joint.first, 1] == joint.vertex else -1
        onward = 1 if parts.edges[joint.second, 0] == joint.vertex else -1
        yield own[joint.first], own[joint.second], node, end, other, forward, onward
