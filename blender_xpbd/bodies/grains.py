# SPDX-License-Identifier: GPL-3.0-or-later
"""Grains: balls that nothing links, one at each vertex. They do to each other what ``contacts.grains`` says."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ..scene.body import Body
from ..scene.settings import SolverSettings
from .body_model import BodyModel
from .measures import MeasureBody
from .vertex_factors import vertex_factors

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# points that are looked for at once in ``bind_to_grains``: the table of distances stays small
_AT_ONCE = 256


def build_grains(body: Body, _settings: SolverSettings) -> BodyModel:
    """A ball of the material's radius and density at each vertex."""
    count, material = body.vertex_count, body.material
    density, friction = vertex_factors(body, "density"), vertex_factors(body, "friction")
    masses = np.full(count, material.density * 4.0 / 3.0 * math.pi * material.radius**3)
    pin_weights = np.zeros(count)
    pin_weights[body.pins.vertices] = body.pins.weights
    own = np.arange(count, dtype=np.int32)
    return BodyModel(
        body=body,
        positions=body.positions,
        masses=masses if density is None else masses * np.maximum(density, 1e-3),
        blocks=(),
        elements=np.repeat(own[:, None], 4, axis=1),
        weights=np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
        pin_weights=pin_weights,
        edges=np.zeros((0, 2), np.int32),
        frictions=np.zeros(0) if friction is None else material.friction * friction,
        thickness_share=2.0,
        radii=np.full(count, material.radius),
    )


def bind_to_grains(model: BodyModel, points: Floats) -> tuple[Ints, Floats]:
    """Each point is held by the nearest grain, as ``SolverKind.bind``."""
    nearest = np.zeros(len(points), np.int32)
    for first in range(0, len(points), _AT_ONCE):
        mine = slice(first, first + _AT_ONCE)
        nearest[mine] = np.linalg.norm(points[mine, None] - model.positions[None], axis=2).argmin(axis=1)
    return np.repeat(nearest[:, None], 4, axis=1), np.tile([1.0, 0.0, 0.0, 0.0], (len(points), 1))


def measure_grains(_model: BodyModel) -> MeasureBody:
    """Grains are rigid: nothing of them is strained."""
    return lambda _positions: (0.0, 0.0, 0.0, 0.0)
