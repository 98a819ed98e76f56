# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices of a body that are held to points of another body: welded, or softly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..constraints.constraint import ConstraintBlock
from ..constraints.element_attachment import build_element_attachment
from ..scene.settings import SolverSettings
from .body_model import BodyModel
from .kinds import solver_kind
from .own_settings import own_settings
from .softness import soft_compliance, softness_follows

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


def build_body_attachments(
    models: Sequence[BodyModel], starts: Ints, settings: SolverSettings
) -> dict[int, ConstraintBlock]:
    """The attachments of all bodies to others, as they are at rest.

    A vertex keeps its place in the tetrahedra of a jelly, which go on outside of it: a gap that is modelled stays. To a
    cloth it is drawn to the nearest point of its surface.

    Args:
        models: all bodies.
        starts: first particle of each body, shape (bodies + 1,) or (bodies,).
        settings: of the solver.

    Returns:
        Constraints by the number of the body that is attached, with indices into all particles; a vertex without a
        mass has none.
    """
    places = {model.body.identifier: index for index, model in enumerate(models)}
    blocks = {}
    for number, (model, start) in enumerate(zip(models, starts, strict=False)):
        attachment = model.body.attachment
        if attachment is None:
            continue
        masses = _vertex_masses(model, attachment.vertices)
        used = np.flatnonzero(masses > 0.0)
        vertices = attachment.vertices[used]
        target = places[attachment.target]
        held = models[target]
        elements, weights = solver_kind(held.body).bind(held, model.body.positions[vertices])
        own = own_settings(model.body, settings)
        compliance = soft_compliance(attachment.weights[used], masses[used], model.body.material.pin_frequency, own)
        blocks[number] = build_element_attachment(
            model.elements[vertices] + start,
            model.weights[vertices],
            elements + starts[target],
            weights,
            compliance,
        ).following(*softness_follows(own))
    return {number: block for number, block in blocks.items() if len(block)}


def _vertex_masses(model: BodyModel, vertices: Ints) -> Floats:
    """What resists a push at a vertex: 1 / Σ wⱼ²/mⱼ [kg], shape (vertices,); 0 where it hangs on no mass."""
    masses = model.masses[model.elements[vertices]]
    weights = model.weights[vertices]
    with np.errstate(divide="ignore"):
        shares = np.where(weights == 0.0, 0.0, weights**2 / np.where(weights == 0.0, 1.0, masses))
    return 1.0 / shares.sum(axis=1)
