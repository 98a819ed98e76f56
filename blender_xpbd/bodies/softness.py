# SPDX-License-Identifier: GPL-3.0-or-later
"""How firmly what is held softly is held: soft pins, and vertices attached to other bodies."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..constraints.attachments.attachment import pin_compliance
from ..scene.settings import SolverSettings
from .body_model import BodyModel


def soft_compliance(
    weights: npt.NDArray[np.float32], masses: npt.NDArray[np.float64], frequency: float, settings: SolverSettings
) -> npt.NDArray[np.float64]:
    """Last parameter of attachments of a softness.

    Args:
        weights: 1 is rigid, above 0, shape (attachments,).
        masses: that are held [kg], shape (attachments,).
        frequency: of a mass held with weight 0.5 [Hz].
        settings: of the solver.
    """
    if settings.solver_mode == "PBD":
        share: npt.NDArray[np.float64] = 1.0 - (1.0 - weights.astype(np.float64)) ** (1.0 / settings.iterations)
        return share
    return pin_compliance(weights, masses, frequency)


def softness_follows(settings: SolverSettings) -> tuple[str, ...]:
    """The material value that attachments of a softness follow, if any."""
    return () if settings.solver_mode == "PBD" else ("pin_frequency",)


def soft_pin_compliance(
    model: BodyModel, particles: npt.NDArray[np.int32], settings: SolverSettings
) -> npt.NDArray[np.float64]:
    """Last parameter of the attachments of softly pinned particles, shape (particles,)."""
    weights = model.pin_weights[particles].astype(np.float32)
    return soft_compliance(weights, model.masses[particles], model.body.material.pin_frequency, settings)
