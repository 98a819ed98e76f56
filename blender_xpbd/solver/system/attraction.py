# SPDX-License-Identifier: GPL-3.0-or-later
"""What attracts each other by its mass: all particles of all bodies, in the leaves of a tree (Barnes & Hut 1986).

Few particles are summed one by one. Of many, those of a node count as their centre of mass where it is far away for its
size. The tree is balanced: its ranges follow from the number of particles alone. Which particle stands where in it
follows from the places at the start of a frame, so a bake goes on from any checkpoint with the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...bodies.body_model import BodyModel
from ...forces.attraction import NODE_FIRST, NODE_INTS, NODE_LAST, NODE_SKIP
from ...scene.scene import Scene

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# particles of a leaf at most
LEAF = 16
# up to so many particles, all are summed one by one
FEW = 512
# size of a node by its distance, below which it counts as a whole: forces are then within 1 % or so
OPENING = 0.5


@dataclass(frozen=True)
class Attraction:
    """The attraction of a scene.

    Attributes:
        strength: G [m³/(kg·s²)]; 0 for none.
        softening: ε [m].
        weights: how strongly each particle attracts and is attracted, shape (particles,); empty for no strength.
        masses: of each particle, times its weight [kg], shape (particles,); likewise.
        members: the particles that attract, shape (members,).
        nodes: columns as in ``forces.attraction``, each node before those within it, shape (nodes, ``NODE_INTS``).
    """

    strength: float
    softening: float
    weights: Floats
    masses: Floats
    members: Ints
    nodes: Ints

    def __bool__(self) -> bool:
        return self.strength != 0.0 and len(self.members) > 0

    @property
    def numbers(self) -> Floats:
        """G, ε² and how far nodes are opened, shape (3,)."""
        return np.array([self.strength, self.softening**2, 0.0 if len(self.members) <= FEW else OPENING])

    def ordered(self, positions: npt.NDArray[np.floating]) -> Ints:
        """The members as they stand in the leaves, shape (members,): halved along the longest side again and again.

        Args:
            positions: of all particles [m], shape (particles, 3).
        """
        if len(self.nodes) <= 1:
            return self.members
        places = positions[self.members].astype(np.float64)
        order = np.arange(len(places))
        bounds = np.array([0, len(places)])
        while np.diff(bounds).max() > LEAF:
            owners = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
            inside = places[order]
            sides = np.maximum.reduceat(inside, bounds[:-1]) - np.minimum.reduceat(inside, bounds[:-1])
            keys = inside[np.arange(len(order)), sides.argmax(axis=1)[owners]]
            order = order[np.lexsort((order, keys, owners))]
            bounds = np.unique(np.concatenate([bounds, (bounds[:-1] + bounds[1:]) // 2]))
        return self.members[order]


def build_attraction(scene: Scene, models: Sequence[BodyModel], starts: Ints, particle_count: int) -> Attraction:
    """The attraction of a scene.

    Args:
        scene: bodies and settings.
        models: of the bodies.
        starts: first particle of each body.
        particle_count: of all, with those of no body.
    """
    # most scenes have none, and need not keep what none of their particles does
    count = particle_count if scene.attraction else 0
    weights, masses = np.zeros(count), np.zeros(count)
    if scene.attraction:
        for model, start in zip(models, starts, strict=False):
            mine = slice(start, start + len(model.masses))
            weights[mine] = model.body.material.attraction_weight
            masses[mine] = weights[mine] * model.masses
    members = np.flatnonzero(masses > 0.0).astype(np.int32)
    return Attraction(
        scene.attraction, scene.attraction_softening, weights, masses, members, _nodes(len(members), scene.attraction)
    )


def _nodes(count: int, strength: float) -> Ints:
    """The nodes over so many members, all of whose leaves are equally deep."""
    if count == 0 or strength == 0.0:
        return np.zeros((0, NODE_INTS), np.int32)
    depth = 0
    while -(-count // 2**depth) > LEAF:
        depth += 1
    rows: list[list[int]] = []

    def add(first: int, last: int, levels: int) -> None:
        row = [0] * NODE_INTS
        rows.append(row)
        if levels:
            middle = (first + last) // 2
            add(first, middle, levels - 1)
            add(middle, last, levels - 1)
        row[NODE_FIRST], row[NODE_LAST], row[NODE_SKIP] = first, last, len(rows)

    add(0, count, depth)
    return np.array(rows, np.int32)
