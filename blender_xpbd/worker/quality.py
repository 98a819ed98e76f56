# SPDX-License-Identifier: GPL-3.0-or-later
"""Substeps by material, or by trial: the fewest that leave no vertex farther off than a tolerance.

A trial runs the whole scene with n and with 2n substeps side by side, for what comes late shows late: hits, and what
follows from them. The method is of first order, so the error of 2n is about the difference of the two, and that of n
twice as much (Richardson's extrapolation). Where the difference is too great already, the trial ends at once, and goes
on with 2n and 4n.

What hits and tumbles differs by chance: two trials may come out alike, and be wrong by seven times as much. So no
error is told that is below half of that before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..bodies.own_settings import is_pbd
from ..scene.errors import Notice
from ..scene.settings import SolverSettings
from ..solver.solver import Solver
from ..solver.system.substeps import substeps_for_material, wanted_substeps
from ..solver.system.system import System, build_system
from .stop_signal import StopSignal

# where the doubling begins; chosen by hand
FEWEST_SUBSTEPS = 5
# by what the error falls with twice the substeps, at first order
HALVED = 2.0


@dataclass(frozen=True)
class QualityChoice:
    """What was chosen, and what is known of it.

    Attributes:
        settings: with the chosen substeps, of one iteration.
        error: how far off a vertex is at most, at any frame: by Richardson's estimate, but no less than half of
            what the trial before told [m].
        frame: where that is.
        is_reached: whether it lies within the tolerance.
    """

    settings: SolverSettings
    error: float
    frame: int
    is_reached: bool


def choose_quality(system: System, paths: tuple[str, ...], stop: StopSignal) -> QualityChoice | None:
    """The fewest substeps of 5, 10, 20, … with which no vertex is off by more than the tolerance, at any frame.

    Args:
        system: whose settings give tolerance and limit.
        paths: as for the solver.
        stop: looked at between frames.

    Returns:
        The choice, or None where a stop was requested. Where the limit comes first, it is the most substeps below it,
        with their error.
    """
    wanted, frames = system.scene.settings, system.scene.frames
    # trials need no states between frames
    system = replace(system, scene=replace(system.scene, frames=replace(frames, subframes=0)))
    tolerance, most = 1e-3 * wanted.tolerance, wanted.maximum_substeps
    coarse = min(max(FEWEST_SUBSTEPS, wanted_substeps(system.scene)), most)
    before = (0.0, 0)
    while True:
        # what decides, or is told where nothing does, is compared at all frames
        limit = np.inf if 8 * coarse > most else HALVED * tolerance
        found = _difference(system, coarse, tolerance=limit, paths=paths, stop=stop)
        if found is None:
            return None
        of_fine = max(found, (before[0] / HALVED, before[1]))
        of_coarse = max((HALVED * found[0], found[1]), before)
        if of_coarse[0] <= tolerance or 2 * coarse > most:
            return _choice(wanted, coarse, *of_coarse)
        if of_fine[0] <= tolerance or 4 * coarse > most:
            return _choice(wanted, 2 * coarse, *of_fine)
        before = found
        coarse *= 2


def by_material(system: System) -> SolverSettings:
    """The settings with the substeps that the materials of the scene ask for, without a trial."""
    return replace(system.scene.settings, substeps=substeps_for_material(system), iterations=1)


def with_wanted(system: System) -> System:
    """The system with at least as many substeps as its objects ask for, where a number was typed."""
    settings = system.scene.settings
    wanted = wanted_substeps(system.scene)
    return with_settings(system, replace(settings, substeps=wanted)) if wanted > settings.substeps else system


def with_settings(system: System, settings: SolverSettings) -> System:
    """The scene under other substeps and iterations.

    In XPBD particles and constraints depend on them in plates, which are solved with a factor of the substep, and in
    masses with drag; shares of PBD depend on the iterations. Otherwise they stay.
    """
    scene = replace(system.scene, settings=settings)
    is_bound = any(model.plate is not None or model.body.material.damping > 0.0 for model in system.models)
    has_shares = any(is_pbd(model.body, settings) for model in system.models)
    is_other = settings.substeps != system.scene.settings.substeps
    if (is_bound and is_other) or (has_shares and settings.iterations != system.scene.settings.iterations):
        return build_system(scene)
    return replace(system, scene=scene)


def subframes_notice(before: SolverSettings, after: SolverSettings, count: int) -> Notice:
    """That there are more substeps than were asked for, so that subframes fall on whole ones."""
    text = (
        f"{count} subframes do not fall on {before.substeps} substeps, so {after.substeps} are simulated, and vertices "
        f"move a little otherwise. A multiple of {count + 1} leaves the frames as they are."
    )
    return Notice("W_QUALITY", text)


def _choice(wanted: SolverSettings, substeps: int, error: float, frame: int) -> QualityChoice:
    settings = replace(wanted, substeps=substeps, iterations=1)
    return QualityChoice(settings, error, frame, is_reached=error <= 1e-3 * wanted.tolerance)


def _difference(
    system: System, substeps: int, tolerance: float, paths: tuple[str, ...], stop: StopSignal
) -> tuple[float, int] | None:
    """How far apart a vertex is at most with so many substeps and with twice as many [m], and at which frame.

    It is the first frame beyond the tolerance, if there is one. None where a stop was requested.
    """
    settings = system.scene.settings
    coarse, fine = (
        Solver(with_settings(system, replace(settings, substeps=count, iterations=1)), paths)
        for count in (substeps, 2 * substeps)
    )
    greatest, at, first = 0.0, system.scene.frames.start, system.scene.frames.start
    for index in range(1, system.scene.frames.count):
        if stop.is_requested:
            return None
        coarse.advance()
        fine.advance()
        apart = coarse.surface(coarse.positions()).astype(np.float64) - fine.surface(fine.positions())
        distance = float(np.sqrt((apart**2).sum(axis=1).max(initial=0.0)))
        if distance > greatest:
            greatest, at = distance, first + index
        if distance > tolerance:
            break
    return greatest, at
