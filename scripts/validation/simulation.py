# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives the solver without Blender: bodies held, loaded, run and brought to rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from blender_xpbd.bodies.body_model import BodyModel
from blender_xpbd.constraints.attachments.attachment import build_attachment
from blender_xpbd.constraints.constraint import ConstraintBlock
from blender_xpbd.constraints.distance import build_distance
from blender_xpbd.scene.body import Body
from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange, SolverSettings
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import assemble

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

GRAVITY = 9.81
# how far away the end of a spring is that pulls with a constant force
FAR = 50.0


def start(
    model: BodyModel,
    substeps: int = 20,
    iterations: int = 1,
    frame: float = 1 / 24,
    gravity: Sequence[float] = (0.0, 0.0, -GRAVITY),
    colliders: Sequence[Collider] = (),
    mode: str = "XPBD",
    path: str = "SERIAL",
    in_each: bool = False,
) -> Solver:
    """A solver of one body; ``in_each``: bending is solved in each substep, as where residuals are measured."""
    settings = SolverSettings(
        substeps=substeps, iterations=iterations, solver_mode=mode, device="CPU", measure_residual=in_each
    )
    frames = FrameRange(1, 2, 1, frame)
    scene = Scene((model.body,), tuple(colliders), frames, settings, np.asarray(gravity, float))
    return Solver(assemble(scene, (model,)), (path,))


def particles(
    positions: Sequence[Sequence[float]] | Floats,
    masses: npt.ArrayLike,
    pairs: npt.ArrayLike,
    compliance: npt.ArrayLike,
    drag: float = 0.0,
) -> BodyModel:
    """Bare particles, fixed where the mass is 0, held by distance constraints of a compliance [m/N]."""
    points = np.asarray(positions, np.float64)
    blocks = (build_distance(points, np.asarray(pairs, np.int32).reshape(-1, 2), np.asarray(compliance, np.float64)),)
    return bare(points, np.asarray(masses, np.float64), blocks, drag)


def bare(positions: Floats, masses: Floats, blocks: tuple[ConstraintBlock, ...], drag: float = 0.0) -> BodyModel:
    """Particles without a mesh."""
    none, own = np.zeros(0, np.int32), np.arange(len(positions), dtype=np.int32)
    material = Material(internal_damping=0.0, damping=drag)
    return BodyModel(
        body=Body("b0", "Particles", "CLOTH", positions, none, none, material),
        positions=positions,
        masses=masses,
        blocks=blocks,
        elements=np.repeat(own[:, None], 4, axis=1),
        weights=np.tile([1.0, 0.0, 0.0, 0.0], (len(positions), 1)),
        pin_weights=np.zeros(len(positions)),
        edges=np.zeros((0, 2), np.int32),
    )


def held(model: BodyModel, fixed: npt.ArrayLike) -> BodyModel:
    """The model with some particles fixed where they are."""
    masses = model.masses.copy()
    masses[np.asarray(fixed)] = 0.0
    return replace(model, masses=masses)


def pulled(model: BodyModel, where: npt.ArrayLike, shares: Floats, force: Sequence[float]) -> BodyModel:
    """The model with a constant force [N], shared among some particles.

    Each hangs on a point ``FAR`` away by a soft attachment: its force (far − x)/α changes by δ/FAR while x moves by δ,
    so FAR is chosen large.
    """
    chosen = np.asarray(where, np.int32)
    total = np.asarray(force, np.float64)
    direction = total / np.linalg.norm(total)
    count = len(model.positions)
    anchors = np.arange(count, count + len(chosen), dtype=np.int32)
    compliance = FAR / (np.linalg.norm(total) * shares / shares.sum())
    return replace(
        model,
        positions=np.concatenate([model.positions, model.positions[chosen] + FAR * direction]),
        masses=np.concatenate([model.masses, np.zeros(len(chosen))]),
        pin_weights=np.concatenate([model.pin_weights, np.zeros(len(chosen))]),
        damping_times=np.concatenate([model.damping_times, np.zeros(len(chosen))]),
        blocks=(*model.blocks, build_attachment(np.stack([chosen, anchors], axis=1), compliance)),
    )


def positions_of(solver: Solver) -> Floats:
    """World positions of all particles [m], shape (particles, 3)."""
    return solver.positions().astype(np.float64) + solver.system.origin


def run(solver: Solver, frames: int) -> Floats:
    """World positions after a number of frames."""
    for _ in range(frames):
        solver.advance()
    return positions_of(solver)


def path_of(solver: Solver, frames: int, particle: int) -> Floats:
    """World positions of one particle at the start and after each frame, shape (frames + 1, 3)."""
    return np.array([positions_of(solver)[particle], *(run(solver, 1)[particle] for _ in range(frames))])


def settled(solver: Solver, longest: int, tolerance: float, calm: int = 5) -> Floats:
    """World positions at rest.

    Args:
        solver: to run.
        longest: frames after which to stop in any case.
        tolerance: that nothing may exceed per frame [m].
        calm: frames in a row that must be so, because at its turning points a swing is slow as well.
    """
    before, quiet = positions_of(solver), 0
    for _ in range(longest):
        after = run(solver, 1)
        quiet = quiet + 1 if np.abs(after - before).max() < tolerance else 0
        before = after
        if quiet == calm:
            break
    return before
