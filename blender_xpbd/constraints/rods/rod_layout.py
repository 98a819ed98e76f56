# SPDX-License-Identifier: GPL-3.0-or-later
"""A strand as the integers and numbers that its constraint reads, see ``rod_tables``."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...geometry.elimination import Elimination, eliminate
from ...geometry.strand_graph import Strand
from ..pools import Pools
from .rod_tables import EDGE_INTS, EDGE_STATES, HEADER, JOINT_INTS, JOINT_STATES, NODE_INTS

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
    strand, edges = parts.strand, parts.edges[parts.strand.edges]
    ends = parts.numbers[edges]
    rows = _rows(parts.is_movable[strand.vertices], ends)
    twists = _numbered(parts.is_movable[edges].any(axis=1))
    own = {edge: number for number, edge in enumerate(strand.edges)}
    joints, triples, pairs = _joint_rows(parts, own)
    matrix = eliminate(rows.count, _coupled(rows, ends, triples))
    twist_matrix = eliminate(int(twists.max(initial=-1)) + 1, [(int(twists[a]), int(twists[b])) for a, b in pairs])
    node_rows = [[row, *(matrix.place(*pair) for pair in _own_pairs(int(row)))] for row in rows.nodes]
    edge_rows = [
        [*ends[k], first_turn + edge, twists[k], rows.tensions[k], *_edge_places(matrix, rows, k, ends[k])]
        for k, edge in enumerate(strand.edges)
    ]
    for row, director in zip(edge_rows, directors[strand.edges], strict=True):
        row.insert(5, parts.numbers[director] if director >= 0 else -1)
    joint_rows = [
        [*joint, *_joint_places(matrix, rows, triple), *_twist_places(twist_matrix, twists, pair)]
        for joint, triple, pair in zip(joints, triples, pairs, strict=True)
    ]
    sections = [
        *(_flat_rows(node_rows, NODE_INTS), _flat_rows(edge_rows, EDGE_INTS), _flat_rows(joint_rows, JOINT_INTS)),
        *(_flat(matrix), _flat(twist_matrix)),
    ]
    places = HEADER + np.cumsum([0, *(len(section) for section in sections[:-1])])
    constants = edge_values[strand.edges]
    nodes = len(strand.vertices)
    sizes = [
        *(constants.size, joint_values.size, matrix.number_count, twist_matrix.number_count),
        *(3 * nodes, matrix.count, twist_matrix.count, 3 * nodes, EDGE_STATES * len(edges), JOINT_STATES * len(joints)),
    ]
    counts = [nodes, len(edges), len(joints), matrix.count, twist_matrix.count]
    header = [*counts, *places, *(np.cumsum(sizes) - sizes)]
    values = np.zeros(sum(sizes))
    values[: constants.size] = constants.ravel()
    values[constants.size : constants.size + joint_values.size] = joint_values.ravel()
    extras = np.concatenate([np.array(header), *sections]).astype(np.int32)
    return Pools(parts.members, extras, values)


@dataclass(frozen=True)
class _Rows:
    """Which rows of the matrix nodes and tensions have, −1 for none; a tension comes after the first of its ends."""

    nodes: Indices
    tensions: Indices
    count: int


def _rows(is_movable: npt.NDArray[np.bool_], ends: Indices) -> _Rows:
    nodes, tensions = np.full(len(is_movable), -1), np.full(len(ends), -1)
    firsts: dict[int, list[int]] = {}
    for edge, pair in enumerate(ends.tolist()):
        movable = [node for node in pair if is_movable[node]]
        if movable:
            firsts.setdefault(min(movable), []).append(edge)
    count = 0
    for node in np.flatnonzero(is_movable).tolist():
        nodes[node] = count
        count += 3
        for edge in firsts.get(node, []):
            tensions[edge] = count
            count += 1
    return _Rows(nodes, tensions, count)


def _numbered(takes_part: npt.NDArray[np.bool_]) -> Indices:
    """Numbers of what takes part, −1 for the rest."""
    return np.where(takes_part, np.cumsum(takes_part) - 1, -1)


def _flat(matrix: Elimination) -> Ints:
    return np.concatenate([matrix.starts, matrix.rows, matrix.targets])


def _flat_rows(rows: list[list[int]], width: int) -> Indices:
    return np.array(rows, np.int64).reshape(len(rows) * width)


def _axes(row: int) -> list[int]:
    """The three rows of a node."""
    return [row + axis if row >= 0 else -1 for axis in range(3)]


def _own_pairs(row: int) -> list[tuple[int, int]]:
    x, y, z = _axes(row)
    return [(x, y), (x, z), (y, z)]


def _coupled(rows: _Rows, ends: Indices, triples: list[list[int]]) -> Iterator[tuple[int, int]]:
    """Rows and columns that are not 0: nodes of a joint, ends of an edge, and both with its tension."""
    for group in [*triples, *ends.tolist()]:
        mine = [axis for node in group for axis in _axes(int(rows.nodes[node]))]
        yield from itertools.combinations(mine, 2)
    for edge, pair in enumerate(ends.tolist()):
        yield from ((axis, int(rows.tensions[edge])) for node in pair for axis in _axes(int(rows.nodes[node])))


def _edge_places(matrix: Elimination, rows: _Rows, edge: int, ends: Indices) -> list[int]:
    tail, head = (_axes(int(rows.nodes[node])) for node in ends)
    tension = int(rows.tensions[edge])
    along = [matrix.place(axis, tension) for axis in (*tail, *head)]
    return [*along, *(matrix.place(a, b) for a, b in zip(tail, head, strict=True))]


def _joint_places(matrix: Elimination, rows: _Rows, triple: list[int]) -> list[int]:
    end, node, other = (_axes(int(rows.nodes[n])) for n in triple)
    return [matrix.place(a, b) for one, two in ((end, node), (node, other), (end, other)) for a in one for b in two]


def _twist_places(matrix: Elimination, twists: Indices, pair: tuple[int, int]) -> list[int]:
    first, second = (int(twists[n]) for n in pair)
    return [matrix.place(first, first), matrix.place(second, second), matrix.place(first, second)]


def _joint_rows(parts: RodParts, own: dict[int, int]) -> tuple[list[list[int]], list[list[int]], list[tuple[int, int]]]:
    """Of each joint its first integers, its nodes (end, node, other) and its edges."""
    rows, triples, pairs = [], [], []
    for joint in parts.strand.joints:
        end, node, other = (int(parts.numbers[n]) for n in (joint.ends[0], joint.vertex, joint.ends[1]))
        pair = own[joint.first], own[joint.second]
        forward = 1 if parts.edges[joint.first, 1] == joint.vertex else -1
        onward = 1 if parts.edges[joint.second, 0] == joint.vertex else -1
        rows.append([*pair, node, end, other, forward, onward])
        triples.append([end, node, other])
        pairs.append(pair)
    return rows, triples, pairs
