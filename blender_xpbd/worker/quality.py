# SPDX-License-Identifier: GPL-3.0-or-later
"""Substeps by material, or by trial: the fewest that leave no vertex farther off than a tolerance.

A trial runs the whole scene with n and with 2n substeps side by side, for what comes late shows late: hits, and what
follows from them. Where the difference is too great already, the trial ends at once, and goes on with 2n and 4n.

The method is of first order: where it converges, each vertex goes half as far from 2n to 4n as it went from n to 2n,
and the same way. Then the error of 4n is about the difference of the two (Richardson's extrapolation). What tumbles
or creases differs by chance instead, by as much with any number of substeps, and two trials may come out alike and be
wrong by seven times as much. So ways are compared, not distances: what is missing to half of the way before is the
*rest*, and it is added to the error. docs/experiments.md, What By Trial tells of a hit
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..bodies.own_settings import is_pbd
from ..scene.errors import Notice
from ..scene.settings import SolverSettings
from ..solver.solver import Solver
from ..solver.system.substeps import substeps_for_material, wanted_substeps
from ..solver.system.system import System, build_system
from .stop_signal import StopSignal

Floats = npt.NDArray[np.float32]

# where the doubling begins; chosen by hand
FEWEST_SUBSTEPS = 5
# by what the error falls with twice the substeps, at first order
HALVED = 2.0
# how many times the rest is told, and the rest per difference from which on all of it is, for substeps do not converge;
# chosen by what they tell of scenes: docs/experiments.md, What By Trial tells of a hit
RESTS_TOLD, CONVERGES = 1.5, 0.5
# vertices of which the ways of the trial before are kept
MOST_KEPT = 4096


@dataclass(frozen=True)
class QualityChoice:
    """What was chosen, and what is known of it.

    Attributes:
        settings: with the chosen substeps, of one iteration.
        error: how far off a vertex is at most, at any frame: by Richardson's estimate and the rest [m].
        frame: where two trials differ most.
        is_reached: whether it lies within the tolerance.
        converges: whether twice the substeps halve the error.
    """

    settings: SolverSettings
    error: float
    frame: int
    is_reached: bool
    converges: bool


@dataclass(frozen=True)
class _Trial:
    """What a run with n substeps differs by from one with 2n.

    Attributes:
        distance: of a vertex at most, at any frame [m].
        rest: greatest distance of such a way from half of that of the trial before [m]; the whole way where that is
            not known.
        frame: of the greatest distance.
        ways: how far some vertices of the run with 2n are from those with n [m], shape (frames, vertices, 3). They
            begin with the second frame, and end where the tolerance was exceeded.
    """

    distance: float
    rest: float
    frame: int
    ways: list[Floats]

    @property
    def converges(self) -> bool:
        return self.rest <= CONVERGES * self.distance

    @property
    def fine(self) -> float:
        """Error with 2n substeps [m]."""
        if self.rest == 0.0:
            return self.distance
        share = self.rest / (CONVERGES * self.distance) if self.converges else 1.0
        return self.distance + RESTS_TOLD * share * self.rest

    @property
    def coarse(self) -> float:
        """Error with n substeps [m]."""
        return self.distance + self.fine


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
    before: Sequence[Floats] = ()
    while True:
        # what decides, or is told where nothing does, is compared at all frames
        limit = np.inf if 8 * coarse > most else HALVED * tolerance
        trial = _try(system, coarse, before, tolerance=limit, paths=paths, stop=stop)
        if trial is None:
            return None
        if trial.coarse <= tolerance or 2 * coarse > most:
            return _choice(wanted, coarse, trial.coarse, trial)
        if trial.fine <= tolerance or 4 * coarse > most:
            return _choice(wanted, 2 * coarse, trial.fine, trial)
        before = trial.ways
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


def _choice(wanted: SolverSettings, substeps: int, error: float, trial: _Trial) -> QualityChoice:
    settings = replace(wanted, substeps=substeps, iterations=1)
    is_reached = error <= 1e-3 * wanted.tolerance
    return QualityChoice(settings, error, trial.frame, is_reached=is_reached, converges=trial.converges)


def _try(
    system: System, substeps: int, before: Sequence[Floats], tolerance: float, paths: tuple[str, ...], stop: StopSignal
) -> _Trial | None:
    """Compare so many substeps with twice as many, up to the first frame beyond the tolerance [m], if there is one.

    ``before`` are the ways of the trial with half as many. None where a stop was requested.
    """
    settings = system.scene.settings
    coarse, fine = (
        Solver(with_settings(system, replace(settings, substeps=count, iterations=1)), paths)
        for count in (substeps, 2 * substeps)
    )
    greatest, rest, at, first = 0.0, 0.0, system.scene.frames.start, system.scene.frames.start
    ways: list[Floats] = []
    for index in range(1, system.scene.frames.count):
        if stop.is_requested:
            return None
        coarse.advance()
        fine.advance()
        way = fine.surface(fine.positions()).astype(np.float64) - coarse.surface(coarse.positions())
        distance = _longest(way)
        if distance > greatest:
            greatest, at = distance, first + index
        some = way[:: max(1, math.ceil(len(way) / MOST_KEPT))]
        expected = before[index - 1] / HALVED if index <= len(before) else 0.0
        rest = max(rest, _longest(some - expected))
        ways.append(some.astype(np.float32))
        if distance > tolerance:
            break
    return _Trial(greatest, rest, at, ways)


def _longest(ways: npt.NDArray[np.float64]) -> float:
    return float(np.sqrt((ways**2).sum(axis=1).max(initial=0.0)))
