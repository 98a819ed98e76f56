# SPDX-License-Identifier: GPL-3.0-or-later
"""The springs of a cloth that coarse nets are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..constraints.constraint import ConstraintBlock
from ..constraints.distance import DISTANCE
from ..constraints.two_sided_distance import FREE, TWO_SIDED_DISTANCE
from ..geometry.levels.nets import Net, build_nets

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# stiffer springs count as so many times stiffer than inertia: a sweep holds them well enough, and single precision has
# room. Ten times as many changes nothing from 8 substeps on (docs/experiments.md, Coarse nets of springs)
MOST_STIFFNESS = 500.0


@dataclass(frozen=True)
class NetSprings:
    """Springs between particles, whatever the substeps.

    Attributes:
        positions: of the particles at rest [m], shape (particles, 3).
        masses: [kg], shape (particles,); 0 for what nothing moves.
        pairs: shape (springs, 2).
        lengths: at rest [m], shape (springs,).
        compliances: under tension and under compression [m/N], −1 for none, shape (springs, 2).
    """

    positions: Floats
    masses: Floats
    pairs: Ints
    lengths: Floats
    compliances: Floats

    @staticmethod
    def of(
        blocks: tuple[ConstraintBlock, ...], positions: Floats, masses: Floats, chosen: npt.NDArray[np.bool_]
    ) -> NetSprings | None:
        """The springs of blocks between chosen particles; None where there are none, or other constraints beside.

        Args:
            blocks: the membrane of a cloth.
            positions: [m], shape (particles, 3).
            masses: [kg], shape (particles,); 0 for what nothing moves.
            chosen: shape (particles,).
        """
        if any(block.type not in (DISTANCE, TWO_SIDED_DISTANCE) for block in blocks):
            return None
        rows = [(block.indices, block.parameters[:, 0], block.parameters[:, [1, -1]]) for block in blocks]
        pairs, lengths, compliances = (np.concatenate([row[part] for row in rows]) for part in range(3))
        kept = chosen[pairs[:, 0]] & (lengths > 0.0) & (compliances[:, 0] != FREE)
        if not kept.any():
            return None
        return NetSprings(positions, masses, pairs[kept], lengths[kept], compliances[kept])

    def stiffness(self, h: float) -> Floats:
        """h² k under tension and under compression, for substeps of h [kg], shape (springs, 2)."""
        mass = float(np.median(self.masses[self.masses > 0.0]))
        hard = np.maximum(self.compliances, 0.0) / (h * h) + 1.0 / (MOST_STIFFNESS * mass)
        return np.where(self.compliances == FREE, 0.0, 1.0 / hard)

    def nets(self, h: float) -> tuple[Net, ...]:
        """The coarse nets for substeps of h [s]."""
        return build_nets(self.positions, self.pairs, self.stiffness(h)[:, 0], self.masses)
