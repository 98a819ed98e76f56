# SPDX-License-Identifier: GPL-3.0-or-later
"""Particles that are drawn to a motion: each by a spring k = w m (2πf)² of its own mass.

So a body swings about its goal with the frequency f whatever its resolution and the number of substeps, and gravity
moves all of it by the same g / (2πf)² where all weights are 1. What hangs together with something that a goal draws,
or pins fix, is held: it jiggles, and falls no farther.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..geometry.components import connected_components
from ..scene.body import Body
from ..scene.settings import SolverSettings
from .body_model import BodyModel
from .vertex_factors import SMALLEST_FACTOR, embedded_factors

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


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


def held_particles(body: Body, elements: Ints, edges: Ints, pin_weights: Floats) -> npt.NDArray[np.bool_]:
    """Whether each particle hangs together with one that is pinned, however softly, or drawn to a goal.

    Args:
        body: what it is made from.
        elements: particles of each vertex of the mesh, shape (vertices, 4).
        edges: between particles, shape (edges, 2).
        pin_weights: per particle, shape (particles,).
    """
    holds = pin_weights > 0.0
    goal = body.goal
    if body.material.goal_frequency > 0.0 and len(goal.vertices):
        holds[elements[goal.vertices[goal.weights > SMALLEST_FACTOR]]] = True
    if not holds.any() or holds.all():
        return holds
    labels = connected_components(len(pin_weights), edges)
    of_pieces = np.zeros(len(pin_weights), np.bool_)
    of_pieces[labels[holds]] = True
    held: npt.NDArray[np.bool_] = of_pieces[labels]
    return held
