# SPDX-License-Identifier: GPL-3.0-or-later
"""Particles that are drawn to a motion: each by a spring k = w m (2πf)² of its own mass.

So a body swings about its goal with the frequency f whatever its resolution and the number of substeps, and gravity
moves all of it by the same g / (2πf)² where all weights are 1. What hangs together with something that a goal draws,
or pins fix, is held: it jiggles, and falls no farther.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..geometry.components import connected_components
from ..scene.settings import SolverSettings
from .body_model import BodyModel
from .vertex_factors import SMALLEST_FACTOR, embedded_factors

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# at which what is held softly must not sag by its size [m/s²]
_GRAVITY = 9.81


def drawn_particles(model: BodyModel) -> tuple[Ints, Floats]:
    """Particles that move and have a goal, shape (particles,), and their weights."""
    goal = model.body.goal
    nothing = np.zeros(0, np.int32), np.zeros(0)
    if len(goal.vertices) == 0 or model.body.material.goal_frequency <= 0.0:
        return nothing
    factors = np.zeros(model.body.vertex_count)
    factors[goal.vertices] = goal.weights
    weights = embedded_factors(factors, model.elements, model.weights, model.edges, len(model.positions))
    is_drawn = (weights > SMALLEST_FACTOR) & (model.masses > 0.0) & (model.pin_weights < 1.0)
    particles = np.flatnonzero(is_drawn).astype(np.int32)
    return particles, weights[particles]


def goal_compliance(model: BodyModel, particles: Ints, weights: Floats, settings: SolverSettings) -> Floats:
    """Last parameter of the attachments of particles to their goals: [m/N], or in PBD mode a share of the way."""
    if settings.solver_mode == "PBD":
        return 1.0 - (1.0 - weights) ** (1.0 / settings.iterations)
    rate = 2.0 * np.pi * model.body.material.goal_frequency
    compliance: Floats = 1.0 / (weights * model.masses[particles] * rate**2)
    return compliance


def goal_follows(settings: SolverSettings) -> tuple[str, ...]:
    """The material value that goals follow, if any."""
    return () if settings.solver_mode == "PBD" else ("goal_frequency",)


def held_particles(model: BodyModel, ties: Sequence[Ints] = ()) -> npt.NDArray[np.bool_]:
    """Whether each particle hangs together with one that is pinned, or is held so firmly that it jiggles.

    What soft pins and the goal hold sags by g/r² under its weight, with the mean by mass of the square of their rates r
    over what hangs together. It is held if that is less than the body's size, with the gravity of the Earth.

    Args:
        model: of a body.
        ties: pairs of particles that hang together besides by its edges, shape (pairs, 2) each.
    """
    material, fixes = model.body.material, model.pin_weights >= 1.0
    soft = np.where(fixes, 0.0, model.pin_weights)
    squares = soft / (1.0 - soft) * (2.0 * np.pi * material.pin_frequency) ** 2
    drawn, weights = drawn_particles(model)
    squares[drawn] += weights * (2.0 * np.pi * material.goal_frequency) ** 2
    if not fixes.any() and not squares.any():
        return fixes
    labels = connected_components(len(squares), np.concatenate([model.edges, *ties]))
    stiffness, masses = (np.bincount(labels, values, len(labels)) for values in (model.masses * squares, model.masses))
    size = float(np.ptp(model.body.positions, axis=0).max(initial=0.0))
    holds = stiffness * size > _GRAVITY * masses
    holds[labels[fixes]] = True
    held: npt.NDArray[np.bool_] = holds[labels]
    return held
