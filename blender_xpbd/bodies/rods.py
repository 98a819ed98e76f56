# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a body is strands: their edges and joints with their stiffness, and the constraint of each strand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..constraints.constraint import ConstraintBlock, ConstraintType
from ..constraints.pools import Pools, joined_pools, pooled_rows
from ..constraints.rods.chain import ROD_CHAINS
from ..constraints.rods.chain_layout import ChainParts, chain_pools, is_chain
from ..constraints.rods.rod import ROD
from ..constraints.rods.rod_layout import RodParts, rod_pools
from ..constraints.side_by_side import LANES
from ..geometry.strand_graph import Strand, find_strands

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Section:
    """What a strand is made of.

    Attributes:
        youngs_modulus: [Pa].
        shear_modulus: that resists twist [Pa].
        bending_share: stiffness against bending by that of a solid rod.
        density: [kg/m³].
    """

    youngs_modulus: float
    shear_modulus: float
    bending_share: float
    density: float


@dataclass(frozen=True)
class Rods:
    """The strands of a body; particles count from its first.

    Attributes:
        edges: tail and head, shape (edges, 2).
        strands: connected pieces.
        lengths: of the edges at rest [m], shape (edges,).
        compliances: of stretch [m/N], shape (edges,).
        diameters: [m], shape (edges,).
        tangents: of the edges at rest, in the frame of their orientations, shape (edges, 3).
        rotations: of the edges at first, unit quaternions (w, x, y, z), shape (edges, 4).
        joints: per strand, bending and twisting stiffness [N·m] and axis of twist, shape (joints, 5).
        directors: of each edge the particle that tells how it is turned, −1 for none, shape (edges,).
        directions: from the middle of the edge to it, in the frame of its orientation, shape (edges, 3).
        follows: material values that the constraints are built from.
    """

    edges: Ints
    strands: Sequence[Strand] = field(repr=False)
    lengths: Floats
    compliances: Floats
    diameters: Floats
    tangents: Floats
    rotations: Floats
    joints: Sequence[Floats] = field(repr=False)
    directors: Ints
    directions: Floats
    follows: tuple[str, ...] = ()

    def blocks(self, inverse_masses: Floats, first_turn: int) -> list[ConstraintBlock]:
        """Constraints of the strands that move: chains in bundles, all others one by one.

        Args:
            inverse_masses: of the body's particles [1/kg], shape (particles,).
            first_turn: number of the body's first orientation.
        """
        constants = np.column_stack([self.lengths, self.compliances, self.tangents, self.directions])
        parts = ChainParts(self.edges, constants, self.directors, inverse_masses, first_turn)
        pools: dict[ConstraintType, list[Pools]] = {ROD_CHAINS: [], ROD: []}
        for bundle in self.bundles(inverse_masses):
            strands = [self.strands[number] for number in bundle]
            if is_chain(strands[0], self.edges, self.joints[bundle[0]]):
                joints = [self.joints[number] for number in bundle]
                pools[ROD_CHAINS].append(chain_pools(parts, strands, joints))
            else:
                pools[ROD].append(self._graph(bundle[0], constants, inverse_masses, first_turn))
        return [_block(kind, mine).following(*self.follows) for kind, mine in pools.items() if mine]

    def bundles(self, inverse_masses: Floats) -> list[list[int]]:
        """Numbers of the strands that move, of equal chains several together; argument as of ``blocks``."""
        parts = ChainParts(self.edges, np.zeros(0), self.directors, inverse_masses, 0)
        alike: dict[tuple[bool, ...], list[int]] = {}
        bundles = []
        for number, strand in enumerate(self.strands):
            held = parts.is_held(strand)
            if all(held):
                continue
            if not is_chain(strand, self.edges, self.joints[number]):
                bundles.append([number])
                continue
            mine = alike.setdefault(held, [])
            if len(mine) in (0, LANES):
                mine = alike[held] = []
                bundles.append(mine)
            mine.append(number)
        return bundles

    def _graph(self, number: int, constants: Floats, inverse_masses: Floats, first_turn: int) -> Pools:
        """What the constraint of a strand with branches or loops reads."""
        strand = self.strands[number]
        members = [*strand.vertices, *(int(n) for n in self.directors[strand.edges] if n >= 0)]
        numbers = np.full(len(inverse_masses), -1)
        numbers[members] = np.arange(len(members))
        parts = RodParts(strand, np.array(members, np.int32), self.edges, numbers, inverse_masses > 0.0)
        return rod_pools(parts, constants, self.joints[number], self.directors, first_turn)

    def gathered(self, positions: Floats, inverse_masses: Floats) -> Floats:
        """Positions by which work is shared out: a bundle is one piece of work, and all of it is in its middle."""
        places = positions.copy()
        for bundle in self.bundles(inverse_masses):
            vertices = [vertex for number in bundle for vertex in self.strands[number].vertices]
            places[vertices] = positions[vertices].mean(axis=0)
        return places


