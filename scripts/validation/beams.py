# SPDX-License-Identifier: GPL-3.0-or-later
"""Beams of tetrahedra, clamped at one end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from blender_xpbd.bodies.body_model import BodyModel

from .linear import displacements, stiffness
from .meshes import jelly, lattice_box
from .simulation import GRAVITY, held, pulled, settled, start

Floats = npt.NDArray[np.float64]

DENSITY = 1000.0
SLENDERNESS = 8
POISSONS_RATIO = 0.3
# cells that sound passes in a step: long steps find the place, short ones settle; and iterations of each step
CELLS_PER_STEP = (4.0, 1.0)
ITERATIONS = {"NEO_HOOKEAN": 10, "COROTATED": 10, "SPRINGS": 20}


@dataclass(frozen=True)
class Beam:
    """A beam of 1 m along X, clamped at 0 and a few cells wide.

    Attributes:
        cells: over its thickness.
        modulus: Young's modulus [Pa].
        tip_force: downwards, at the tip, as a multiple of EI/L² [1].
        has_weight: whether gravity pulls.
        model: of the material.
        slenderness: length per thickness.
        cells_across: over its width; less than half of those over its thickness, and it turns on its side under large
            loads.
    """

    cells: int
    modulus: float
    tip_force: float = 0.0
    has_weight: bool = False
    model: str = "NEO_HOOKEAN"
    slenderness: int = SLENDERNESS
    cells_across: int = 2

    def __post_init__(self) -> None:
        if not (self.tip_force or self.has_weight):
            raise ValueError("a beam needs a load")

    @property
    def spacing(self) -> float:
        """Side of a cell [m]."""
        return 1.0 / (self.slenderness * self.cells)

    @property
    def force(self) -> float:
        """Load at the tip [N]."""
        inertia = self.cells_across * self.spacing / (12.0 * self.slenderness**3)
        return self.tip_force * self.modulus * inertia

    def body(self) -> tuple[BodyModel, npt.NDArray[np.intp], Floats]:
        """Without its load: the body, its tip's particles, and how they share a load."""
        size = (1.0, self.cells_across * self.spacing, 1.0 / self.slenderness)
        vertices, tetrahedra = lattice_box(size, (self.slenderness * self.cells, self.cells_across, self.cells))
        first_mode = 3.516 * self.speed / (self.slenderness * np.sqrt(12.0))
        body = jelly(
            vertices,
            tetrahedra,
            density=DENSITY,
            youngs_modulus=self.modulus,
            solid_model=self.model,
            poissons_ratio=POISSONS_RATIO,
            damping=1.5 * first_mode,
        )
        tip = np.flatnonzero(vertices[:, 0] > 1.0 - 1e-9)
        return held(body, vertices[:, 0] < 1e-9), tip, corner_shares(vertices[tip, 1:])

    @property
    def speed(self) -> float:
        """Of sound [m/s]."""
        return float(np.sqrt(self.modulus / DENSITY))

    def displaced_tip(self) -> Floats:
        """Mean displacement of the tip at rest [m], shape (3,)."""
        body, tip, shares = self.body()
        loaded = pulled(body, tip, shares, (0, 0, -self.force)) if self.tip_force else body
        gravity = (0.0, 0.0, -GRAVITY if self.has_weight else 0.0)
        # of what the tip will move
        tolerance = 2e-4 * min(self.tip_force / 3.0, 0.3) if self.tip_force else 6e-5
        steps = [cells * self.spacing / self.speed for cells in CELLS_PER_STEP]
        after = settled_in_steps(loaded, steps, ITERATIONS[self.model], 100, tolerance, gravity)
        tip_displacement: Floats = (after[tip] - body.positions[tip]).mean(axis=0)
        return tip_displacement

    def linear_tip(self) -> float:
        """How far the tip of this very mesh goes down under a small load, scaled to the load at the tip [m]."""
        body, tip, shares = self.body()
        forces = np.zeros(body.positions.shape)
        forces[tip, 2] = -self.force * shares / shares.sum()
        fixed = np.repeat(body.masses == 0.0, 3).reshape(-1, 3)
        return -float(displacements(stiffness(body), forces, fixed)[tip, 2].mean())


def corner_shares(points: np.ndarray) -> np.ndarray:
    """Share of a load on a rectangle's grid points: half on its edges, a quarter at its corners."""
    low, high = points.min(axis=0), points.max(axis=0)
    on_edge = (np.abs(points - low) < 1e-9) | (np.abs(points - high) < 1e-9)
    return 0.5 ** on_edge.sum(axis=1)


def settled_in_steps(
    model: BodyModel,
    steps: Sequence[float],
    iterations: int,
    longest: int,
    tolerance: float,
    gravity: Sequence[float] = (0.0, 0.0, -GRAVITY),
) -> Floats:
    """World positions at rest, found with each length of substep in turn [s], the next from where the last one ended.

    Frames are 20 substeps; ``longest`` and ``tolerance`` as in ``settled``, for each length.
    """
    places = model.positions
    for step in steps:
        solver = start(model, 20, iterations, 20 * step, gravity)
        state = solver.checkpoint()
        state["positions"][:, :3] = places - solver.system.origin
        solver.restore(0, state)
        places = settled(solver, longest, tolerance)
    return places
