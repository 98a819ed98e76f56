# SPDX-License-Identifier: GPL-3.0-or-later
"""When coarse levels of a cloth pay, and how stiff each of them is.

A sweep over the constraints carries a pull one edge far. Stiff cloth of many vertices, hung from its pins, therefore
stretches like rubber unless sweeps are many. On a coarse level a pull goes many edges at once; the sweep over the
constraints then has only short waves left to do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..constraints.scaling import Scaling
from ..geometry.levels.hierarchy import CoarseLevel

Floats = npt.NDArray[np.float64]

# levels are left out where springs are so soft that a sweep undoes less than this share of a pull (``Hierarchy.left``),
# or where plain sweeps would stretch the cloth by less than this, at rest, on the mean over its width: swinging on two
# corners it is ten times as much and more (docs/experiments.md, Coarse levels of cloth). Both chosen by hand
LEAST_SHARE_LEFT = 0.5
LEAST_STRETCH = 0.002


@dataclass(frozen=True)
class Hierarchy:
    """The coarse levels of a body, whatever the substeps.

    Attributes:
        levels: finest first.
        rigidity: Σ L²/α over the springs of the cloth [N·m]: twice the energy of a unit strain in all directions.
        compliance: of a spring on the average [m/N].
        weight: sum of the inverse masses of two neighbours [1/kg].
        hops: edges from the pins, or without any from the middle, to the farthest vertex.
        depth: way along edges to the farthest vertex, likewise [m].
        is_pinned: whether something holds the cloth; else it can hang on nothing but what it touches.
        law: how compliances follow a material value.
    """

    levels: tuple[CoarseLevel, ...]
    rigidity: float
    compliance: float
    weight: float
    hops: int
    depth: float
    is_pinned: bool
    law: Scaling

    def pays(self, h: float, gravity: float) -> bool:
        """Whether plain sweeps, one in a substep, would stretch the cloth well beyond its stiffness.

        A chain of n links of the length L that hangs at rest is stretched by 2 n g h² / L at its upper end.

        Args:
            h: duration of a substep [s].
            gravity: g, of the scene [m/s²].
        """
        stretch = 2.0 * self.hops**2 * gravity * h * h / self.depth
        return self.left(h) >= LEAST_SHARE_LEFT and stretch >= LEAST_STRETCH

    def left(self, h: float) -> float:
        """The share of a pull that a sweep over springs undoes where they are rigid, and which softer ones pass on."""
        return self.weight / (self.weight + self.compliance / (h * h))

    def softened(self, factor: float) -> Hierarchy:
        """The levels of a cloth of springs so many times as compliant."""
        return replace(self, rigidity=self.rigidity / factor, compliance=self.compliance * factor)

    def stiffness(self, h: float) -> Floats:
        """Compliance [m/N] of each level's links and the share that finer levels take, shape (levels, 2).

        Every level alone is as stiff as the cloth; in turn each takes its share of what the ones above it left over.
        """
        rows, left = [], self.left(h)
        for level in self.levels:
            compliance = float((level.lengths**2).sum()) / self.rigidity
            rows.append((compliance, 1.0 - left))
            moving = level.inverse_masses[level.inverse_masses > 0.0]
            weight = 2.0 * float(np.median(moving)) if len(moving) else 0.0
            left *= weight / (weight + compliance / (h * h)) if weight else 1.0
        return np.array(rows)