def _block(kind: ConstraintType, pools: list[Pools]) -> ConstraintBlock:
    """Pooled constraints of one kind, each with its own pools."""
    rows = [
        pooled_rows(*(np.array([len(part)]) for part in (mine.members, mine.extras, mine.values))) for mine in pools
    ]
    indices, together = joined_pools(rows, pools)
    return ConstraintBlock(kind, indices, np.ones((len(indices), len(kind.parameters))), together)


def build_rods(
    positions: Floats, edges: Ints, radii: Floats, section: Section, fixed: npt.NDArray[np.bool_], *, straight: bool
) -> Rods:
    """Strands between particles.

    Args:
        positions: at rest [m], shape (particles, 3).
        edges: each pair once, of two different places, shape (edges, 2).
        radii: of the particles [m], shape (particles,).
        section: what they are made of.
        fixed: particles that are held, shape (particles,): an edge between two of them is clamped.
        straight: whether they want to be straight between their branches, or as they are.
    """
    strands = find_strands(len(positions), edges)
    ways = positions[edges[:, 1]] - positions[edges[:, 0]]
    lengths = np.linalg.norm(ways, axis=1)
    now = ways / lengths[:, None]
    clamped = fixed[edges].all(axis=1)
    tangents, rotations = now.copy(), np.tile([1.0, 0.0, 0.0, 0.0], (len(edges), 1))
    degrees = np.bincount(edges.ravel(), minlength=len(positions))
    joints = []
    for strand in strands:
        if straight:
            _straighten(strand, edges, degrees, now, tangents, rotations)
        joints.append(_joints(strand, edges, lengths, tangents, radii, section, clamped))
    diameters = 2.0 * radii[edges].mean(axis=1)
    areas = 0.25 * np.pi * diameters**2
    return Rods(
        edges=edges,
        strands=strands,
        lengths=lengths,
        compliances=lengths / (section.youngs_modulus * areas),
        diameters=diameters,
        tangents=tangents,
        rotations=rotations,
        joints=joints,
        directors=np.full(len(edges), -1, np.int32),
        directions=np.zeros((len(edges), 3)),
    )


def _joints(
    strand: Strand, edges: Ints, lengths: Floats, tangents: Floats, radii: Floats, section: Section, clamped: Ints
) -> Floats:
    rows = np.zeros((len(strand.joints), 5))
    if not len(rows):
        return rows
    firsts, seconds, nodes = (
        np.array([getattr(joint, name) for joint in strand.joints]) for name in ("first", "second", "vertex")
    )
    # a clamp holds the edge in it: what bends is the other half
    length = 0.5 * (lengths[firsts] * ~clamped[firsts] + lengths[seconds] * ~clamped[seconds])
    length = np.where(length > 0.0, length, 0.5 * (lengths[firsts] + lengths[seconds]))
    inertia = 0.25 * np.pi * radii[nodes] ** 4
    rows[:, 0] = section.bending_share * section.youngs_modulus * inertia / length
    rows[:, 1] = section.shear_modulus * 2.0 * inertia / length
    forward = np.where(edges[firsts, 1] == nodes, 1.0, -1.0)
    onward = np.where(edges[seconds, 0] == nodes, 1.0, -1.0)
    axes = forward[:, None] * tangents[firsts] + onward[:, None] * tangents[seconds]
    size = np.linalg.norm(axes, axis=1)
    rows[:, 2:] = np.where(size[:, None] > 1e-6, axes / np.maximum(size, 1e-30)[:, None], tangents[firsts])
    return rows


def _straighten(strand: Strand, edges: Ints, degrees: Ints, now: Floats, tangents: Floats, rotations: Floats) -> None:
    """Turn rest tangents so that edges go straight on where nothing branches, and orientations so that they fit."""
    for joint in strand.joints[: len(strand.joints) - strand.closing]:
        a, b, node = joint.first, joint.second, joint.vertex
        forward = 1.0 if edges[a, 1] == node else -1.0
        onward = 1.0 if edges[b, 0] == node else -1.0
        rotation = rotations[a]
        if degrees[node] == 2:
            tangents[b] = onward * forward * tangents[a]
            turn = least_turn(forward * now[a], onward * now[b])
            rotations[b] = _product(turn, rotation)
        else:
            rotations[b] = rotation
            tangents[b] = rotate(rotation * [1.0, -1.0, -1.0, -1.0], now[b])


def least_turn(old: Floats, new: Floats) -> Floats:
    """The unit quaternion of the least rotation that takes one unit vector to another, shape (4,)."""
    turn = np.concatenate([[1.0 + old @ new], np.cross(old, new)])
    if turn[0] < 1e-9:
        across = np.cross(old, np.eye(3)[np.abs(old).argmin()])
        turn = np.concatenate([[0.0], across])
    unit: Floats = turn / np.linalg.norm(turn)
    return unit


def _product(a: Floats, b: Floats) -> Floats:
    xyz = a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])
    return np.concatenate([[a[0] * b[0] - a[1:] @ b[1:]], xyz])


def rotate(q: Floats, v: Floats) -> Floats:
    """A vector rotated by a unit quaternion, shape (3,)."""
    doubled = 2.0 * np.cross(q[1:], v)
    rotated: Floats = v + q[0] * doubled + np.cross(q[1:], doubled)
    return rotated
