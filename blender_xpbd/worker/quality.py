# SPDX-License-Identifier: GPL-3.0-or-later
"""Substeps and iterations by material, or by trial: the fewest whose motion hardly changes when they are doubled."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..scene.settings import SolverSettings
from ..solver.solver import Solver
from ..solver.system.substeps import substeps_for_material
from ..solver.system.system import System
from .stop_signal import StopSignal

# frames of a trial: long enough for a fall of five metres and what follows a hit. Chosen by hand,
# as is where the doubling begins
TRIAL_FRAMES = 30
FEWEST_SUBSTEPS = 5


@dataclass(frozen=True)
class QualityChoice:
    """What was chosen, and what is known of it.

    Attributes:
        settings: with the chosen substeps and iterations.
        change: root mean square over the vertices, greatest over the frames of the trial, of what doubling the substeps
            changes [m].
        residual: the same for doubling the iterations [m].
        is_reached: whether both lie within the tolerance.
    """

    settings: SolverSettings
    change: float
    residual: float
    is_reached: bool


def choose_quality(system: System, paths: tuple[str, ...], stop: StopSignal) -> QualityChoice | None:
    """Double the substeps until doubling them, or the iterations, changes the motion by no more than is allowed.

    Args:
        system: whose settings give tolerance and limit.
        paths: as for the solver.
        stop: looked at between frames.

    Returns:
        The choice, or None where a stop was requested.
    """
    wanted = system.scene.settings
    tolerance = 1e-3 * wanted.tolerance
    substeps = min(FEWEST_SUBSTEPS, wanted.maximum_substeps)
    motion = _trial(system, substeps, 1, paths, stop)
    while motion is not None:
        finer = _trial(system, 2 * substeps, 1, paths, stop)
        longer = _trial(system, substeps, 2, paths, stop)
        if finer is None or longer is None:
            return None
        change, residual = _distance(motion, finer), _distance(motion, longer)
        is_reached = change <= tolerance and residual <= tolerance
        if is_reached or 2 * substeps > wanted.maximum_substeps:
            settings = replace(wanted, substeps=substeps, iterations=1)
            return QualityChoice(settings, change, residual, is_reached)
        substeps, motion = 2 * substeps, finer
    return None


def by_material(system: System) -> SolverSettings:
    """The settings with the substeps that the materials of the scene ask for, without a trial."""
    return replace(system.scene.settings, substeps=substeps_for_material(system), iterations=1)


def with_settings(system: System, settings: SolverSettings) -> System:
    """The same particles and constraints under other substeps and iterations, on which they do not depend in XPBD."""
    return replace(system, scene=replace(system.scene, settings=settings))


def _trial(
    system: System, substeps: int, iterations: int, paths: tuple[str, ...], stop: StopSignal
) -> npt.NDArray[np.float32] | None:
    settings = replace(system.scene.settings, substeps=substeps, iterations=iterations)
    solver = Solver(with_settings(system, settings), paths)
    frames = []
    for _ in range(min(TRIAL_FRAMES, system.scene.frames.count - 1)):
        if stop.is_requested:
            return None
        solver.advance()
        frames.append(solver.surface(solver.positions()))
    return np.array(frames)


def _distance(motion: npt.NDArray[np.float32], other: npt.NDArray[np.float32]) -> float:
    if motion.size == 0:
        return 0.0
    squares = ((motion.astype(np.float64) - other) ** 2).sum(axis=2)
    return float(np.sqrt(squares.mean(axis=1)).max())
