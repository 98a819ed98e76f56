# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a body hangs together with something that pins or a goal hold: it jiggles, and falls no farther."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..geometry.components import connected_components
from ..scene.body import Body
from .vertex_factors import SMALLEST_FACTOR

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


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
