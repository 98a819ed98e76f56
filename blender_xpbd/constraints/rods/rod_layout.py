# SPDX-License-Identifier: GPL-3.0-or-later
"""A strand as the integers and numbers that its constraint reads, see ``rod_tables``."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...geometry.elimination import Elimination, eliminate
from ...geometry.strand_graph import Strand
from ..pools import Pools
from .rod_tables import EDGE_STATES, HEADER, JOINT_INTS, JOINT_STATES, PAIR_INTS

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
    movable = parts.is_movable[edges]
    nodes = _rows(parts.is_movable[strand.vertices])
    twists = tensions = _rows(movable.any(axis=1))
    own = {edge: number for number, edge in enumerate(strand.edges)}
    ends = parts.numbers[edges]
    joints, node_matrix, twist_matrix = _joint_rows(parts, own, nodes, twists)
    edge_rows = np.column_stack(
        [
            ends,
            first_turn + np.array(strand.edges),
            twists,
            tensions,
            np.where(directors[strand.edges] >= 0, parts.numbers[directors[strand.edges]], -1),
            [node_matrix.place(*pair) for pair in nodes[ends].tolist()],
        ]
    )
    pairs, tension_matrix = _pair_rows(ends, nodes, tensions)
    patterns = [_flat(matrix) for matrix in (node_matrix, twist_matrix, tension_matrix)]
    sections = [nodes, edge_rows.ravel(), joints.ravel(), pairs.ravel(), *patterns]
    places = HEADER + np.cumsum([0, *(len(section) for section in sections[:-1])])
    constants = edge_values[strand.edges]
    counts = [matrix.count for matrix in (node_matrix, twist_matrix, tension_matrix)]
    sizes = [
        constants.size,
        joint_values.size,
        *(matrix.number_count for matrix in (node_matrix, twist_matrix, tension_matrix)),
        *(3 * counts[0], counts[1], counts[2], 3 * counts[0], EDGE_STATES * len(edges), JOINT_STATES * len(joints)),
    ]
    header = [len(nodes), len(edges), len(joints), len(pairs), *counts, *places, *(np.cumsum(sizes) - sizes)]
    values = np.zeros(sum(sizes))
    values[: constants.size] = constants.ravel()
    values[constants.size : constants.size + joint_values.size] = joint_values.ravel()
    extras = np.concatenate([np.array(header), *sections]).astype(np.int32)
    return Pools(parts.members, extras, values)


def _rows(takes_part: npt.NDArray[np.bool_]) -> Indices:
    """Numbers of what takes part, −1 for the rest."""
    return np.where(takes_part, np.cumsum(takes_part) - 1, -1)


def _flat(matrix: Elimination) -> Ints:
    return np.concatenate([matrix.starts, matrix.rows, matrix.targets])


def _joint_rows(
    parts: RodParts, own: dict[int, int], nodes: Indices, twists: Indices
) -> tuple[Indices, Elimination, Elimination]:
    rows, triples, pairs = [], [], []
    for joint in parts.strand.joints:
        triple = [int(parts.numbers[vertex]) for vertex in (joint.ends[0], joint.vertex, joint.ends[1])]
        pair = own[joint.first], own[joint.second]
        forward = 1 if parts.edges[joint.first, 1] == joint.vertex else -1
        onward = 1 if parts.edges[joint.second, 0] == joint.vertex else -1
        rows.append([*pair, triple[1], triple[0], triple[2], forward, onward])
        triples.append([int(nodes[n]) for n in triple])
        pairs.append([int(twists[n]) for n in pair])
    ends = nodes[parts.numbers[parts.edges[parts.strand.edges]]].tolist()
    around = (pair for triple in triples for pair in itertools.combinations(triple, 2))
    node_matrix = eliminate(int(nodes.max(initial=-1)) + 1, itertools.chain(around, ends))
    twist_matrix = eliminate(int(twists.max(initial=-1)) + 1, [(a, b) for a, b in pairs])
    places = [
        [
            *(node_matrix.place(n, n) for n in triple),
            *(node_matrix.place(triple[a], triple[b]) for a, b in ((0, 1), (1, 2), (0, 2))),
            *(twist_matrix.place(n, n) for n in pair),
            twist_matrix.place(*pair),
        ]
        for triple, pair in zip(triples, pairs, strict=True)
    ]
    joined = [[*row, *place] for row, place in zip(rows, places, strict=True)]
    return np.array(joined, np.int64).reshape(len(rows), JOINT_INTS), node_matrix, twist_matrix


def _pair_rows(ends: Indices, nodes: Indices, tensions: Indices) -> tuple[Indices, Elimination]:
    """Pairs of edges that share a node which moves."""
    around: dict[int, list[tuple[int, int]]] = {}
    for edge, (tail, head) in enumerate(ends.tolist()):
        for node, sign in ((tail, -1), (head, 1)):
            if nodes[node] >= 0:
                around.setdefault(node, []).append((edge, sign))
    found = [
        (node, a[0], b[0], a[1] * b[1]) for node, mine in around.items() for a, b in itertools.combinations(mine, 2)
    ]
    matrix = eliminate(
        int(tensions.max(initial=-1)) + 1, ((int(tensions[a]), int(tensions[b])) for _, a, b, _ in found)
    )
    rows = [[*row, matrix.place(int(tensions[row[1]]), int(tensions[row[2]]))] for row in found]
    return np.array(rows, np.int64).reshape(len(rows), PAIR_INTS), matrix
