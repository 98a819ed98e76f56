# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices of a body that are held to points of another body: welded, or softly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..constraints.constraint import ConstraintBlock
from ..constraints.element_attachment import build_element_attachment
from ..geometry.embedding import bind
from ..geometry.mesh_checks import check_mesh
from ..geometry.surface_binding import bind_to_triangles
from ..scene.settings import SolverSettings
from .bodies import soft_compliance, softness_follows
from .body_model import BodyModel

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


def build_body_attachments(
    models: Sequence[BodyModel], starts: Ints, settings: SolverSettings
) -> list[ConstraintBlock]:
    """The attachments of all bodies to others, as they are at rest.

    A vertex keeps its place in the tetrahedra of a jelly, which go on outside of it: a gap that is modelled stays. To a
    cloth it is drawn to the nearest point of its surface.

    Args:
        models: all bodies.
        starts: first particle of each body, shape (bodies + 1,) or (bodies,).
        settings: of the solver.

    Returns:
        Constraints, with indices into all particles; a vertex without a mass has none.
    """
    places = {model.body.identifier: index for index, model in enumerate(models)}
    blocks = []
    for model, start in zip(models, starts, strict=False):
        attachment = model.body.attachment
        if attachment is None:
            continue
        masses = _vertex_masses(model, attachment.vertices)
        used = np.flatnonzero(masses > 0.0)
        vertices = attachment.vertices[used]
        target = places[attachment.target]
        elements, weights = _bound(model.body.positions[vertices], models[target])
        compliance = soft_compliance(
            attachment.weights[used], masses[used], model.body.material.pin_frequency, settings
        )
        blocks.append(
            build_element_attachment(
                model.elements[vertices] + start,
                model.weights[vertices],
                elements + starts[target],
                weights,
                compliance,
            ).following(*softness_follows(settings))
        )
    return [block for block in blocks if len(block)]


def _vertex_masses(model: BodyModel, vertices: Ints) -> Floats:
    """What resists a push at a vertex: 1 / Σ wⱼ²/mⱼ [kg], shape (vertices,); 0 where it hangs on no mass."""
    masses = model.masses[model.elements[vertices]]
    weights = model.weights[vertices]
    with np.errstate(divide="ignore"):
        shares = np.where(weights == 0.0, 0.0, weights**2 / np.where(weights == 0.0, 1.0, masses))
    return 1.0 / shares.sum(axis=1)


def _bound(points: Floats, target: BodyModel) -> tuple[Ints, Floats]:
    """Particles of the target and their weights at points, each of shape (points, 4)."""
    if len(target.tetrahedra):
        tetrahedra, weights = bind(points, target.positions, target.tetrahedra)
        return target.tetrahedra[tetrahedra], weights
    body = target.body
    triangles, _ = check_mesh(body.positions, body.face_sizes, body.corners, body.name)
    found, shares = bind_to_triangles(points, target.positions, triangles)
    corners = triangles[found]
    # a fourth particle that does not count
    return np.concatenate([corners, corners[:, :1]], axis=1), np.pad(shares, ((0, 0), (0, 1)))
