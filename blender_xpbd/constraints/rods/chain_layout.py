# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands without branches as bundles of chains: the integers and numbers that these read, see ``chain_tables``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...geometry.strand_graph import Strand
from ..pools import Pools
from ..side_by_side import LANES
from .chain_tables import (
    AXIS,
    BEND,
    CONSTANTS,
    EDGE_VALUES,
    HEADER,
    LEAST_WEIGHT,
    NODE_VALUES,
    ROOT_VALUES,
    SIGN,
)
from .rod_system import LEAST_UNLIKE

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# of the greatest inverse mass of a strand, what its nodes have at least: what is held for a moment is so heavy
HEAVIEST = 1e-8


@dataclass(frozen=True)
class ChainParts:
    """Strands that are chains, among the particles of a body.

    Attributes:
        edges: of all strands, shape (edges, 2).
        edge_values: length, compliance, tangent and direction of the director, of all edges, shape (edges, 8).
        directors: particle that tells how an edge is turned, −1 for none, shape (edges,).
        inverse_masses: of the particles [1/kg], shape (particles,).
        first_turn: number of the body's first orientation.
    """

    edges: Ints
    edge_values: Floats
    directors: Ints
    inverse_masses: Floats
    first_turn: int

    def is_held(self, strand: Strand) -> tuple[bool, ...]:
        """Which of its nodes are held, from the tip on."""
        return tuple((self.inverse_masses[strand.vertices] <= 0.0).tolist())


def is_chain(strand: Strand, edges: Ints, joints: Floats) -> bool:
    """Whether a strand neither branches nor closes: each edge goes from a vertex to the next one of them.

    Joints that resist bending, and hardly twist, or neither, are for ``rod``: a chain would resist twist more.

    Args:
        strand: which.
        edges: of all strands, shape (edges, 2).
        joints: constants of its joints, shape (joints, 5).
    """
    if not (np.all(joints[:, 0] > 0.0) and np.all(joints[:, 1] >= LEAST_UNLIKE * joints[:, 0])):
        return False
    ends = np.sort(edges[strand.edges], axis=1)
    pairs = np.sort(np.column_stack([strand.vertices[:-1], strand.vertices[1:]]), axis=1)
    return ends.shape == pairs.shape and bool((ends == pairs).all())


def chain_pools(parts: ChainParts, strands: Sequence[Strand], joints: Sequence[Floats]) -> Pools:
    """What the constraint of a bundle reads.

    Args:
        parts: what they are among.
        strands: ``LANES`` at most, of as many edges and with the same nodes held.
        joints: constants of their joints, each of shape (edges − 1, 5).
    """
    count, edges = len(strands), len(strands[0].edges)
    held = np.array(parts.is_held(strands[0]))
    members = np.array([strand.vertices for strand in strands]).T
    numbers = np.array([strand.edges for strand in strands]).T
    directors = parts.directors[numbers]
    is_directed = directors >= 0
    extra_members = directors[is_directed]
    places = np.full(directors.shape, -1)
    places[is_directed] = members.size + np.arange(len(extra_members))
    rows = np.column_stack([held[:-1], held[:-1] & held[1:], is_directed.any(axis=1)])
    table = np.zeros((edges, EDGE_VALUES, LANES))
    lanes = np.minimum(np.arange(LANES), count - 1)
    table[:, :CONSTANTS] = np.moveaxis(_constants(parts, members, numbers, joints), 1, 2)[:, :, lanes]
    nodes = np.zeros((edges + 1, NODE_VALUES, LANES))
    nodes[:, LEAST_WEIGHT] = HEAVIEST * parts.inverse_masses[members].max(axis=0)[lanes]
    sections = [rows.ravel(), (parts.first_turn + numbers).ravel(), places.ravel()]
    starts = HEADER + np.cumsum([0, *(len(section) for section in sections[:-1])])
    header = [count, edges, *starts, 0, table.size, table.size + nodes.size, int(held[-1])]
    return Pools(
        np.concatenate([members.ravel(), extra_members]).astype(np.int32),
        np.concatenate([header, *sections]).astype(np.int32),
        np.concatenate([table.ravel(), nodes.ravel(), np.zeros(ROOT_VALUES * LANES)]),
    )


def _constants(
    parts: ChainParts, members: npt.NDArray[np.int64], numbers: npt.NDArray[np.int64], joints: Sequence[Floats]
) -> Floats:
    """Constants of the edges, shape (edges, strands, CONSTANTS)."""
    constants = np.zeros((*numbers.shape, CONSTANTS))
    constants[:, :, :SIGN] = parts.edge_values[numbers][:, :, :SIGN]
    constants[:, :, SIGN] = np.where(parts.edges[numbers][:, :, 1] == members[:-1], 1.0, -1.0)
    constants[:, :, SIGN + 1 : BEND] = parts.edge_values[numbers][:, :, SIGN:]
    for lane, mine in enumerate(joints):
        # joints are as they were walked, from the root
        constants[:-1, lane, BEND : AXIS + 3] = mine[::-1]
    return constants
